package score

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
)

// ErrCollinear is matched if a regression has no unique solution because the parents are collinear.
var ErrCollinear = errors.New("the parents are linearly dependent")

// A CollinearError names the parent that the others determine. It matches ErrCollinear.
type CollinearError struct{ Parent, Column int }

func (e *CollinearError) Error() string {
	return fmt.Sprintf("column %d is determined by other parents of column %d", e.Parent+1, e.Column+1)
}

func (e *CollinearError) Is(target error) bool { return target == ErrCollinear }

// Regression is the least-squares regression of a column on its parents, from second moments.
type Regression struct {
	Beta     []float64 // coefficients, in the order of the parents
	Residual float64   // residual variance
	// Drop is, for each parent, the residual variance without it: residual + β²/(S⁻¹)_kk over the parents' block.
	Drop []float64
}

// Correlations gives the correlations between some of the columns; dataset.Moments and search.Problem do.
type Correlations interface {
	CorrelationOf(index []int) *matrix.Dense[float64]
}

// RegressOn is Regress on correlations, of which it reads only those that it needs.
func RegressOn(c Correlations, v int, parents []int) (Regression, error) {
	index, at := append([]int{v}, parents...), make([]int, len(parents))
	for i := range at {
		at[i] = i + 1
	}
	reg, err := Regress(c.CorrelationOf(index), 0, at)
	var collinear *CollinearError
	if errors.As(err, &collinear) {
		err = &CollinearError{Parent: index[collinear.Parent], Column: v}
	}
	return reg, err
}

// Regress regresses column v on the given columns. s is the covariance or correlation matrix. With P the parents,
//
//	β = S_PP⁻¹ S_Pv,   residual = S_vv - S_vP β.
//
// It costs O(|P|³). A parent that the others determine (chol.Determined) gives a CollinearError.
func Regress(s *matrix.Dense[float64], v int, parents []int) (Regression, error) {
	var g chol.Regression
	chol.Regress(&g, s.Data, s.Stride, v, parents)
	for i, p := range parents {
		if g.Row(i)[i] == 0 {
			return Regression{}, &CollinearError{Parent: p, Column: v}
		}
	}
	out := Regression{Residual: g.Left, Drop: make([]float64, len(parents))}
	inverse, scratch := out.Drop, make([]float64, len(parents))
	g.InverseDiagonal(inverse, scratch)
	out.Beta = g.Coefficients()
	for i, b := range out.Beta {
		out.Drop[i] = out.Residual + b*b/inverse[i]
	}
	return out, nil
}
