package scores

import (
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// curves describes the effects of the parents of v under a smooth model: the mean of v if parent p has the value x and all else is
// as in the table,
//
//	mean(v) + Σ_k w_pk·(φ_k(x) - mean φ_k) + Σ_q Σ_kl w_pq,kl·(φ_k(x)·mean φ_l - mean φ_kφ_l),
//
// with the weights of the best fit under the score.
func (t *ScoredTable) curves(v int, parents []int) map[int]*method.Effect {
	out := make(map[int]*method.Effect, len(parents))
	b := t.ownBlocks(v)
	s, ok := t.Score.(*score.Smooth)
	if !ok || len(parents) == 0 || b == nil {
		return out
	}
	weight := make(map[int]float64)
	for _, w := range s.Weights(b, v, parents) {
		weight[w.Function] = w.W
	}
	for _, p := range parents {
		column := t.Order[p]
		at := make([]float64, b.Start[p+1]-b.Start[p])
		e := t.curve(column)
		for _, x := range e.X {
			t.Functions.At(at, column, x)
			y := b.Mean[b.Start[v]]
			for k, value := range at {
				y += weight[b.Start[p]+k] * (value - b.Mean[b.Start[p]+k])
			}
			for _, q := range parents {
				if q != p && b.Crossed > 0 {
					y += t.together(s, b, weight, p, q, at)
				}
			}
			e.Y = append(e.Y, method.RoundEffect(y))
		}
		out[p] = e.orNil()
	}
	return out
}

// together returns the contribution of the products of p and q if the functions of p have the given values, averaged over q.
func (t *ScoredTable) together(s interface{ Pair(a, b int) int }, b *score.Blocks, weight map[int]float64, p, q int, at []float64) (sum float64) {
	first := s.Pair(p, q)
	for k := range b.Crossed {
		for l := range b.Crossed {
			f := first + k*b.Crossed + l
			if p > q {
				f = first + l*b.Crossed + k
			}
			sum += weight[f] * (t.Functions.Factor(t.Order[p], k, at)*t.Functions.Factor(t.Order[q], l, b.Mean[b.Start[q]:]) - b.Mean[f])
		}
	}
	return sum
}

// curve returns an effect without its y values: values of a column of the input, and the range of the central 90 % of the rows.
func (t *ScoredTable) curve(column int) described {
	low, high := t.Functions.Quantile(column, 0.05), t.Functions.Quantile(column, 0.95)
	return described{&method.Effect{Form: method.EffectCurve, X: t.Functions.Range(column, method.MostEffectPoints, low, high), Low: &low, High: &high}}
}

// described is an effect that is not yet complete.
type described struct{ *method.Effect }

// orNil returns nil for an effect with values beyond float64 or a curve of less than two points.
func (e described) orNil() *method.Effect {
	if e.Check() != nil {
		return nil
	}
	return e.Effect
}
