// Package heldout evaluates graphs on rows that were not used to learn them.
//
//	c, err := heldout.Compare(ctx, table, candidates, nil, heldout.DefaultCompareSettings(), nil)
//	path, err := heldout.LearnPath(ctx, table, polydag.DefaultConfig(), heldout.DefaultPathSettings(), nil)
//
// The rows are split into two halves, several times. Each half learns graphs, and Likelihood computes the
// likelihood of the other half under each (5 × 2 cross-validation, Dietterich 1998). Compare does so for
// several methods and adds scores on one scale, distances from a known graph, agreement and times. LearnPath
// does so for several values of the penalty per edge and recommends one. Everything else that the method
// chooses from the data is fixed to its choice for the whole table.
//
// Compare treats all methods alike. Its scale is the score of the default method under the chosen model. That
// is BIC with one noise variance per column for a linear model, BIC for a discrete one, and the method's own
// score for others.
package heldout
