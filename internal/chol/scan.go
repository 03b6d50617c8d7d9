package chol

import (
	"math"
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
)

// A Scan is a regression on correlations for a search that asks what every removal and every addition of a regressor would
// change. It multiplies by the reciprocals of the diagonal of L, since divisions would slow the order search down. So its
// results may differ from those of Regression in the last bits.
type Scan struct {
	// Entry (i, j) of the correlation matrix is R[i·Stride + j]. Its diagonal is taken as 1.
	R               []float64
	Columns, Stride int
	// Wide replaces R, Columns and Stride for a matrix that is not stored.
	Wide Wide

	// Left is the residual variance, and Rise has, for each regressor, by how much it rises without that one.
	Left float64
	Rise []float64

	inflation    float64
	k            int
	l, inv, z, x []float64
	rows         []*float64 // rows of the correlation matrix, one for each regressor
	a, b         []float64  // coefficients for vec.Partial
	mask         []uint32
	c, q         []float64
	scratch      []float64
	hits         []Hit
	wide         wide
}

// A Hit is a column that lowers the residual variance by Takes as a further regressor.
type Hit struct {
	X     int32
	Takes float64
}

// RegressUnit sets s to the regression of column v on the columns in set and returns the residual variance. With b the
// coefficients, dropping regressor j raises the residual variance by b_j²/(S⁻¹)_jj. It costs k³/3 multiplications for k
// columns.
func RegressUnit[I Index](s *Scan, v I, set []I) (left float64) {
	if s.Wide != nil {
		gather(s, v, set)
		return regressUnit(s, s.wide.block, len(set)+1, 0, s.wide.local)
	}
	return regressUnit(s, s.R, s.Stride, v, set)
}

func regressUnit[I Index](s *Scan, r []float64, stride int, v I, set []I) (left float64) {
	k := len(set)
	s.k = k
	s.l, s.inv, s.z = Grown(s.l, k*k), Grown(s.inv, k), Grown(s.z, k)
	s.Rise, s.x = Grown(s.Rise, k), Grown(s.x, k)
	rv := r[int(v)*stride:]
	left = 1
	for i, p := range set {
		rp := r[int(p)*stride:]
		own := s.l[i*k : i*k+i+1]
		pivot := 1.0
		for j := range i {
			sum := rp[set[j]]
			for h, y := range s.l[j*k : j*k+j] {
				sum -= own[h] * y
			}
			sum *= s.inv[j]
			own[j] = sum
			pivot -= sum * sum
		}
		z := rv[p]
		for j := range i {
			z -= own[j] * s.z[j]
		}
		if !(pivot > Determined) {
			own[i], s.inv[i], s.z[i] = 0, 0, 0
			continue
		}
		own[i] = math.Sqrt(pivot)
		s.inv[i] = 1 / own[i]
		s.z[i] = z * s.inv[i]
		left -= s.z[i] * s.z[i]
	}
	s.rises()
	s.Left = left
	return left
}

// Inflation returns the largest variance inflation factor of the regressors: an entry of the diagonal of the inverse of their
// correlations. It is +Inf if others determine a regressor.
func (s *Scan) Inflation() float64 { return s.inflation }

// rises sets Rise. Column j of L⁻¹ has the squared length (S⁻¹)_jj, and its product with z is the coefficient of regressor j.
func (s *Scan) rises() {
	k, x := s.k, s.x
	s.inflation = 0
	for j := range k {
		x[j] = s.inv[j]
		b, q := x[j]*s.z[j], x[j]*x[j]
		for i := j + 1; i < k; i++ {
			row := s.l[i*k : i*k+i]
			sum := 0.0
			for h := j; h < i; h++ {
				sum -= row[h] * x[h]
			}
			x[i] = sum * s.inv[i]
			b += x[i] * s.z[i]
			q += x[i] * x[i]
		}
		s.Rise[j] = 0
		if q > 0 {
			s.Rise[j] = b * b / q
			s.inflation = max(s.inflation, q)
		} else {
			s.inflation = math.Inf(1)
		}
	}
}

// Screen returns the columns x outside v and set with c² > t·q, in ascending order, where c is the partial covariance of v
// and x given the set, and q the partial variance of x. Columns that the set determines are left out. v and set are
// those of the last RegressUnit. The slice is valid until the next call. Screen costs k²/2 + 2k multiplications for each
// column.
func Screen[I Index](s *Scan, v I, set []I, t float64) []Hit {
	if s.Wide != nil {
		return screenWide(s, v, set, t)
	}
	s.rows = s.rows[:0]
	r, stride, d := s.R, s.Stride, s.Columns
	for _, p := range set {
		s.rows = append(s.rows, &r[int(p)*stride])
	}
	return screenRows(s, r[int(v)*stride:int(v)*stride+d], v, set, t)
}

// ScreenRows is Screen for correlations by rows: rows[0] has those of v with all columns, and the others those of the set. v and set are
// columns of these rows, while the last RegressUnit was on correlations of the same columns in R.
func ScreenRows[I Index](s *Scan, rows [][]float64, v I, set []I, t float64) []Hit {
	s.rows = s.rows[:0]
	for _, row := range rows[1:] {
		s.rows = append(s.rows, &row[0])
	}
	return screenRows(s, rows[0], v, set, t)
}

// screenRows is Screen with y, the correlations of v, and with s.rows, those of the set.
func screenRows[I Index](s *Scan, y []float64, v I, set []I, t float64) []Hit {
	s.partial(t, y)
	s.mask[v>>5] &^= 1 << (v & 31)
	for _, p := range set {
		s.mask[p>>5] &^= 1 << (p & 31)
	}
	s.hits = s.hits[:0]
	for i, m := range s.mask {
		for ; m != 0; m &= m - 1 {
			x := 32*i + bits.TrailingZeros32(m)
			s.hit(x, int32(x))
		}
	}
	return s.hits
}

// partial computes mask, c and q for the columns of y, the correlations with the response; s.rows are those with the
// regressors.
func (s *Scan) partial(t float64, y []float64) {
	s.a, s.b = s.a[:0], s.b[:0]
	k := s.k
	for i := range k {
		inv := s.inv[i]
		s.a = append(s.a, inv)
		for _, l := range s.l[i*k : i*k+i] {
			s.a = append(s.a, -inv*l)
		}
		s.b = append(s.b, -s.z[i])
	}
	d := len(y)
	s.c, s.q, s.mask = Grown(s.c, d), Grown(s.q, d), Grown(s.mask, (d+31)/32)
	s.scratch = Grown(s.scratch, k*vec.PartialScratch)
	vec.Partial(s.mask, s.c, s.q, t, y, s.rows, s.a, s.b, s.scratch)
}

// hit adds column x, whose results are at place at, unless the regressors determine it.
func (s *Scan) hit(at int, x int32) {
	if c, q := s.c[at], s.q[at]; q > Determined {
		s.hits = append(s.hits, Hit{x, c * c / q})
	}
}
