package scores

import (
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/score"
)

// A fit has the weights of the functions of v's parents, for each function of v.
type fit struct {
	t       *ScoredTable
	b       *score.Blocks
	v       int
	parents []int
	weights []map[int]float64
	curves  *score.Flexible // nil if the effects are linear
}

// fitted fits column v of the score to its parents: by least squares on the parents and the indicators of their levels, or with
// curves if these have the better score under the flexible model.
func (t *ScoredTable) fitted(b *score.Blocks, v int, parents []int) *fit {
	f := &fit{t: t, b: b, v: v, parents: parents}
	if s := t.flexibleScore(v); s != nil && s.Curved(v, parents) {
		f.curves = s
		weight := map[int]float64{}
		for _, w := range s.Weights(b, v, parents) {
			weight[w.Function] = w.W
		}
		f.weights = append(f.weights, weight)
		return f
	}
	var functions []int
	for _, p := range parents {
		for k := range linearFunctions(b, p) {
			functions = append(functions, b.Start[p]+k)
		}
	}
	var regression chol.Regression
	for k := range linearFunctions(b, v) {
		weight := make(map[int]float64, len(functions))
		chol.Regress(&regression, b.Gram.Data, b.Gram.Stride, b.Start[v]+k, functions)
		for i, w := range regression.Coefficients() {
			weight[functions[i]] = w
		}
		f.weights = append(f.weights, weight)
	}
	return f
}

// linearFunctions returns the number of functions of a variable that are not curves.
func linearFunctions(b *score.Blocks, v int) int {
	if b.Levels[v] {
		return b.Start[v+1] - b.Start[v]
	}
	return 1
}

// at returns the expectations of the functions of v if parent p has the value x. A numeric v is in its own units.
func (f *fit) at(p int, x float64) []float64 {
	b, t := f.b, f.t
	at := make([]float64, b.Start[p+1]-b.Start[p])
	t.Functions.At(at, t.Order[p], x)
	means := make([]float64, len(f.weights))
	for j, weight := range f.weights {
		means[j] = b.Mean[b.Start[f.v]+j]
		for k, value := range at {
			means[j] += weight[b.Start[p]+k] * (value - b.Mean[b.Start[p]+k])
		}
		for _, q := range f.parents {
			if f.curves != nil && q != p && f.curves.Products(p, q) {
				means[j] += t.together(f.curves, b, weight, p, q, at)
			}
		}
	}
	if !b.Levels[f.v] {
		means[0] = t.Functions.Back(t.Order[f.v], means[0])
	}
	return means
}

// bent reports whether the effect of parent p on v is nonlinear.
func (f *fit) bent(p int) bool {
	scaled := func(v int) bool {
		return !f.b.Levels[v] && f.t.Functions.Scale(f.t.Order[v]) != dataset.RawScale
	}
	return scaled(p) || scaled(f.v) || f.curves != nil && f.curves.Bent(p)
}

// slope returns the mean change of v per unit of parent p, both numeric. It is exact for a linear effect, and otherwise the mean
// between the 5 % and the 95 % quantile of the parent.
func (f *fit) slope(p int) float64 {
	if !f.bent(p) {
		return f.weights[0][f.b.Start[p]]
	}
	column := f.t.Order[p]
	low, high := f.t.Functions.Quantile(column, 0.05), f.t.Functions.Quantile(column, 0.95)
	if !(high > low) {
		low, high = f.t.Functions.Quantile(column, 0), f.t.Functions.Quantile(column, 1)
	}
	return Finite((f.at(p, high)[0] - f.at(p, low)[0]) / (high - low))
}
