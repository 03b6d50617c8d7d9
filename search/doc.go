// Package search finds the DAG with the best score by searching over orders of the variables: with the best BIC from a
// correlation matrix and the number of observations behind it, or with the least total of any local score.
//
//	res, err := search.Search(ctx, search.Problem{R: r, N: n}, search.DefaultSettings(), nil)
//	res, err := search.Search(ctx, search.Problem{Score: s}, search.DefaultSettings(), nil)
//	// res.Parents[j] lists every i with an edge i → j; res.Order is a topological order.
//
// # Any score
//
// Problem.Score says how badly a set of parents explains a variable, and the search minimizes the sum; package score has
// discrete, smooth and mixed ones. It is the same engine (model.go): a descent at four times the price, rounds that go on while
// they pay, the best of all graphs for few variables, knowledge, checkpoints. The kinds of rounds that need graphs of one
// class to score the same, and the choice inside the class at the end, are made where Score.Equivalent says so. What
// follows is about correlations, whose path through the engine calls no interface.
//
// # Correlations
//
// For linear Gaussian models with a noise variance for each variable, Search minimizes
//
//	n·Σ_v ln(residual variance of v given its parents) + penalty·edges,
//
// which does not depend on the units of the variables. With Settings.Variance = Equal all noise
// variances are the same, and n·d·ln(mean residual variance) takes the place of the sum; that
// needs the standard deviations. Result.Scores holds both with the price of the variance
// parameters, so that the smaller one chooses the model. Data cannot tell graphs of the same Markov
// equivalence class apart under the first model; Result holds one of them.
//
// The penalty is ln n + 2·ln d by default, the extended BIC with gamma = 1/2 (Foygel and Drton
// 2010), or less where the first descent shows that effects are weak (price.go). docs/evidence/penalty.md has measurements.
//
// Where effects are known to be strong, gamma = 0.75 leaves fewer false edges: on data with equal noise
// variances (d = 500, n = 1000) none, against two with 1/2.
//
// # Method
//
// A state is an order and, for each variable, parents among its predecessors, chosen by growing
// and shrinking. One step takes a variable out and puts it back at its best place. Parent sets are
// evaluated once and kept (node.go); most of the time goes into finding what
// could be added to a set (columns.go; ask.go with a Score).
//
//   - start.go: the order in which the least explained variable comes next, with parents selected on the way
//   - insert.go: the best new place of a variable
//   - search.go: descent with a queue of variables whose place may have become wrong, at four times the penalty first
//   - price.go: the price of an edge where effects are weak
//   - rounds.go, equivalent.go: rounds that leave the local optimum, as many as pay
//   - equal.go: equal variances
//   - exact.go: up to 12 variables the best of all graphs, with Status Optimal
//
// The recipe grew from FLOP (Wienöbst, Henckel and Weichwald 2026), which showed reinsertion, grow-shrink
// along an order and a start from a pivoted Cholesky factorization to work.
//
// # Threads, time and memory
//
// The result depends on the seed and not on the number of threads. Cancelling the context
// returns the best graph so far. With Settings.Pause and Resume a search that was cut short goes on from where it
// was, to the same result. Memory beside R is d²/8 bytes and the cache of parent sets, at
// most about Settings.CacheBytes: 0.07 GB at d = 4000 and 0.12 GB at d = 10,000 with 2d edges and no
// restarts. For the largest d set Restarts to 0 and Path to 8.
//
// Experimental: the API of this package may change before 1.0.
package search
