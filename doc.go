// Package polydag learns which variables of a table drive which: a directed acyclic graph with a
// weight on every edge and a certificate that it is one.
//
//	data, err := files.ReadCSV(ctx, file, files.DefaultCSVSettings())
//	res, err := polydag.Learn(ctx, data, polydag.DefaultConfig(), nil)
//	for _, e := range res.Edges {
//		fmt.Println(e.From, "→", e.To, e.Weight)
//	}
//
// Learn is the one place that joins the stages; each stage is a package of its own (dataset, score, acyclic, solve, search,
// graph, trust) and can be used alone. Only the moments of the data are read, so
// the cost of learning does not depend on the number of rows.
package polydag
