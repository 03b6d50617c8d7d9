// Package chol computes small regressions from covariances by Cholesky factorization. Every local score, every test of
// partial correlation and the order search use it.
//
// A Factor takes columns one after the other. A Regression is the factor of some columns and one response. A Scan is the form
// that the order search needs: it works on correlations and screens all other columns as further regressors.
//
//	var g chol.Regression
//	chol.Regress(&g, s.Data, s.Stride, v, parents)
//	fmt.Println(g.Left, g.Coefficients())
//
// No function allocates once the buffers of its receiver have grown to the largest problem.
//
// A column is determined by the columns before it if they leave at most the share Determined of its variance. A determined
// column adds nothing to a regression: its row of the factor and its coefficient are 0.
package chol

// Determined is the share of a column's variance below which the rest counts as rounding, so that other columns determine it.
// A residual variance never counts as less than this share either.
//
// The value is that of the data checks, which exclude determined columns before learning. Covariances of float64 data are
// good to about 1e-14. A sum of columns that a file rounds to six significant digits leaves about 1e-12.
const Determined = 1e-10
