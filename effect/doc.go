// Package effect estimates causal effects between columns under a learned graph and its model: total and direct effects, effects
// through mediators, ranges over the equivalence class, intervals, distributions under do, counterfactuals, and sensitivity to
// hidden confounders.
//
//	q := effect.NewQuestion("dose", "pressure")
//	answer, err := effect.Ask(ctx, result, table, q)
//	err = answer.WriteText(os.Stdout)
//
// All statements assume that the graph is true and, unless it is a PAG, that there are no hidden confounders. do(A = a) is an intervention
// on A (Pearl 2009, "Causality", section 3.2): all other columns follow their own mechanisms. An effect that the graph does not identify
// gives an error with the reason.
//
// Experimental: the API of this package may change before 1.0.
package effect
