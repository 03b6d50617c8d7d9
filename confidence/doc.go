// Package confidence computes a confidence for each edge of a learned graph: it learns from many bootstrap samples of the rows and
// counts the edges, or it samples the posterior over graphs.
//
//	s := confidence.DefaultSettings()
//	s.Replicates = 200
//	res, err := confidence.Learn(ctx, table, polydag.DefaultConfig(), s, polydag.Run{})
//	for _, e := range res.Edges {
//		fmt.Println(e.From, "→", e.To, e.Confidence)
//	}
//
// A replicate is a Unit, a plain value that any process with the table can run. A Runner runs many of them; Pool runs them in this
// process. Outcomes are counted in the order of their numbers, so the result does not depend on the runner.
package confidence
