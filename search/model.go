package search

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
)

// The engine minimizes a sum over variables of loss(v, parents) + charge·|parents|. Three losses are in use, with s the residual
// variance of v given its parents, in units of its own variance.
//
//	unequal variances   loss = n·ln s      (twice the negative log-likelihood, profiled)
//	equal variances     loss = scale²·s    (with another penalty; equal.go)
//	a Score             loss = Score, which includes price·|parents|, so that charge = penalty - price
//
// The value of another parent x is stored as a key: a number that increases with the gain but needs no logarithm. The gain does not
// include the penalty of the parent. With c the partial covariance of v and x given the parents, and var the partial variance of x,
//
//	unequal   key = c²/(var·s), the squared partial correlation;   gain = -n·ln(1 - key)
//	equal     key = scale²·c²/var;                                 gain = key
//	a Score   key = Score(parents) - Score(parents + x) + price;   gain = key

// general marks a model with the caller's Score.
const general Variance = -1

type model struct {
	variance Variance
	n        float64
	scale2   []float64 // equal only: squared standard deviations, over the least of them

	// price and the following fields belong to a Score: its penalty per edge, its value for each variable without parents, and the
	// magnitude of these.
	price float64
	bare  []float64
	size  float64
}

func newModel(p Problem, variance Variance) model {
	if p.Score != nil {
		return scoreModel(p.Score)
	}
	m := model{variance: variance, n: float64(p.N)}
	if variance == Equal {
		unit := slices.Min(p.Scale)
		for _, s := range p.Scale {
			m.scale2 = append(m.scale2, (s/unit)*(s/unit))
		}
	}
	return m
}

// unit is the magnitude of a loss, for tolerances.
func (m *model) unit() float64 {
	switch m.variance {
	case Equal:
		return 1
	case general:
		return m.size
	}
	return m.n
}

// margin is the smallest improvement that counts: more than rounding.
func (m *model) margin() float64 {
	if m.variance == general {
		return 1e-9 * m.size
	}
	return 1e-9 * m.n
}

func (m *model) loss(v int32, s float64) float64 {
	s = max(s, chol.Determined)
	if m.variance == Equal {
		return m.scale2[v] * s
	}
	return m.n * math.Log(s)
}

// key returns the key of a parent that reduces the residual variance s by q = c²/var.
func (m *model) key(v int32, q, s float64) float64 {
	q = min(q, s-chol.Determined)
	if m.variance == Equal {
		return m.scale2[v] * q
	}
	return q / s
}

func (m *model) gain(key float64) float64 {
	if m.variance != Unequal {
		return key
	}
	return -m.n * math.Log(1-key)
}

// dropKey is the key of a removal: it increases with the loss when the residual variance rises from s by rise.
func (m *model) dropKey(v int32, rise, s float64) float64 {
	if m.variance == Equal {
		return m.scale2[v] * rise
	}
	return rise / max(s, chol.Determined)
}

// dropThreshold returns the dropKey whose loss is penalty.
func (m *model) dropThreshold(penalty float64) float64 {
	if m.variance != Unequal {
		return penalty
	}
	return math.Expm1(penalty / m.n)
}

// dropLoss returns the loss of a dropKey.
func (m *model) dropLoss(key float64) float64 {
	if m.variance != Unequal {
		return key
	}
	return m.n * math.Log1p(key)
}

// threshold returns the key whose gain is penalty.
func (m *model) threshold(penalty float64) float64 {
	if m.variance != Unequal {
		return penalty
	}
	return -math.Expm1(-penalty / m.n)
}

// screen returns t such that key > threshold exactly when c² > t·var.
func (m *model) screen(v int32, s, threshold float64) float64 {
	if m.variance == Equal {
		return threshold / m.scale2[v]
	}
	return threshold * s
}

// Scores compares one graph under both models of the noise on the scale of twice the negative log-likelihood; the constant n·d·(1 +
// ln 2π) is omitted from both, so the smaller one is better. With p the edge penalty and E the edges,
//
//	Unequal = n·Σ_v ln(scale_v²·s_v)               + p·E + d·ln n
//	Equal   = n·d·ln((1/d)·Σ_v scale_v²·s_v)       + p·E + ln n
//
// Without Problem.Scale the units are those of the standardized variables.
type Scores struct{ Unequal, Equal float64 }

// Evaluate returns the scores of a graph, with parents as in Result, and the residual variances as shares of each variable's
// variance. The penalty comes from s. It is for correlations only.
func Evaluate(p Problem, s Settings, parents [][]int) (Scores, []float64, error) {
	if p.Score != nil {
		return Scores{}, nil, errors.New("Evaluate is for correlations; ask Problem.Score itself")
	}
	if err := errors.Join(p.Validate(), s.Validate()); err != nil {
		return Scores{}, nil, err
	}
	d := p.Len()
	if len(parents) != d {
		return Scores{}, nil, fmt.Errorf("parents of %d variables for %d", len(parents), d)
	}
	sets := make([][]int32, d)
	for v, ps := range parents {
		for _, q := range ps {
			if q < 0 || q >= d || q == v {
				return Scores{}, nil, fmt.Errorf("parent %d of variable %d, want another variable of 0..%d", q, v, d-1)
			}
			sets[v] = append(sets[v], int32(q))
		}
		slices.Sort(sets[v])
		sets[v] = slices.Compact(sets[v])
	}
	if len(topological(sets, nil)) < d {
		return Scores{}, nil, errors.New("the parents form a cycle")
	}
	w := newWorker(&engine{}, p)
	residual := make([]float64, d)
	edges := 0
	for v, set := range sets {
		residual[v] = max(w.factor(int32(v), unsigned(set)), chol.Determined)
		edges += len(set)
	}
	return Compare(p, residual, edges, s.EdgePenalty(p.N, d)), residual, nil
}

// Compare returns the scores of a graph with these residual variances, as shares of each variable's variance, and this many edges.
func Compare(p Problem, residual []float64, edges int, penalty float64) Scores {
	n, d := float64(p.N), float64(len(residual))
	logs, sum := 0.0, 0.0
	for v, s := range residual {
		if p.Scale != nil {
			s *= p.Scale[v] * p.Scale[v]
		}
		logs += math.Log(s)
		sum += s
	}
	price := penalty * float64(edges)
	return Scores{
		Unequal: n*logs + price + d*math.Log(n),
		Equal:   n*d*math.Log(sum/d) + price + math.Log(n),
	}
}
