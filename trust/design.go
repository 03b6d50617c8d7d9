package trust

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// curves is the number of curved functions of a column under smooth effects, and crossed how many of them have products with
	// those of other columns, as in internal/basis.
	curves, crossed = 7, 2
	// rowsPerFunction is the smallest number of rows per function for which products are fitted.
	rowsPerFunction = 10
)

// family returns the functions of the parents of a column. With products these include the products of the first curved functions of
// every two parents, if there are enough rows.
func (m Model) family(z *matrix.Dense[float64], parents []int) (functions [][]float64) {
	var first [][]float64
	for _, p := range parents {
		f := m.design(z, p)
		functions = append(functions, f...)
		if m.products && len(f) == 1+curves && !m.levels(p) {
			first = append(first, f[1:1+crossed]...)
		}
	}
	if count := len(first) * (len(first) - crossed) / 2; (len(functions)+count)*rowsPerFunction > z.Cols {
		return functions
	}
	for i, a := range first {
		for _, b := range first[(i/crossed+1)*crossed:] {
			product := make([]float64, len(a))
			for k, x := range a {
				product[k] = x * b[k]
			}
			centre(product)
			functions = append(functions, product)
		}
	}
	return functions
}

// design returns the functions of a column that the model uses for its effects, each over the rows of z and with mean 0: the column
// itself, curves of its ranks under smooth effects, and indicators of categories. Under discrete effects, which have interactions,
// these are the main effects.
func (m Model) design(z *matrix.Dense[float64], v int) [][]float64 {
	x := z.Row(v)
	levels := m.Effects == score.TableEffects || m.blocks() && m.categorical(v)
	switch {
	case levels:
		return indicators(x)
	case m.Effects == score.SmoothEffects, m.Effects == score.FlexibleEffects && !m.straightColumn(v):
		return append([][]float64{x}, bent(x)...)
	}
	return [][]float64{x}
}

// categorical reports whether the model treats column v as categorical.
func (m Model) categorical(v int) bool {
	return m.Kinds != nil && m.Kinds[v].Kind == kind.Categorical || m.Categories != nil && m.Categories[v]
}

// straight reports whether all effects are linear, so that Gaussian noise makes all columns Gaussian.
func (m Model) straight() bool { return m.Effects == "" || m.Effects == score.LinearEffects }

// blocks reports whether the model supports numeric and categorical columns.
func (m Model) blocks() bool {
	return m.Effects == score.MixedEffects || m.Effects == score.FlexibleEffects
}

// straightColumn reports whether a flexible model has no curves for column v.
func (m Model) straightColumn(v int) bool {
	return m.Straight != nil && m.Straight[v] || m.categorical(v)
}

// rescale transforms the standardized column z, which has the given mean and standard deviation, to the scale of column v and
// standardizes it again.
func (m Model) rescale(z []float64, v int, mean, std float64) {
	if m.Scales == nil || m.Scales[v] == dataset.RawScale || m.categorical(v) {
		return
	}
	if m.Scales[v] == dataset.LogScale {
		for i, x := range z {
			z[i] = math.Log(max(mean+std*x, math.SmallestNonzeroFloat64))
		}
	} else {
		scores := make([]float64, len(z))
		for ends, rows := range ties(z) {
			score := math.Sqrt2 * math.Erfinv(float64(ends)/float64(len(z))-1)
			for _, i := range rows {
				scores[i] = score
			}
		}
		copy(z, scores)
	}
	unit(z)
	vec.Scale(z, math.Sqrt(float64(len(z))), z)
}

// levels reports whether the model treats column v as categories, which have no Gaussian noise.
func (m Model) levels(v int) bool {
	return m.blocks() && (m.categorical(v) || m.Kinds != nil && m.Kinds[v].Kind == kind.Binary)
}

// indicators returns an indicator of each value of x except the smallest.
func indicators(x []float64) [][]float64 {
	values := slices.Clone(x)
	slices.Sort(values)
	values = slices.Compact(values)
	out := make([][]float64, 0, len(values))
	for _, value := range values[1:] {
		f := make([]float64, len(x))
		for i, v := range x {
			if v == value {
				f[i] = 1
			}
		}
		centre(f)
		out = append(out, f)
	}
	return out
}

// bent returns the curves of the ranks of x. Equal values share their mean rank.
func bent(x []float64) [][]float64 {
	out, at := make([][]float64, curves), make([]float64, curves)
	for k := range out {
		out[k] = make([]float64, len(x))
	}
	for ends, rows := range ties(x) {
		u := float64(ends) / 2 / float64(len(x))
		basis.Curves(at, u)
		for _, i := range rows {
			for k, f := range at {
				out[k][i] = f
			}
		}
	}
	for _, f := range out {
		centre(f)
	}
	return out
}

// ties returns the rows of each value of x, in the order of the values, with the sum of their first rank, from 0, and of the next rank.
func ties(x []float64) iter.Seq2[int, []int] {
	order := sorted(x)
	return func(yield func(int, []int) bool) {
		for lo, hi := 0, 0; lo < len(order); lo = hi {
			for hi = lo + 1; hi < len(order) && x[order[hi]] == x[order[lo]]; hi++ {
			}
			if !yield(lo+hi, order[lo:hi]) {
				return
			}
		}
	}
}

// sorted returns the rows of x in the order of the values, and of the rows for equal values. It sorts words that hold a value as
// order-preserving bits with the row in the lowest ones, because numbers sort several times as fast as pairs. Values that differ in
// these bits only are sorted afterwards.
func sorted(x []float64) []int {
	low := bits.Len(uint(len(x)))
	words, order := make([]uint64, len(x)), make([]int, len(x))
	for i, v := range x {
		b := math.Float64bits(v + 0) // -0 + 0 = 0
		if b>>63 != 0 {
			b = ^b
		} else {
			b |= 1 << 63
		}
		words[i] = b>>low<<low | uint64(i)
	}
	slices.Sort(words)
	for i, w := range words {
		row, at := int(w&(1<<low-1)), i
		for ; at > 0 && (x[row] < x[order[at-1]] || x[row] == x[order[at-1]] && row < order[at-1]); at-- {
			order[at] = order[at-1]
		}
		order[at] = row
	}
	return order
}

func centre(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
	}
}

// project subtracts from x its least-squares fit on the functions, which it overwrites, by modified Gram-Schmidt. It skips
// functions that the others determine. The cost is O(m·k²) for k functions of m rows.
func project(x []float64, functions [][]float64) {
	for i, f := range functions {
		before := vec.Dot(f, f)
		for _, g := range functions[:i] {
			without(f, g)
		}
		if left := vec.Dot(f, f); left > 1e-9*before {
			vec.Scale(f, 1/math.Sqrt(left), f)
			without(x, f)
		} else {
			clear(f)
		}
	}
}
