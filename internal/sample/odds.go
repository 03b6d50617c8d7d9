package sample

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/polydag/polydag/search"
)

// priced adds a prior penalty per parent to a score.
type priced struct {
	search.Score
	edge float64 // -2·ln of the prior factor of an edge
}

// leastPrice keeps Price positive, as a search requires.
const leastPrice = 0.1

func (s priced) Price() float64 { return max(leastPrice, s.Score.Price()+s.edge) }

func (s priced) Evaluator() search.Evaluator {
	return priorEval{s.Score.Evaluator(), func(int, int) float64 { return s.edge }}
}

// WithOdds returns the score with the prior odds of every edge multiplied by factor.
func WithOdds(s search.Score, factor float64) search.Score { return priced{s, -2 * math.Log(factor)} }

// withPrior adds the prior costs of edges to a score.
type withPrior struct {
	search.Score
	cost func(x, v int) float64
}

// Equivalent is false: the prior distinguishes graphs of one class.
func (s withPrior) Equivalent() bool { return false }

func (s withPrior) Evaluator() search.Evaluator { return priorEval{s.Score.Evaluator(), s.cost} }

type priorEval struct {
	search.Evaluator
	cost func(x, v int) float64
}

func (e priorEval) sum(v int, parents []int) (sum float64) {
	for _, x := range parents {
		sum += e.cost(x, v)
	}
	return sum
}

func (e priorEval) Score(v int, parents []int) float64 {
	return e.Evaluator.Score(v, parents) + e.sum(v, parents)
}

func (e priorEval) Additions(dst []float64, v int, parents []int) {
	e.Evaluator.Additions(dst, v, parents)
	here := e.sum(v, parents)
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] += here + e.cost(x, v)
		}
	}
}

// WithPrior returns the score with the cost of each edge added, minus twice the logarithm of its prior odds. A nil cost changes nothing.
func WithPrior(s search.Score, cost func(x, v int) float64) search.Score {
	if cost == nil {
		return s
	}
	return withPrior{s, cost}
}

// oddsSteps is the number of steps of FitOdds. oddsPairs is the weight of the initial odds, in pairs of
// columns.
const (
	oddsSteps = 2
	oddsPairs = 10
)

// FitOdds fits the prior odds of an edge to the table by expectation maximization. Short chains sample graphs,
// and the odds become those at which a random DAG has the same expected number of edges. odds are the prior
// odds of p.Score. They have the weight of oddsPairs pairs of columns, which stabilizes tables with few
// columns.
//
// With prior knowledge, which fixes some pairs, it returns odds unchanged.
func FitOdds(ctx context.Context, p Problem, odds float64, s Settings) (float64, error) {
	d := p.Score.Variables()
	if d < 3 || p.Knowledge.Forbidden != nil || p.Knowledge.Tiers != nil || len(p.Knowledge.Required) > 0 {
		return odds, nil
	}
	s.Chains, s.Samples, s.Rounds, s.Candidates, s.steady = 2, 60, 0, min(s.Candidates, 10), true
	pairs := float64(d*(d-1)) / 2
	before := expectedEdges(d, odds)
	fitted := odds
	for range oddsSteps {
		own := p
		own.Score = WithOdds(p.Score, fitted/odds)
		found, err := Run(ctx, own, s, nil)
		if err != nil {
			return odds, err
		}
		if ctx.Err() != nil {
			return odds, context.Cause(ctx)
		}
		edges := 0.0
		for _, v := range found.Edge.Data {
			edges += v
		}
		fitted = oddsFor(d, (edges*pairs+before*oddsPairs)/(pairs+oddsPairs))
	}
	return fitted, nil
}

// mostOdds are even odds, where every DAG is equally likely.
const mostOdds = 1.0

// mostCounted is the largest number of variables for which DAGs are counted. Beyond that, the odds depend only
// on the mean number of neighbors, to 5 % from 30 to 40 variables. So they are computed for mostCounted
// variables and scaled.
const mostCounted = 30

// oddsFor returns the odds of an edge at which a DAG over d variables has the given expected number of edges,
// at most mostOdds, by bisection.
func oddsFor(d int, edges float64) float64 {
	if d > mostCounted {
		part := float64(mostCounted-1) / float64(d-1)
		return oddsFor(mostCounted, edges*mostCounted/float64(d)) * part
	}
	low, high := 1e-6, mostOdds
	for range 40 {
		if mid := math.Sqrt(low * high); expectedEdges(d, mid) < edges {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(low * high)
}

// expectedEdges returns the mean number of edges of a DAG over d variables if each DAG has the weight
// odds^edges. It is odds·(ln Z)', where Z(odds) is the sum of the weights, computed by the recursion over the k
// nodes without parents (Robinson 1973):
//
//	Z_n = Σ_k (-1)^(k+1) · C(n, k) · (1 + odds)^(k·(n-k)) · Z_(n-k).
//
// The sum alternates and loses digits, so it uses 256 bits; the tests compare it with 1024 bits.
func expectedEdges(d int, odds float64) float64 {
	if d > mostCounted {
		part := float64(d-1) / float64(mostCounted-1)
		return expectedEdges(mostCounted, odds*part) * float64(d) / mostCounted
	}
	const step = 1e-4
	return (logDAGs(d, odds*(1+step), 256) - logDAGs(d, odds/(1+step), 256)) / (2 * math.Log1p(step))
}

// logDAGs returns ln Z_d, computed with the given number of bits.
func logDAGs(d int, odds float64, bits uint) float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	z := []*big.Float{number(1)}
	powers := []*big.Float{number(1)} // powers of 1 + odds
	for len(powers) <= d*d/4 {
		powers = append(powers, number(1).Mul(powers[len(powers)-1], number(1+odds)))
	}
	for n := 1; n <= d; n++ {
		sum, choose := number(0), number(1)
		for k := 1; k <= n; k++ {
			choose.Mul(choose, number(float64(n-k+1)))
			choose.Quo(choose, number(float64(k)))
			term := number(1).Mul(choose, powers[k*(n-k)])
			term.Mul(term, z[n-k])
			if k%2 == 0 {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
		z = append(z, sum)
	}
	mantissa := new(big.Float)
	exponent := z[d].MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}
