package scores

import (
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// unevenShare is the share of the variance of the absolute residuals that functions of the parents must explain for the noise
	// to count as heteroscedastic, and unevenChance is the largest p-value.
	unevenShare  = 0.05
	unevenChance = 0.001
	// unevenColumns is the ratio of columns with curved effects to heteroscedastic ones below which all effects become linear.
	unevenColumns = 4
	// unevenCurves is the number of curves of each parent that the size of the noise may depend on.
	unevenCurves = 4
	// unevenRows limits the rows of the test.
	unevenRows = 2000
	// essentialGain is the gain per row, twice a log-likelihood, above which an effect without a linear part, or the curves of a smooth
	// model, are kept whatever the noise: without them twice the variance would be left.
	essentialGain = math.Ln2
)

// Uneven returns the columns of the score with curved effects and heteroscedastic noise: functions of the parents explain part of
// the absolute residuals. Such noise makes the regression in the reverse direction curved, so that a curve does not identify the
// direction. Both directions of such an edge are better modelled as linear.
//
// It returns nil without a sample, if the score has contexts, and for a smooth model of several groups of columns.
//
// If more than a quarter of the columns with curved effects are heteroscedastic, Uneven returns all columns. Columns with an essential
// curve of the flexible model are never returned, nor are its causes: y = x² + noise has no edge under linear effects.
func (t *ScoredTable) Uneven(parents [][]int) (columns []int) {
	if t.Functions == nil || t.In.Sample == nil || t.Contexts != nil {
		return nil
	}
	sample := largestEnvironment(t.In)
	d := len(t.In.Names())
	x := basis.Some(matrix.Of(len(sample.Values)/d, d, sample.Values), unevenRows)
	curved := 0
	kept := make([]bool, d)
	for v, set := range parents {
		f, ok := t.bentScore(v)
		if !ok || !f.Curved(v, set) {
			continue
		}
		curved++
		if smooth, ok := f.(*score.Smooth); ok && smooth.CurveGain(v, set) > essentialGain*float64(t.ownBlocks(v).N) {
			continue
		}
		if share, p := t.uneven(x, v, set); share > unevenShare && p < unevenChance {
			columns = append(columns, v)
		}
		flexible := t.flexibleScore(v)
		for _, p := range set {
			if flexible != nil && flexible.OnlyCurved(v, p, set) > essentialGain*float64(t.ownBlocks(v).N) {
				kept[v], kept[p] = true, true
			}
		}
	}
	if len(columns) > 1 && unevenColumns*len(columns) > curved {
		columns = columns[:0]
		for v := range t.Order {
			columns = append(columns, v)
		}
	}
	return slices.DeleteFunc(columns, func(v int) bool { return kept[v] })
}

// A bent score has curved effects.
type bent interface {
	Curved(v int, parents []int) bool
	Weights(b *score.Blocks, v int, parents []int) []score.Weight
}

// bentScore returns the score of v if it may have curved effects.
func (t *ScoredTable) bentScore(v int) (bent, bool) {
	if f := t.flexibleScore(v); f != nil {
		return f, true
	}
	smooth, ok := t.Score.(*score.Smooth)
	return smooth, ok
}

// uneven returns the share of the variance of the absolute residuals of column v that functions of its parents explain, and the
// p-value.
func (t *ScoredTable) uneven(x *matrix.Dense[float64], v int, parents []int) (share, p float64) {
	b := t.ownBlocks(v)
	f, _ := t.bentScore(v)
	weights := f.Weights(b, v, parents)
	start := t.Functions.Start()
	place := t.functionPlaces()
	wide := make([]float64, t.Functions.Size())
	// of lists the functions that may explain the size of the noise.
	var of []int
	for _, q := range parents {
		for k := range b.Start[q+1] - b.Start[q] {
			if b.Levels[q] || k <= unevenCurves {
				of = append(of, start[t.Order[q]]+k)
			}
		}
	}
	needed := []int{t.Order[v]}
	for _, q := range parents {
		needed = append(needed, t.Order[q])
	}
	k := len(of)
	n := x.Rows
	if k == 0 || n < 4*k {
		return 0, 1
	}
	columns := matrix.New[float64](k+1, n) // functions, then the absolute residuals
	mean := 0.0
	residuals := columns.Row(k)
	row := make([]float64, x.Cols)
	for i := range n {
		copy(row, x.Row(i))
		t.encode(row)
		if t.Functions.ExpandOf(wide, row, needed) != nil {
			return 0, 1
		}
		for j, at := range of {
			columns.Row(j)[i] = wide[at]
		}
		r := wide[start[t.Order[v]]]
		for _, w := range weights {
			r -= w.W * wide[place[w.Function]]
		}
		residuals[i] = r
		mean += r / float64(n)
	}
	for i := range residuals {
		residuals[i] = math.Abs(residuals[i] - mean)
	}
	for j := range k + 1 {
		c := columns.Row(j)
		m, s := 0.0, 0.0
		for _, a := range c {
			m += a / float64(n)
		}
		for i := range c {
			c[i] -= m
			s += c[i] * c[i]
		}
		if s > 0 {
			for i := range c {
				c[i] /= math.Sqrt(s)
			}
		}
	}
	gram := matrix.New[float64](k+1, k+1)
	matrix.MulTB(gram, columns, columns, 1)
	list := make([]int, k)
	for j := range list {
		list[j] = j
	}
	var g chol.Regression
	chol.Regress(&g, gram.Data, gram.Stride, k, list)
	explained := 1 - g.Left
	worth := float64(n) * t.In.Weight()
	free := float64(k) / float64(n) // share explained by chance
	return explained - free, independence.ChiSquared(worth*explained, float64(k))
}

// encode replaces the values of categorical columns in a row of the input by their codes.
func (t *ScoredTable) encode(row []float64) {
	if t.codes == nil {
		t.codes = make([]map[float64]int, len(row))
		for j, is := range t.Categories {
			if is {
				t.codes[j] = map[float64]int{}
				for k, v := range t.values[j] {
					t.codes[j][v] = k
				}
			}
		}
	}
	for j, m := range t.codes {
		if m != nil {
			row[j] = float64(m[row[j]])
		}
	}
}

// functionPlaces returns, for each function of blocks in the order of the score, its index in Functions.
func (t *ScoredTable) functionPlaces() []int {
	start := t.Functions.Start()
	var out []int
	for _, j := range t.Order {
		for f := start[j]; f < start[j+1]; f++ {
			out = append(out, f)
		}
	}
	if t.Model == Smooth { // in the order of the table
		for f := len(out); f < t.Functions.Size(); f++ {
			out = append(out, f)
		}
	}
	return append(out, t.products...)
}
