package search

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
)

// tableScore is a local score with no data behind it: any number for any set of at most most parents.
type tableScore struct {
	d, most int
	table   [][]float64 // by variable and set
	price   float64
	calls   *atomic.Int64
	ask     func() // if not nil, called at every evaluation
}

// randomTable draws scores between 0 and 20 for the sets of d variables. Half of them are unstructured; the
// others are sums over the parents with a little noise, as for real data.
func randomTable(d int, rng *rand.Rand) *tableScore {
	s := &tableScore{d: d, most: 1 + rng.IntN(d), price: 0.5 + 4*rng.Float64(), calls: &atomic.Int64{}}
	rough := rng.IntN(2) == 0
	for range d {
		row := make([]float64, 1<<d)
		gain := make([]float64, d)
		for x := range gain {
			gain[x] = 10*rng.Float64() - 3
		}
		for set := range row {
			row[set] = 20 * rng.Float64()
			if !rough {
				row[set] /= 20
				for rest := uint(set); rest != 0; rest &= rest - 1 {
					row[set] -= gain[bits.TrailingZeros(rest)]
				}
			}
			if bits.OnesCount(uint(set)) > s.most {
				row[set] = math.Inf(1)
			}
		}
		s.table = append(s.table, row)
	}
	return s
}

func (s *tableScore) Variables() int       { return s.d }
func (s *tableScore) Price() float64       { return s.price }
func (s *tableScore) Equivalent() bool     { return false }
func (s *tableScore) Evaluator() Evaluator { return s }

func (s *tableScore) Score(v int, parents []int) float64 {
	s.calls.Add(1)
	if s.ask != nil {
		s.ask()
	}
	set := 0
	for _, p := range parents {
		set |= 1 << p
	}
	return s.table[v][set]
}

func (s *tableScore) Additions(dst []float64, v int, parents []int) {
	AdditionsByScore(dst, s, v, parents)
}

// enumerate returns the least total over all DAGs that k allows.
func (s *tableScore) enumerate(k Knowledge) float64 {
	best := math.Inf(1)
	sets := make([]uint, s.d)
	rules := k.compile(s.d)
	var walk func(v int, sum float64)
	walk = func(v int, sum float64) {
		if v == s.d {
			if sum < best && acyclicSets(sets) {
				best = sum
			}
			return
		}
	next:
		for set := range uint(1) << s.d {
			if set>>v&1 != 0 {
				continue
			}
			for x := range int32(s.d) {
				if in := set>>x&1 != 0; in && rules.isForbidden(x, int32(v)) || !in && rules.isRequired(x, int32(v)) {
					continue next
				}
			}
			sets[v] = set
			walk(v+1, sum+s.table[v][set])
		}
	}
	walk(0, 0)
	return best
}

// checkLocal checks what every result with a score must satisfy.
func checkLocal(t *testing.T, p Problem, res *Result) {
	t.Helper()
	if err := p.Knowledge.checkOrder(res.Order, p.Score.Variables()); err != nil {
		t.Fatalf("order of the result: %v", err)
	}
	eval := p.Score.Evaluator()
	sum, edges := 0.0, 0
	rules := p.Knowledge.compile(p.Score.Variables())
	for v, parents := range res.Parents {
		for _, q := range parents {
			if slices.Index(res.Order, q) >= slices.Index(res.Order, v) || rules.isForbidden(int32(q), int32(v)) {
				t.Fatalf("edge %d → %d against the order, or forbidden", q, v)
			}
		}
		for _, q := range rules.requiredOf(int32(v)) {
			if !slices.Contains(parents, int(q)) {
				t.Fatalf("required edge %d → %d is missing", q, v)
			}
		}
		sum += eval.Score(v, parents)
		edges += len(parents)
	}
	if sum != res.Score || edges != res.Edges || res.Penalty != p.Score.Price() || res.Residual != nil || res.Scores != (Scores{}) {
		t.Fatalf("score %v, %d edges, price %v; the graph has %v and %d, and the price is %v", res.Score, res.Edges, res.Penalty, sum, edges, p.Score.Price())
	}
}

func mustLocal(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	res := must.Get(Search(context.Background(), p, s, nil))
	checkLocal(t, p, res)
	return res
}

// pairScore is a score of correlations: the nodes of the engine with a penalty.
type pairScore struct {
	p     Problem
	price float64
}

func (s pairScore) Variables() int       { return s.p.R.Rows }
func (s pairScore) Price() float64       { return s.price }
func (s pairScore) Equivalent() bool     { return true }
func (s pairScore) Evaluator() Evaluator { return s }

func (s pairScore) Score(v int, parents []int) float64 {
	if len(parents) > (s.p.N-2)/2 {
		return math.Inf(1)
	}
	return float64(s.p.N)*(1+math.Log(max(chol.Determined, residualByRegression(s.p.R, v, parents)))) + s.price*float64(len(parents))
}

func (s pairScore) Additions(dst []float64, v int, parents []int) {
	AdditionsByScore(dst, s, v, parents)
}

func localProblem(d int, seed uint64) Problem {
	p := Problem{Score: pairScore{randomSample(d, 2*d, 200, 0.7, seed).problem(), 8}}
	p.Knowledge = randomKnowledge(d, rand.New(rand.NewPCG(seed, 3)))
	return p
}
