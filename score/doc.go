// Package score has two types of scores for graphs. Scores of a weight matrix come with a gradient, for the continuous methods.
// Local scores of a node and its parents implement search.Score, for searches over DAGs. Most scores use only second moments, so a
// call costs the same for any number of rows.
//
//	ls := score.NewLeastSquares[float64](moments.Covariance(), 1)
//	f, err := ls.Eval(grad, w)
//
// Experimental: the API of this package may change before 1.0.
package score
