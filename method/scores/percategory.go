package scores

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

const (
	// cellPredictors bounds the numeric columns of a regression within a cell of categories, and cellRows the least rows per
	// coefficient of a cell.
	cellPredictors = 5
	cellRows       = 3
	// cellLoss is the largest share of the rows that may lie in cells with too few rows.
	cellLoss = 0.1
	// cellSample bounds the rows. With fewer than leastCellSample, the tests have little power.
	cellSample, leastCellSample = 5000, 1000
	// cellErrors is how many standard errors a Gaussian column may deviate in skewness, excess kurtosis and curvature.
	cellErrors = 4
)

// mixtures reports whether all columns that need the flexible model are linear and Gaussian once the categories are given, with slopes
// and variances per category. The mixed model fits such columns, although they are a mixture of Gaussians as a whole and look skewed,
// heavy-tailed or curved beside additive effects.
func mixtures(in *method.Input, forms []basis.Form, levels []bool) bool {
	sample, related := largestEnvironment(in), relatedColumns(in)
	x := basis.Some(matrix.Of(sample.Rows(), sample.Columns, sample.Values), cellSample)
	if x.Rows < leastCellSample {
		return false
	}
	discrete := make([]bool, len(levels))
	for j, is := range levels {
		discrete[j] = is || in.Kinds[j].Kind == kind.Binary
	}
	for j, f := range forms {
		need := f.Scale != dataset.RawScale && related(j) || !f.Straight
		if !discrete[j] && need && !gaussianWithin(x, j, discrete) {
			return false
		}
	}
	return true
}

// gaussianWithin reports whether column j is linear in the other numeric columns and Gaussian within the cells of some categorical
// columns. It adds one categorical column after the other while Σ n_c·log(variance in cell c) and the penalty of BIC decrease, and
// then tests the standardized residuals of all cells together.
func gaussianWithin(x *matrix.Dense[float64], j int, discrete []bool) bool {
	y := within{x: x, j: j, on: closestNumbers(x, j, discrete)}
	cells := make([]int, x.Rows)
	best, given := math.Inf(1), false
	for {
		var better []int
		for c, is := range discrete {
			if !is || c == j {
				continue
			}
			finer := refined(x, cells, c)
			if score := y.fit(finer); score < best {
				best, better = score, finer
			}
		}
		if better == nil {
			break
		}
		cells, given = better, true
	}
	return given && !math.IsInf(y.fit(cells), 1) && y.isGaussian()
}

// refined divides cells by the values of column c. Cells are numbered in the order of their first rows.
func refined(x *matrix.Dense[float64], cells []int, c int) []int {
	type part struct {
		cell  int
		value float64
	}
	index, out := map[part]int{}, make([]int, len(cells))
	for i, cell := range cells {
		p := part{cell, x.At(i, c)}
		k, ok := index[p]
		if !ok {
			k = len(index)
			index[p] = k
		}
		out[i] = k
	}
	return out
}

// closestNumbers returns the numeric columns with the largest correlation with column j.
func closestNumbers(x *matrix.Dense[float64], j int, discrete []bool) []int {
	z := func(v int) []float64 {
		column := make([]float64, x.Rows)
		for i := range column {
			column[i] = x.At(i, v)
		}
		scaled(column)
		return column
	}
	own, near, list := z(j), make([]float64, x.Cols), []int{}
	for v, is := range discrete {
		if !is && v != j {
			near[v], list = math.Abs(product(own, z(v))), append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	return list[:min(cellPredictors, len(list))]
}

// within regresses a column within cells.
type within struct {
	x  *matrix.Dense[float64]
	j  int
	on []int

	residuals, squares [][]float64 // by cell: the standardized residual, and the squares of each regressor one after the other
}

// fit regresses the column in each cell and returns the score, +Inf if too many rows lie in cells with too few rows.
func (w *within) fit(cells []int) (score float64) {
	rows := make([][]int, slices.Max(cells)+1)
	for i, c := range cells {
		rows[c] = append(rows[c], i)
	}
	w.residuals, w.squares = nil, nil
	lost, used, parameters := 0, 0, len(w.on)+2
	for _, list := range rows {
		n := len(list)
		if n < cellRows*parameters {
			lost += n
			continue
		}
		y := w.column(list, w.j)
		variance := scaled(y)
		var basis [][]float64
		var squares []float64
		for _, v := range w.on {
			b := w.column(list, v)
			scaled(b)
			for _, a := range basis {
				subtract(b, a)
			}
			if scaled(b) < 1e-9 {
				continue
			}
			basis = append(basis, b)
			for _, value := range b {
				squares = append(squares, value*value*float64(n)-1)
			}
		}
		for _, a := range basis {
			subtract(y, a)
		}
		variance *= max(1e-12, scaled(y)*float64(n))
		score += float64(n) * math.Log(max(variance, math.SmallestNonzeroFloat64))
		used += n
		score += float64(parameters) * math.Log(float64(len(cells)))
		for i := range y {
			y[i] *= math.Sqrt(float64(n))
		}
		w.residuals, w.squares = append(w.residuals, y), append(w.squares, squares)
	}
	if used == 0 || float64(lost) > cellLoss*float64(len(cells)) {
		return math.Inf(1)
	}
	return score * float64(len(cells)) / float64(used) // rows that were lost must not look like a better fit
}

func (w *within) column(rows []int, v int) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = w.x.At(r, v)
	}
	return out
}

// isGaussian tests the residuals of fit: their skewness and excess kurtosis, and their correlation with the square of each regressor.
func (w *within) isGaussian() bool {
	n, skew, tails := 0.0, 0.0, 0.0
	bend := make([]float64, len(w.on))
	for c, y := range w.residuals {
		for _, v := range y {
			n++
			skew += v * v * v
			tails += v*v*v*v - 3
		}
		for k := 0; (k+1)*len(y) <= len(w.squares[c]); k++ {
			bend[k] += product(y, w.squares[c][k*len(y):(k+1)*len(y)]) / math.Sqrt2
		}
	}
	limit := cellErrors * math.Sqrt(n)
	return math.Abs(skew) <= limit*math.Sqrt(6) && math.Abs(tails) <= limit*math.Sqrt(24) &&
		!slices.ContainsFunc(bend, func(b float64) bool { return math.Abs(b) > limit })
}

// scaled centres x, gives it length 1, and returns its variance before. A constant becomes 0.
func scaled(x []float64) (variance float64) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
	}
	variance = product(x, x) / float64(len(x))
	length := math.Sqrt(variance * float64(len(x)))
	for i := range x {
		if length > 0 {
			x[i] /= length
		}
	}
	return variance
}

// subtract removes from x its part along a, which has length 1.
func subtract(x, a []float64) {
	b := product(x, a)
	for i := range x {
		x[i] -= b * a[i]
	}
}

func product(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
