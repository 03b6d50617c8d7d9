// Package solve minimizes score(W) + penalty(W) subject to h(W) = 0 by gradient steps.
//
//	res, err := solve.Run(ctx, solve.Problem[float64]{D: d, Score: ls, Constraint: geo, Penalty: solve.L1[float64]{Lambda: 0.01}},
//		solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 2000}, nil)
//
// Run combines three independent parts: a Problem (what is minimized), a Schedule (how much score and
// constraint weigh at each step, and when to stop) and a Descent (how a gradient becomes a step). Run owns the
// loop, the limits, the context, the observer and the check that numbers are finite; Settings.Pause and Resume
// continue an interrupted run with identical results. To use your own constraint, set one field of Problem.
//
// Experimental: the API of this package may change before 1.0.
package solve
