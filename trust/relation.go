package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
)

// A relation is a linear combination of columns that is nearly the same in every row:
//
//	Σ coef·x = constant + remainder.
type relation struct {
	columns  []int     // columns of the moments, ascending
	coef     []float64 // in units of the data
	left     int       // the column that the formula is solved for
	constant float64
	// remainder is the standard deviation of the remainder in units of coef·x, and share its variance divided by that of the term
	// of the left column.
	remainder, share float64
	whole            bool // the coefficients are whole numbers
}

// newRelation converts standardized coefficients, with either sign and any scale, to units of the data, and to whole numbers if
// those fit as well.
func (e *examination) newRelation(columns []int, standardized []float64) relation {
	r := relation{columns: columns, coef: make([]float64, len(columns))}
	for k, j := range columns {
		if math.Abs(standardized[k]) > math.Abs(standardized[r.left]) {
			r.left = k
		}
		r.coef[k] = standardized[k] / e.std[j]
	}
	r.rescale(1 / r.coef[r.left])
	e.measure(&r)
	limit := max(1.5*r.share, chol.Determined)
	smallest := slices.MinFunc(r.coef, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	const largest = 100 // a larger whole number is not meaningful
	for _, by := range []float64{1, 1 / smallest} {
		w := r
		w.coef, w.whole = slices.Clone(r.coef), true
		w.rescale(by)
		for k, c := range w.coef {
			// A tolerance of 1 % allows for coefficients that were fitted to rounded values; the remainder decides.
			w.coef[k] = snap(c, 0.01*min(1, math.Abs(c)))
			w.whole = w.whole && w.coef[k] != 0 && math.Abs(w.coef[k]) <= largest && w.coef[k] == math.Trunc(w.coef[k])
		}
		if !w.whole {
			continue
		}
		if e.measure(&w); w.share <= limit {
			r = w
			break
		}
	}
	r.solveForOddOneOut()
	e.measure(&r)
	r.constant = snap(r.constant, max(r.remainder, 1e-9*math.Abs(r.constant), 1e-9*e.std[columns[r.left]]))
	return r
}

func (r *relation) rescale(by float64) {
	for k := range r.coef {
		r.coef[k] *= by
	}
}

// solveForOddOneOut chooses as the left column the only one with a different sign, as in total = a + b + c, and makes its
// coefficient positive.
func (r *relation) solveForOddOneOut() {
	var positive, negative []int
	for k, c := range r.coef {
		if c > 0 {
			positive = append(positive, k)
		} else {
			negative = append(negative, k)
		}
	}
	switch {
	case len(r.coef) < 3 || !r.whole:
	case len(positive) == 1:
		r.left = positive[0]
	case len(negative) == 1:
		r.left = negative[0]
	}
	if r.coef[r.left] < 0 {
		r.rescale(-1)
	}
}

// measure computes the constant and the remainder from the moments: the variance of Σ coef·x is coefᵀ·S·coef.
func (e *examination) measure(r *relation) {
	n := float64(e.m.N)
	square := 0.0
	r.constant = 0
	for a, i := range r.columns {
		r.constant += r.coef[a] * e.m.Mean[i]
		for b, j := range r.columns {
			square += r.coef[a] * r.coef[b] * (e.m.At(i, j) / n)
		}
	}
	square = max(square, 0)
	r.remainder = math.Sqrt(square)
	of := r.coef[r.left] * e.std[r.columns[r.left]]
	r.share = square / (of * of)
}

// formula formats the relation: as a sum if all coefficients are equal, otherwise solved for the left column.
func (r *relation) formula(name func(j int) string) string {
	const most, mostEqual = 5, 10 // terms; more are counted
	terms := make([]term, 0, len(r.columns))
	alike := true
	for k, j := range r.columns {
		alike = alike && math.Abs(r.coef[k]-r.coef[0]) <= 1e-6*math.Abs(r.coef[0])
		terms = append(terms, term{r.coef[k], name(j)})
	}
	if alike && len(terms) > 2 {
		for k := range terms {
			terms[k].coef = 1
		}
		constant := number(snap(r.constant/r.coef[0], 1e-6), 4)
		if len(terms) > mostEqual {
			return fmt.Sprintf("the sum of the %d columns %s, …, %s = %s", len(terms), combination(terms[:3], 0, 4), terms[len(terms)-1].name, constant)
		}
		return combination(terms, 0, 4) + " = " + constant
	}
	left := terms[r.left]
	right := slices.Delete(slices.Clone(terms), r.left, r.left+1)
	for k := range right {
		right[k].coef = -right[k].coef
	}
	cut := ""
	constant := r.constant
	if len(right) > most {
		cut, constant = fmt.Sprintf(" + … (%d more)", len(right)-most), 0
		right = right[:most]
	}
	return combination([]term{left}, 0, 4) + " = " + combination(right, constant, 4) + cut
}

// explain returns few columns of on that leave at most limit of the variance of j, by greedy forward selection followed by backward
// elimination. It returns nil if more than most are needed. r is a correlation matrix. The cost is O(d·k² + k⁴) for k selected
// columns.
func explain(r *matrix.Dense[float64], j int, on []int, limit float64) []int {
	const most = 100
	chosen := forward(r, j, on, limit, most)
	for len(chosen) > 1 {
		// The share without column k is the full share plus β_k²/Θ_kk.
		theta := inverse(submatrix(r, chosen))
		beta := make([]float64, len(chosen))
		share := 1.0
		for a := range chosen {
			for b, k := range chosen {
				beta[a] += theta.At(a, b) * r.At(k, j)
			}
			share -= beta[a] * r.At(chosen[a], j)
		}
		least, cost := -1, math.Inf(1)
		for a := range chosen {
			if c := beta[a] * beta[a] / theta.At(a, a); c < cost {
				least, cost = a, c
			}
		}
		if share+cost > limit {
			break
		}
		chosen = slices.Delete(chosen, least, least+1)
	}
	return chosen
}

// forward adds the column that explains most of the residual of j, by a Cholesky factorization with that pivot.
func forward(r *matrix.Dense[float64], j int, on []int, limit float64, most int) []int {
	type state struct{ variance, with float64 } // residual variance of a column, and its covariance with the residual of j
	left := make([]state, len(on))
	for k, i := range on {
		left[k] = state{1, r.At(i, j)}
	}
	rows := make([][]float64, 0, most) // rows of the factor; entry k belongs to on[k]
	var chosen []int
	share := 1.0
	taken := make([]bool, len(on))
	for share > limit {
		best, gain := -1, 0.0
		for k, s := range left {
			if g := s.with * s.with / s.variance; !taken[k] && s.variance > chol.Determined && g > gain {
				best, gain = k, g
			}
		}
		if best < 0 || len(chosen) == most {
			return nil
		}
		root := math.Sqrt(left[best].variance)
		row := make([]float64, len(on))
		target := left[best].with / root
		for k, i := range on {
			if taken[k] {
				continue
			}
			v := r.At(on[best], i)
			for _, earlier := range rows {
				v -= earlier[best] * earlier[k]
			}
			row[k] = v / root
			left[k].variance -= row[k] * row[k]
			left[k].with -= row[k] * target
		}
		share -= target * target
		taken[best] = true
		rows, chosen = append(rows, row), append(chosen, on[best])
	}
	slices.Sort(chosen)
	return chosen
}
