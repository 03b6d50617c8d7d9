package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// ErrCollinear is matched where a regression has no unique answer: the parents determine one another.
var ErrCollinear = errors.New("the parents are linearly dependent")

// A CollinearError says which parent the others determine. It matches ErrCollinear.
type CollinearError struct{ Parent, Column int }

func (e *CollinearError) Error() string {
	return fmt.Sprintf("column %d is determined by other parents of column %d", e.Parent+1, e.Column+1)
}

// Is makes errors.Is(err, ErrCollinear) hold.
func (e *CollinearError) Is(target error) bool { return target == ErrCollinear }

// Regression is one column on its parents by least squares, from second moments.
type Regression struct {
	Beta     []float64 // coefficient of each parent, in their order
	Residual float64   // variance that is left
	// Drop is, for each parent, the residual variance without it: residual + β²/(S⁻¹)_kk over the parents' block.
	Drop []float64
}

// Regress regresses column v on the given columns. s is the covariance or correlation matrix. With P the parents,
//
//	β = S_PP⁻¹ S_Pv,   residual = S_vv - S_vP β,
//
// by a Cholesky factorization S_PP = LLᵀ: O(|P|³).
func Regress(s *matrix.Dense[float64], v int, parents []int) (Regression, error) {
	k := len(parents)
	out := Regression{Beta: make([]float64, k), Residual: s.At(v, v), Drop: make([]float64, k)}
	l := matrix.New[float64](k, k)
	for i, p := range parents {
		for j, q := range parents[:i+1] {
			sum := s.At(p, q)
			for m := range j {
				sum -= l.At(i, m) * l.At(j, m)
			}
			if i != j {
				l.Set(i, j, sum/l.At(j, j))
				continue
			}
			if !(sum > 1e-12*s.At(p, p)) {
				return Regression{}, &CollinearError{Parent: p, Column: v}
			}
			l.Set(i, i, math.Sqrt(sum))
		}
	}
	// z = L⁻¹ S_Pv, residual = S_vv - z·z, β = L⁻ᵀ z.
	z := out.Beta
	for i, p := range parents {
		sum := s.At(p, v)
		for m := range i {
			sum -= l.At(i, m) * z[m]
		}
		z[i] = sum / l.At(i, i)
		out.Residual -= z[i] * z[i]
	}
	for i := k - 1; i >= 0; i-- {
		sum := z[i]
		for m := i + 1; m < k; m++ {
			sum -= l.At(m, i) * out.Beta[m]
		}
		out.Beta[i] = sum / l.At(i, i)
	}
	// (S_PP⁻¹)_kk = |column k of L⁻¹|², column by column.
	col := make([]float64, k)
	for c := range k {
		inv := 0.0
		for i := c; i < k; i++ {
			sum := 0.0
			if i == c {
				sum = 1
			}
			for m := c; m < i; m++ {
				sum -= l.At(i, m) * col[m]
			}
			col[i] = sum / l.At(i, i)
			inv += col[i] * col[i]
		}
		out.Drop[c] = out.Residual + out.Beta[c]*out.Beta[c]/inv
	}
	return out, nil
}
