package mechanism

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestTableAgainstCounts compares tables with counts by the formula, also with too many configurations for an
// index each, and with weighted rows.
func TestTableAgainstCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, parents := range []int{0, 3, 22} {
		g := graph.New(parents + 1)
		for p := range parents {
			g.AddEdge(p, parents)
		}
		d := randomRows(rng, g.N(), 50)
		times := make([]int, d.N)
		for i := range times {
			times[i] = i % 3
		}
		counted := must.Get(d.Counted(times))
		tab := must.Get(NewCPT(counted, parents, g.Parents(parents)))
		if sparse := tab.place != nil; sparse != (parents == 22) {
			t.Fatalf("%d parents: places by number is %t", parents, sparse)
		}
		levels, configs, all := len(d.Levels[parents]), 1.0, 0.0
		for p := range parents {
			configs *= float64(len(d.Levels[p]))
		}
		overall := make([]float64, levels)
		for i, x := range d.Columns[parents] {
			overall[int(x)] += float64(times[i])
			all += float64(times[i])
		}
		for c := range overall {
			overall[c] = (overall[c] + 1/float64(levels)) / (all + 1)
		}
		check := func(codes []int) {
			t.Helper()
			n, counts := 0.0, make([]float64, levels)
			for i, x := range d.Columns[parents] {
				like := true
				for p, c := range codes {
					like = like && d.Columns[p][i] == float64(c)
				}
				if like {
					counts[int(x)] += float64(times[i])
					n += float64(times[i])
				}
			}
			for c, got := range tab.At(codes) {
				near(t, "probability", got, (counts[c]+overall[c]/configs)/(n+1/configs), 1e-12)
			}
		}
		for i := range d.N {
			codes, other := make([]int, parents), make([]int, parents)
			for p := range codes {
				codes[p] = int(d.Columns[p][i])
				other[p] = rng.IntN(len(d.Levels[p]))
			}
			check(codes)
			check(other)
		}
	}
}

// TestCountedByDistinctRows compares probability tables from distinct rows with those from all rows.
func TestCountedByDistinctRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 300
	columns := make([][]float64, 3)
	times := make([]int, n)
	for i := range n {
		for j := range columns {
			columns[j] = append(columns[j], float64(rng.IntN(2+j%2)))
		}
		times[i] = rng.IntN(3)
	}
	d := New(columns, [][]float64{{0, 1}, {0, 1, 2}, {0, 1}})
	d.environment, d.targets = make([]int, n), [][]int{nil, {2}}
	for i := range d.environment {
		d.environment[i] = rng.IntN(2)
	}
	slow := must.Get(d.counted(times))
	fast := must.Get(d.Counted(times))
	if fast.N > 24 || slow.N != n {
		t.Errorf("%d and %d rows", fast.N, slow.N)
	}
	for v, parents := range [][]int{{1, 2}, {0}, {0, 1}} {
		a := must.Get(NewCPT(slow, v, parents))
		b := must.Get(NewCPT(fast, v, parents))
		if !slices.Equal(a.P, b.P) || !slices.Equal(a.Overall, b.Overall) {
			t.Errorf("column %d: %v, want %v", v, b.P, a.P)
		}
	}
	if numeric := New(columns, [][]float64{{0, 1}, nil, {0, 1}}); numeric.distinct().rows != nil {
		t.Error("distinct rows of a numeric column")
	}
}
