// Package basis expands the columns of a table into blocks of functions and gathers the second
// moments of all functions: what scores with curved effects and categorical columns are computed
// from. Rows are seen twice and never kept.
//
//	b, err := basis.FromRows(names, categorical, x, basis.DefaultSettings(), threads)
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
