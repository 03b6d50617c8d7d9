// Package score holds the functions that measure how well a weighted graph explains the
// data, each with its gradient, computed from second moments alone: a call costs the same
// whatever the number of rows.
//
//	ls := score.NewLeastSquares[float64](moments.Covariance(), 1)
//	f, err := ls.Eval(grad, w)
//
// Experimental: the API of this package may change before 1.0.
package score
