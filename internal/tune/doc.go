// Package tune helps to choose the price of an edge: it learns along a path of prices, and says of each what the graph explains of
// rows that it has not seen, and how far graphs of rows that have nothing in common agree.
//
//	path, err := tune.Run(ctx, table, polydag.DefaultConfig(), tune.DefaultSettings(), nil)
//	fmt.Println(path.Setting, path.Recommended, path.Reason) // nil: the default
//
// The rows are split into two halves several times. Each half learns a graph at each price, with everything that the method
// leaves to the data fixed as it was chosen for the whole table, and the other half is held out. So one set of runs has both figures
// (5 × 2 cross-validation, Dietterich 1998).
package tune
