package search

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestLocalBest compares the search over random tables with the enumeration of all DAGs. Without dynamic
// programming it finds the best of most; growing and shrinking fails on rough tables.
func TestLocalBest(t *testing.T) {
	missed, tables := 0, 0
	for d := 1; d <= 5; d++ {
		for seed := range uint64(12) {
			if d == 5 && seed >= 4 {
				break
			}
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			table := randomTable(d, rng)
			p := Problem{Score: table}
			if d > 1 && seed%3 == 2 {
				p.Knowledge = randomKnowledge(d, rng)
				if p.Validate() != nil { // more required parents than the table allows
					p.Knowledge.Required = nil
				}
			}
			want := table.enumerate(p.Knowledge)
			s := DefaultSettings()
			if res := mustLocal(t, p, s); math.Abs(res.Score-want) > 1e-9 || res.Status != Optimal {
				t.Errorf("d = %d, seed %d: exact score %v (%v), best is %v", d, seed, res.Score, res.Status, want)
			}
			s.Exact, s.Restarts = 0, 40
			tables++
			if res := mustLocal(t, p, s); res.Score < want-1e-9 {
				t.Errorf("d = %d, seed %d: score %v below the best of all, %v", d, seed, res.Score, want)
			} else if res.Score > want+1e-9 {
				missed++
			}
		}
	}
	t.Logf("40 rounds missed the best of %d of %d tables", missed, tables)
	if 5*missed > tables {
		t.Errorf("40 rounds missed the best of %d of %d tables", missed, tables)
	}
}

// oddScore modifies a table.
type oddScore struct {
	*tableScore
	change func(v int, parents []int, s float64) float64
}

func (o oddScore) Evaluator() Evaluator { return o }

func (o oddScore) Score(v int, parents []int) float64 {
	return o.change(v, parents, o.tableScore.Score(v, parents))
}

func (o oddScore) Additions(dst []float64, v int, parents []int) {
	AdditionsByScore(dst, o, v, parents)
}

// TestLocalNoNumbers checks that sets without a number as their score are never taken, however good their neighbours are.
func TestLocalNoNumbers(t *testing.T) {
	for _, odd := range []float64{math.NaN(), math.Inf(-1), math.Inf(1)} {
		for seed := range uint64(4) {
			score := oddScore{randomTable(6, rand.New(rand.NewPCG(seed, 9))), func(v int, parents []int, s float64) float64 {
				if len(parents) > 0 && parents[0]%2 == v%2 {
					return odd
				}
				return s
			}}
			for _, exact := range []int{0, 12} {
				s := DefaultSettings()
				s.Exact, s.Restarts = exact, 10
				res := mustLocal(t, Problem{Score: score}, s)
				if math.IsNaN(res.Score) || math.IsInf(res.Score, 0) {
					t.Errorf("%v, seed %d: total %v", odd, seed, res.Score)
				}
			}
		}
	}
}

// TestLocalPrefersOnlyInsideAClass checks that covered edges are reversed at the end only if that keeps the
// score.
func TestLocalPrefersOnlyInsideAClass(t *testing.T) {
	for _, d := range []int{5, 14} {
		for seed := range uint64(10) {
			p := Problem{Score: unequivalent{pairScore{randomSample(d, 2*d, 100, 0.5, seed).problem(), 5}}}
			s := DefaultSettings()
			s.Restarts = 3
			var last Progress
			res := must.Get(Search(context.Background(), p, s, func(pr Progress) { last = pr }))
			checkLocal(t, p, res)
			if res.Score > last.Score+1e-9*math.Abs(last.Score) {
				t.Errorf("d = %d, seed %d: the best score was %v and the result has %v", d, seed, last.Score, res.Score)
			}
		}
	}
}

// unequivalent charges for edges that lead to a variable of smaller number.
type unequivalent struct{ pairScore }

func (unequivalent) Equivalent() bool       { return false }
func (u unequivalent) Evaluator() Evaluator { return u }
func (u unequivalent) Score(v int, parents []int) float64 {
	s := u.pairScore.Score(v, parents)
	for _, p := range parents {
		if p > v {
			s += 3
		}
	}
	return s
}

func (u unequivalent) Additions(dst []float64, v int, parents []int) {
	AdditionsByScore(dst, u, v, parents)
}
