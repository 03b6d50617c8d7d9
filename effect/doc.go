// Package effect says what setting one column of a table would do to another, under a learned graph and its model: the effect
// and its parts, how it differs over the graphs that fit as well, intervals, distributions, one row, and how strong a
// hidden cause would have to be to explain the effect away.
//
//	q := effect.NewQuestion("dose", "pressure")
//	answer, err := effect.Ask(ctx, result, table, q)
//	err = answer.WriteText(os.Stdout)
//
// Everything is said of the graph as if it were true and complete: no hidden common cause of two columns. do(A = a) is Pearl's
// (2009, "Causality", section 3.2): A is set from outside, and all else follows its own mechanism. What the graph does
// not identify is refused, with the reason.
//
// Experimental: the API of this package may change before 1.0.
package effect
