// Package compare runs several methods on one table and puts what they found side by side: scores on one scale, likelihoods of rows held
// out, distances from a known graph, how far the methods agree with each other, and times.
//
//	candidates, err := compare.Choose([]string{"all", "-anm"}, common)
//	c, err := compare.Run(ctx, table, candidates, nil, compare.DefaultSettings(), nil)
//	for _, e := range c.Methods {
//		fmt.Println(e.Label, e.State, len(e.Edges), e.Why)
//	}
//
// It knows no method by its name. The scale is that of the default method under the model that it chooses for the table, or that it is
// told: BIC with a noise variance for each column under a linear model, BIC under a discrete one, and its own score under others.
package compare
