package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// wideTable returns d columns of n rows of a kind, as vectors of length 1 one after the other.
func wideTable(kind string, d, n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := make([][]float64, d)
	for v := range x {
		x[v] = make([]float64, n)
		for t := range x[v] {
			x[v][t] = rng.NormFloat64()
		}
		add := func(u int, weight float64) {
			for t, y := range x[u] {
				x[v][t] += weight * y
			}
		}
		if v == 0 {
			continue
		}
		switch kind {
		case "sparse":
			for range rng.IntN(4) {
				add(rng.IntN(v), float64(1-2*rng.IntN(2))*(0.3+0.5*rng.Float64()))
			}
		case "blocks": // columns that correlate by 0.99 within blocks of eight
			add(v/8*8, 8)
			if v%8 == 0 {
				clear(x[v])
				for t := range x[v] {
					x[v][t] = rng.NormFloat64()
				}
			}
		case "hubs": // two columns cause all others
			add(0, 1)
			add(min(1, v-1), 0.5)
		case "collinear": // sums of two columns, exact or up to a millionth
			if v > 3 && v%4 == 0 {
				noise := []float64{0, 1e-6, 1e-3}[v/4%3]
				for t := range x[v] {
					x[v][t] = x[v-1][t] - 0.5*x[v-2][t] + noise*x[v][t]
				}
			} else {
				add(rng.IntN(v), 0.5)
			}
		case "heavy":
			for t := range x[v] {
				x[v][t] = x[v][t] * x[v][t] * x[v][t]
			}
			add(rng.IntN(v), 0.7)
		}
	}
	correlate(x)
	return slices.Concat(x...)
}

// TestGramEqualsDense checks that a search on a Gram has exactly the result of the search on its entries, on any number
// of threads, for every kind of table.
func TestGramEqualsDense(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for _, kind := range []string{"noise", "sparse", "blocks", "hubs", "collinear", "heavy"} {
		for _, size := range [][2]int{{40, 30}, {90, 60}, {150, 300}} {
			d, n := size[0], size[1]
			for seed := range uint64(2) {
				g := matrix.NewGram(wideTable(kind, d, n, seed), n, 2)
				scale := make([]float64, d)
				for v := range scale {
					scale[v] = 1 + float64(v%3)
				}
				for _, variance := range []Variance{Unequal, Equal} {
					if variance == Equal && (d > 90 || kind == "collinear") {
						continue
					}
					s := DefaultSettings()
					s.Variance, s.Restarts, s.Seed = variance, 6, seed
					want := must.Get(Search(context.Background(), Problem{R: g.Dense(), N: n, Scale: scale}, s, nil))
					s.Threads = 1 + 2*int(seed)
					got := must.Get(Search(context.Background(), Problem{Gram: g, N: n, Scale: scale}, s, nil))
					got.Stats.Nodes, got.Stats.CacheBytes = want.Stats.Nodes, want.Stats.CacheBytes // these may depend on threads
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%s, %d columns, %d rows, seed %d, %v, %d threads: score %v with %d edges, want %v with %d", kind, d, n, seed, variance, s.Threads, got.Score, got.Edges, want.Score, want.Edges)
					}
				}
			}
		}
	}
}

// TestGramArranged checks that the order in which a Gram stores its rows does not matter.
func TestGramArranged(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	const d, n = 100, 80
	data := wideTable("sparse", d, n, 3)
	order := rand.New(rand.NewPCG(1, 1)).Perm(d)
	var moved []float64
	for _, v := range order {
		moved = append(moved, data[v*n:(v+1)*n]...)
	}
	back := make([]int, d)
	for i, v := range order {
		back[v] = i
	}
	s := DefaultSettings()
	a := must.Get(Search(context.Background(), Problem{Gram: matrix.NewGram(data, n, 1), N: n}, s, nil))
	b := must.Get(Search(context.Background(), Problem{Gram: matrix.NewGram(moved, n, 1).Arranged(back), N: n}, s, nil))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("scores %v and %v", a.Score, b.Score)
	}
}

// TestGramKnowledge checks prior knowledge, and Evaluate.
func TestGramKnowledge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	const d, n = 60, 50
	g := matrix.NewGram(wideTable("sparse", d, n, 5), n, 1)
	know := Knowledge{Required: [][2]int{{3, 9}, {9, 20}}, Forbidden: func(i, j int) bool { return i%5 == 0 && j%2 == 1 }, Prior: func(i, j int) float64 { return float64((i+j)%7) - 4 }}
	s := DefaultSettings()
	want := must.Get(Search(context.Background(), Problem{R: g.Dense(), N: n, Knowledge: know}, s, nil))
	p := Problem{Gram: g, N: n, Knowledge: know}
	got := must.Get(Search(context.Background(), p, s, nil))
	if !reflect.DeepEqual(got.Parents, want.Parents) || got.Score != want.Score {
		t.Errorf("score %v, want %v", got.Score, want.Score)
	}
	p.Knowledge = Knowledge{}
	scores, residual, err := Evaluate(p, s, got.Parents)
	must.Succeed(t, err)
	if len(residual) != d || math.IsNaN(scores.Unequal) {
		t.Errorf("scores %v", scores)
	}
	if p.R = g.Dense(); p.Validate() == nil {
		t.Error("a problem with R and Gram is valid")
	}
}

func BenchmarkGram(b *testing.B) {
	const d, n = 2000, 500
	s := DefaultSettings()
	s.Threads, s.Restarts = 2, 0
	for _, kind := range []string{"sparse", "blocks", "hubs"} {
		g := matrix.NewGram(wideTable(kind, d, n, 1), n, 2)
		for _, p := range []Problem{{R: g.Dense(), N: n}, {Gram: g, N: n}} {
			b.Run(fmt.Sprintf("%s/stored=%v", kind, p.R != nil), func(b *testing.B) {
				for b.Loop() {
					must.Get(Search(context.Background(), p, s, nil))
				}
			})
		}
	}
}
