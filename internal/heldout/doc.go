// Package heldout measures graphs on rows that they were not learned from.
//
//	c, err := heldout.Compare(ctx, table, candidates, nil, heldout.DefaultCompareSettings(), nil)
//	path, err := heldout.LearnPath(ctx, table, polydag.DefaultConfig(), heldout.DefaultPathSettings(), nil)
//
// The rows are split into two halves, several times. Each half learns graphs, and Likelihood says how probable the other half is
// under each (5 × 2 cross-validation, Dietterich 1998). Compare does so for several methods and adds scores on one scale, distances
// from a known graph, agreement and times. LearnPath does so for several values of the penalty per edge and recommends one of them, with
// everything that the method leaves to the data fixed as it was chosen for the whole table.
//
// Compare knows no method by its name. Its scale is that of the default method under the model that it chooses for the table, or that it
// is told: BIC with a noise variance for each column under a linear model, BIC under a discrete one, and its own score under others.
package heldout
