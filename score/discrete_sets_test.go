package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
)

// setsTable draws a table whose columns depend on their neighbours.
func setsTable(t *testing.T, rng *rand.Rand, n int, levels []int, o counts.Rows) *counts.Data {
	t.Helper()
	columns := make([][]int, len(levels))
	for v, r := range levels {
		columns[v] = make([]int, n)
		for i := range n {
			k := rng.IntN(r) * rng.IntN(2)
			if v > 0 && rng.IntN(3) > 0 {
				k = columns[v-1][i] % r
			}
			columns[v][i] = k
		}
	}
	return must.Get(counts.New(columns, o))
}

// Sums of sets give the same bits as one table of counts for each family, for scores, additions and removals in any order, with
// weights, targets and bootstrap samples, and after the cache was emptied.
func TestSetsAgainstFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	wide := make([]int, 64)
	for v := range wide {
		wide[v] = 2 + v%5
	}
	wide[3], wide[7], wide[9] = 20, counts.MostLevels+3, 1
	same, infinite := 0, 0
	for trial := range 24 {
		levels := wide
		if trial%6 == 5 {
			levels = []int{3, 2, 4, 3, 5, 2, 3} // narrow
		}
		n := []int{30, 500, 2500}[trial%3]
		o := counts.Rows{}
		if trial%4 == 1 {
			o.Weights = make([]uint32, n)
			for i := range n {
				o.Weights[i] = uint32(rng.IntN(3)) * uint32(1+trial%8)
			}
		}
		if trial%4 == 3 {
			o.Environments, o.Targets = make([]int, n), [][]int{{}, {0, 5}, {1}}
			for i := range n {
				o.Environments[i] = rng.IntN(3)
			}
		}
		s := DefaultDiscrete()
		if trial%5 == 4 {
			s.Criterion = BIC
		}
		s.Drawn = trial%7 == 3
		if trial%9 == 2 {
			s.Weight = 0.3
		}
		table := setsTable(t, rng, n, levels, o)
		fast := must.Get(NewDiscrete(table, s))
		slow := must.Get(NewDiscrete(table, s))
		slow.sets = nil
		if fast.sets == nil {
			t.Fatal("sums of sets are not used")
		}
		fast.sets.sums.Most = 5 * len(levels)
		e, f := fast.evaluator(), slow.evaluator()
		compare := func(what string, v int, parents []int, got, want float64) {
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("trial %d, %s of %d with %v: %v, want %v", trial, what, v, parents, got, want)
			}
			if same++; math.IsInf(got, 1) {
				infinite++
			}
		}
		a, b := make([]float64, len(levels)), make([]float64, len(levels))
		for range 20 {
			set := rng.Perm(min(10, len(levels)))[:1+rng.IntN(5)]
			v, parents := set[0], set[1:]
			slices.Sort(parents)
			if rng.IntN(2) == 0 {
				compare("score", v, parents, e.Score(v, parents), f.Score(v, parents))
			}
			e.Additions(a, v, parents)
			f.Additions(b, v, parents)
			for x := range a {
				compare("addition", v, parents, a[x], b[x])
			}
			compare("score", v, parents, e.Score(v, parents), f.Score(v, parents))
			e.Removals(a, v, parents)
			f.Removals(b, v, parents)
			for j := range parents {
				compare("removal", v, parents, a[j], b[j])
			}
		}
	}
	if same < 10000 || infinite < 500 {
		t.Errorf("%d values were compared, %d of them infinite", same, infinite)
	}
}

// The two evaluators of two goroutines share the sums, and binary tables and additive effects do not use them.
func TestSetsAreUsed(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	wide := make([]int, 70)
	for v := range wide {
		wide[v] = 3
	}
	d := must.Get(NewDiscrete(setsTable(t, rng, 300, wide, counts.Rows{}), DefaultDiscrete()))
	dst := make([]float64, len(wide))
	d.evaluator().Additions(dst, 4, []int{2, 9})
	e := d.evaluator()
	for _, v := range []int{2, 4, 9} {
		parents := slices.DeleteFunc([]int{2, 4, 9}, func(x int) bool { return x == v })
		if _, _, ok := e.knownSums(v, parents); ok != (v == 4) {
			t.Errorf("the sums of %d and %v are known: %v", v, parents, ok)
		}
		if family, _, _ := e.knownSums(v, parents); family == nil {
			t.Errorf("the sums of the family of %d are not known", v)
		}
	}
	two := setsTable(t, rng, 300, []int{2, 2, 2}, counts.Rows{})
	if d, _ := NewDiscrete(two, DefaultDiscrete()); d.sets != nil {
		t.Error("a binary table is counted by sets")
	}
	s := DefaultDiscrete()
	s.Tables = EitherTables
	if d, _ := NewDiscrete(setsTable(t, rng, 300, wide[:5], counts.Rows{}), s); d.sets != nil {
		t.Error("additive effects need the counts of the child")
	}
}
