package search

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
)

// bruteForce returns the least score over all DAGs that k allows, by enumeration.
func bruteForce(p Problem, s Settings) float64 {
	d := p.R.Rows
	n := float64(p.N)
	penalty := s.EdgePenalty(p.N, d)
	required := make([]uint, d)
	for _, e := range p.Knowledge.Required {
		required[e[1]] |= 1 << e[0]
	}
	forbidden := make([]uint, d)
	for i := range d {
		for j := range d {
			if i == j || p.Knowledge.Forbidden != nil && p.Knowledge.Forbidden(i, j) ||
				p.Knowledge.Tiers != nil && p.Knowledge.Tiers[i] > p.Knowledge.Tiers[j] {
				forbidden[j] |= 1 << i
			}
		}
	}
	type choice struct {
		set      uint
		residual float64
		prior    float64
	}
	choices := make([][]choice, d)
	for v := range d {
		for set := range uint(1) << d {
			if set&forbidden[v] != 0 || set&required[v] != required[v] {
				continue
			}
			var parents []int
			for x := range d {
				if set>>x&1 != 0 {
					parents = append(parents, x)
				}
			}
			choices[v] = append(choices[v], choice{set, residualByRegression(p.R, v, parents), priorOf(p.Knowledge, v, parents)})
		}
	}
	best := math.Inf(1)
	sets := make([]uint, d)
	var walk func(v int, sum, prior float64, edges int)
	walk = func(v int, sum, prior float64, edges int) {
		if v == d {
			score := n*sum + penalty*float64(edges) + prior
			if s.Variance == Equal {
				score = n*float64(d)*math.Log(sum/float64(d)) + penalty*float64(edges) + prior
			}
			if score < best && acyclicSets(sets) {
				best = score
			}
			return
		}
		for _, c := range choices[v] {
			sets[v] = c.set
			part := math.Log(c.residual)
			if s.Variance == Equal {
				part = p.Scale[v] * p.Scale[v] * c.residual
			}
			walk(v+1, sum+part, prior+c.prior, edges+bits.OnesCount(c.set))
		}
	}
	walk(0, 0, 0, 0)
	return best
}

// priorOf returns the prior cost of the parents of v.
func priorOf(k Knowledge, v int, parents []int) (sum float64) {
	if k.Prior != nil {
		for _, x := range parents {
			sum += k.Prior(x, v)
		}
	}
	return sum
}

// randomPrior draws costs of about a third of the edges, some of which exceed the penalty.
func randomPrior(d int, rng *rand.Rand) func(i, j int) float64 {
	costs := make([]float64, d*d)
	for i := range costs {
		if rng.IntN(3) == 0 {
			costs[i] = 8 * rng.NormFloat64()
		}
	}
	return func(i, j int) float64 { return costs[i*d+j] }
}

func acyclicSets(parents []uint) bool {
	left := uint(1)<<len(parents) - 1
	for left != 0 {
		before := left
		for v, set := range parents {
			if left>>v&1 != 0 && set&left == 0 {
				left &^= 1 << v
			}
		}
		if left == before {
			return false
		}
	}
	return true
}

// randomKnowledge draws rules that a random order satisfies.
func randomKnowledge(d int, rng *rand.Rand) Knowledge {
	order := rng.Perm(d)
	pos := make([]int, d)
	for i, v := range order {
		pos[v] = i
	}
	var k Knowledge
	forbid := make([]bool, d*d)
	for i := range forbid {
		forbid[i] = rng.Float64() < 0.15
	}
	k.Forbidden = func(i, j int) bool { return forbid[i*d+j] }
	if rng.IntN(2) == 0 {
		k.Tiers = make([]int, d)
		for v := range d {
			k.Tiers[v] = 7 * (pos[v] / 3)
		}
	}
	for range rng.IntN(3) {
		i := rng.IntN(d - 1)
		e := [2]int{order[i], order[i+1+rng.IntN(d-1-i)]}
		forbid[e[0]*d+e[1]] = false
		k.Required = append(k.Required, e)
	}
	return k
}

