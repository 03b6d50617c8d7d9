// Package basis expands the columns of a table into blocks of functions and computes the second moments of all
// functions. Scores with nonlinear effects and categorical columns use these. Rows are read twice and not
// retained.
//
//	b, err := basis.OfRows(names, categorical, x, basis.DefaultSettings(), threads)
//	s, err := score.NewSmooth(b, score.DefaultSmoothSettings())
//
// A stream of rows is added twice, to a Fit and then to a Gram:
//
//	fit := basis.NewFit(names, categorical)
//	err := fit.Add(rows) // for every batch
//	functions, err := fit.Functions(basis.DefaultSettings())
//	gram := functions.NewGram(threads)
//	err = gram.Add(rows) // for every batch again
//	b, err := gram.Blocks()
package basis
