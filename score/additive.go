package score

import (
	"math"

	"github.com/polydag/polydag/internal/counts"
)

// additive has the penalties of additive effects. With ℓ the maximized log-likelihood of the logit, the score of v with several
// parents is
//
//	-2ℓ(v | x₁ … xₖ) + p(v) + Σ_i p(v, x_i),
//
// where p(v) and p(v) + p(v, x) are what the score of the table without parents, and with one, exceed -2ℓ by. With one parent the
// logit is the full table, and so is this score. p(v, x) = p(x, v) because both scores of a pair and both likelihoods are the same.
type additive struct {
	raw  *terms    // c·ln c, without the correction for bootstrap samples
	none []float64 // p(v)
	pair []float64 // p(v, x) at v·d + x
	gain []float64 // the score gain of x as the only parent of v, at v·d + x
}

// choice is the cost of choosing between the full table and additive effects: one bit, on the scale of -2ℓ.
const choice = 2 * math.Ln2

// newAdditive counts all pairs: O(n·d²) at most.
func newAdditive(d *Discrete) *additive {
	vars := d.Variables()
	a := &additive{raw: d.plain, none: make([]float64, vars), pair: make([]float64, vars*vars), gain: make([]float64, vars*vars)}
	if d.s.Drawn {
		a.raw = newTerms(0, d.s.weight(), false, d.scale, len(d.plain.table)-1)
	}
	e := d.evaluator()
	with := make([]float64, vars)
	for v := range vars {
		cells, configs := e.counter.Family(v, nil)
		bare := e.full(v, nil)
		alone := 2 * float64(a.raw.sum(cells)-a.raw.sum(configs)) / d.scale
		a.none[v] = bare + alone
		e.Additions(with, v, nil) // d.additive is not set yet
		likelihoods := e.pairLikelihoods(a.raw, v)
		for x := range vars {
			if x == v {
				continue
			}
			p := with[x] - bare + likelihoods[x] - alone
			if math.IsInf(with[x], 1) {
				p = d.PairPrice(x, v)
			}
			a.pair[v*vars+x], a.gain[v*vars+x] = p, bare-with[x]
		}
	}
	return a
}

// pairLikelihoods returns twice the log-likelihood of v with each other column.
func (e *DiscreteEvaluator) pairLikelihoods(raw *terms, v int) []float64 {
	sums := make([]int64, e.d.Variables())
	e.counter.Extend(v, nil, func(y *counts.Tally) {
		r := len(y.Child)
		for x, n := range y.Levels {
			for ; len(n) > 0; n = n[r:] {
				sum := uint32(0)
				for _, c := range n[:r] {
					sums[x] += raw.of(c)
					sum += c
				}
				sums[x] -= raw.of(sum)
			}
		}
	})
	out := make([]float64, len(sums))
	for x, sum := range sums {
		if x != v && e.d.table.Levels(x) > counts.MostLevels {
			cells, configs := e.counter.Family(v, []int{x})
			sum = raw.sum(cells) - raw.sum(configs)
		}
		out[x] = 2 * float64(sum) / e.d.scale
	}
	return out
}

// better returns the score of a column from those of the full table and of additive effects.
func (d *Discrete) better(full, additive float64) float64 {
	if d.s.Tables == AdditiveTables {
		return additive
	}
	return min(full, additive) + choice
}

// Additive reports whether additive effects of these parents score better than a full table. It is false for fewer than two parents.
func (e *DiscreteEvaluator) Additive(v int, parents []int) bool {
	return e.d.additive != nil && len(parents) > 1 && (e.d.s.Tables == AdditiveTables || e.additive(v, parents) < e.full(v, parents))
}

// penalty returns the penalty of additive effects.
func (a *additive) penalty(v int, parents []int) float64 {
	p := a.none[v]
	for _, x := range parents {
		p += a.pair[v*len(a.none)+x]
	}
	return p
}