// TestBest compares Search with the enumeration of all DAGs. One descent may miss the best
// one now and then; with restarts it must be found.
func TestBest(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for _, variance := range []Variance{Unequal, Equal} {
		for _, known := range []string{"none", "rules", "prior", "both"} {
			t.Run(fmt.Sprintf("%v/knowledge=%v", variance, known), func(t *testing.T) {
				seeds, missed := 0, 0
				for d := 1; d <= 5; d++ {
					for seed := range uint64(12) {
						if d == 5 && seed >= 4 {
							break
						}
						rng := rand.New(rand.NewPCG(seed, uint64(d)))
						n := 20 + rng.IntN(300)
						sm := randomSample(d, d*(d-1)*3/8, n, 0.2+0.8*rng.Float64(), 100*seed+uint64(d))
						p := sm.problem()
						if d > 1 && (known == "rules" || known == "both") {
							p.Knowledge = randomKnowledge(d, rng)
						}
						if known == "prior" || known == "both" {
							p.Knowledge.Prior = randomPrior(d, rng)
						}
						s := DefaultSettings()
						s.Variance = variance
						want := bruteForce(p, s)
						if res := mustSearch(t, p, s); math.Abs(res.Score-want) > 1e-7*math.Abs(want) || res.Status != Optimal {
							t.Errorf("d = %d, seed %d: exact score %v (%v), best is %v", d, seed, res.Score, res.Status, want)
						}
						s.Exact = 0
						s.Restarts = 0
						one := mustSearch(t, p, s)
						s.Restarts = 30
						many := mustSearch(t, p, s)
						tol := 1e-7 * math.Abs(want)
						if math.Abs(many.Score-want) > tol {
							t.Errorf("d = %d, seed %d: score %v with %d restarts, best is %v", d, seed, many.Score, s.Restarts, want)
						}
						if one.Score < want-tol {
							t.Errorf("d = %d, seed %d: score %v below the best of all, %v", d, seed, one.Score, want)
						}
						seeds++
						if one.Score > want+tol {
							missed++
						}
					}
				}
				if 10*missed > seeds {
					t.Errorf("one descent missed the best graph %d of %d times", missed, seeds)
				}
				t.Logf("one descent missed %d of %d", missed, seeds)
			})
		}
	}
}

// mustSearch runs a search and checks what every result must satisfy.
func mustSearch(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	res := must.Get(Search(context.Background(), p, s, nil))
	checkResult(t, p, s, res)
	return res
}

// checkResult checks a result against its problem: the order is topological, knowledge is satisfied, and the
// score equals that of separate regressions.
func checkResult(t *testing.T, p Problem, s Settings, res *Result) {
	t.Helper()
	d := p.R.Rows
	if err := p.Knowledge.checkOrder(res.Order, d); err != nil {
		t.Fatalf("order of the result: %v", err)
	}
	pos := make([]int, d)
	for i, v := range res.Order {
		pos[v] = i
	}
	edge := make(map[[2]int]bool)
	logs, sum := 0.0, 0.0
	for v, parents := range res.Parents {
		for _, q := range parents {
			if pos[q] >= pos[v] {
				t.Fatalf("edge %d → %d against the order", q, v)
			}
			if k := p.Knowledge; k.Forbidden != nil && k.Forbidden(q, v) || k.Tiers != nil && k.Tiers[q] > k.Tiers[v] {
				t.Fatalf("edge %d → %d is forbidden", q, v)
			}
			edge[[2]int{q, v}] = true
		}
		residual := max(residualByRegression(p.R, v, parents), chol.Determined)
		logs += math.Log(residual)
		if p.Scale != nil {
			sum += p.Scale[v] * p.Scale[v] * residual
		}
	}
	for _, e := range p.Knowledge.Required {
		if !edge[e] {
			t.Fatalf("required edge %d → %d is missing", e[0], e[1])
		}
	}
	if len(edge) != res.Edges {
		t.Fatalf("Edges = %d, counted %d", res.Edges, len(edge))
	}
	n := float64(p.N)
	prior := 0.0
	for v, parents := range res.Parents {
		prior += priorOf(p.Knowledge, v, parents)
	}
	want := n*logs + res.Penalty*float64(res.Edges) + prior
	if s.Variance == Equal {
		want = n*float64(d)*math.Log(sum/float64(d)) + res.Penalty*float64(res.Edges) + prior
	}
	if !(math.Abs(res.Score-want) <= 1e-7*max(n, math.Abs(want))) {
		t.Fatalf("Score = %v, from scratch %v", res.Score, want)
	}
}
