// Package confidence says how sure each edge of a learned graph is: it learns again from many tables that are drawn from the rows of
// one, and counts.
//
//	s := confidence.DefaultSettings()
//	s.Replicates = 200
//	res, err := confidence.Learn(ctx, table, polydag.DefaultConfig(), s, polydag.Run{})
//	for _, e := range res.Edges {
//		fmt.Println(e.From, "→", e.To, e.Confidence)
//	}
//
// A replicate is a Unit, a plain value that any process with the table can do; a Runner does many of them, and Pool is the one in this
// process. Outcomes are counted in the order of their numbers, so that the result has the same bytes whoever did them.
package confidence
