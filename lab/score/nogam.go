package score

import (
	"context"
	"errors"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
)

// These are the settings of the kernel ridge regressions of NoGAM.
const (
	folds  = 5
	lambda = 0.01
	gamma  = 0.1
)

// unpredicted returns, for each column, the mean squared error of its entry of the score predicted from its
// residual on all other columns. For a column without effects on the others, the entry is a function of the
// noise, which is the residual, so that the error is 0 (Montagna et al. 2023). Both regressions are kernel
// ridge regressions with five-fold cross-validation, 10 factorizations of 4n/5 rows per column. It stops early
// if the context ends.
func unpredicted(ctx context.Context, x, gradient *matrix.Dense[float64], threads int) ([]float64, error) {
	out, errs := make([]float64, x.Cols), make([]error, x.Cols)
	parallel.Each(ctx, x.Cols, threads, func(int) func(int) {
		return func(j int) {
			others := make([]int, 0, x.Cols)
			for v := range x.Cols {
				if v != j {
					others = append(others, v)
				}
			}
			residual, err := crossResiduals(columns(x, others), column(x, j))
			if err != nil {
				errs[j] = err
				return
			}
			left, err := crossResiduals(matrix.Of(len(residual), 1, residual), column(gradient, j))
			for _, v := range left {
				out[j] += v * v / float64(len(left))
			}
			errs[j] = err
		}
	})
	return out, errors.Join(errs...)
}

// crossResiduals returns the residuals of y on the columns of x. Row i is predicted from the rows of the other folds, and its fold is i
// modulo the number of folds.
func crossResiduals(x *matrix.Dense[float64], y []float64) ([]float64, error) {
	k := distances(x, 1)
	kernel(k, gamma, 1)
	out := make([]float64, len(y))
	for fold := range folds {
		var train []int
		for i := range y {
			if i%folds != fold {
				train = append(train, i)
			}
		}
		a, w := matrix.New[float64](len(train), len(train)), matrix.New[float64](len(train), 1)
		for r, i := range train {
			for c, j := range train {
				a.Set(r, c, k.At(i, j))
			}
			a.Set(r, r, a.At(r, r)+lambda)
			w.Set(r, 0, y[i])
		}
		var f matrix.LU[float64]
		if err := f.Factor(a); err != nil {
			return nil, err
		}
		f.Solve(w, w)
		for i := fold; i < len(y); i += folds {
			out[i] = y[i]
			for r, j := range train {
				out[i] -= k.At(i, j) * w.At(r, 0)
			}
		}
	}
	return out, nil
}

// column returns a copy of column j.
func column(x *matrix.Dense[float64], j int) []float64 { return columns(x, []int{j}).Data }
