// Package search finds a DAG with a good score by searching over orders of the variables: the BIC of a
// correlation matrix, or the total of any local score.
//
//	res, err := search.Search(ctx, search.Problem{R: r, N: n}, search.DefaultSettings(), nil)
//	res, err := search.Search(ctx, search.Problem{Score: s}, search.DefaultSettings(), nil)
//	// res.Parents[j] lists every i with an edge i → j; res.Order is a topological order.
//
// # Any score
//
// Problem.Score is a local score, and the search minimizes its sum; package score has discrete, smooth and
// mixed scores. The engine is the same (model.go): a descent at four times the penalty, restarts while they
// improve the score, exhaustive search for few variables, prior knowledge, checkpoints. Rounds that move within
// a Markov equivalence class, and the final choice inside the class, are used only if Score.Equivalent is true.
// The rest of this text is about correlations, for which the engine calls no interface.
//
// # Correlations
//
// For linear Gaussian models with a noise variance for each variable, Search minimizes
//
//	n·Σ_v ln(residual variance of v given its parents) + penalty·edges,
//
// which does not depend on the units of the variables. With Settings.Variance = Equal all noise variances are
// the same, and n·d·ln(mean residual variance) takes the place of the sum; that needs the standard deviations.
// Result.Scores has both with the penalty of the variance parameters, so the smaller one chooses the model.
// Under the first model data cannot distinguish graphs of the same Markov equivalence class; Result has one of
// them.
//
// The penalty is ln n + 2·ln d by default, the extended BIC with gamma = 1/2 (Foygel and Drton 2010), or less
// if the first descent shows that effects are weak (price.go). docs/evidence/penalty.md gives measurements.
//
// If effects are known to be strong, gamma = 0.75 gives fewer false edges: on data with equal noise variances
// (d = 500, n = 1000) none, against two with 1/2.
//
// # Method
//
// A state is an order and, for each variable, parents among its predecessors, chosen by growing and shrinking.
// One step moves a variable to its best place in the order. Parent sets are evaluated once and cached
// (node.go); most of the time is spent on finding candidates for a set (columns.go; ask.go with a Score).
//
//   - start.go: the order in which the least explained variable comes next, with parents selected on the way
//   - insert.go: the best new place of a variable
//   - search.go: descent with a queue of variables whose place may be suboptimal, first at four times the penalty
//   - price.go: the penalty per edge if effects are weak
//   - exchange.go: better parent sets where parents are strongly correlated
//   - rounds.go, equivalent.go: rounds that leave the local optimum, while they improve the score
//   - equal.go: equal variances
//   - exact.go: up to 12 variables the best of all graphs, with Status Optimal
//
// The method developed from FLOP (Wienöbst, Henckel and Weichwald 2026), which introduced reinsertion,
// grow-shrink along an order and a start from a pivoted Cholesky factorization.
//
// # Threads, time and memory
//
// With Problem.Gram instead of R, correlations of many columns are screened in 16 bits and computed from the rows where they
// matter: chol/wide.go proves that no candidate is lost, so the result is the same in a quarter of the memory of R.
//
// The result depends on the seed and not on the number of threads. Cancelling the context returns the best
// graph so far. With Settings.Pause and Resume an interrupted search can be resumed, with the same result.
// Memory besides R is d²/8 bytes and the cache of parent sets, at most about Settings.CacheBytes: 0.07 GB at d
// = 4000 and 0.12 GB at d = 10,000 with 2d edges and no restarts. For the largest d set Restarts to 0 and Path
// to 8.
//
// Experimental: the API of this package may change before 1.0.
package search
