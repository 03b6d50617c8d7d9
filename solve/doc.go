// Package solve minimizes score(W) + penalty(W) subject to h(W) = 0 by gradient steps.
//
//	res, err := solve.Run(ctx, solve.Problem[float64]{D: d, Score: ls, Constraint: geo, Penalty: solve.L1[float64]{Lambda: 0.01}},
//		solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 2000}, nil)
//
// Three parts meet in Run and know nothing of each other: a Problem (what is minimized), a
// Schedule (how much score and constraint weigh at each step, and when to stop) and a Descent (how a
// gradient becomes a step). Run owns the loop, the limits, the context, the observer and the check that
// numbers are finite; with Settings.Pause and Resume a run that was cut short goes on to the same bytes. Replacing the
// constraint of the paper by your own is one field of Problem.
//
//	problem.go      what a problem is, and what a schedule is told and answers
//	descent.go      what a descent is, and what it may do beside: take a step again, evaluate
//	parameters.go   W made of other parameters
//	run.go          the loop; runner.go is one step of it, resume.go its state as bytes
//	auglag.go, multipliers.go, rising.go, falling.go, constant.go, settling.go   schedules
//	adam.go, owlqn.go, proximal.go                                              descents
//	penalty.go                                                                  L1 and MCP
//
// Experimental: the API of this package may change before 1.0.
package solve
