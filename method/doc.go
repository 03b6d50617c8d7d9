// Package method defines the interface of a learning method.
//
// A method is a struct of its settings with four functions. It has its own package and one line in a list: that of polydag in
// internal/methods/methods.go, or the list that a program passes to command.Main. Nothing else in the program names it: flags and their
// help, validation, the config file, the list of methods, the memory check, checkpoints, the recorded settings and the table in the docs are
// derived from its description.
//
//	m := order.New()
//	m.Variance = order.Unequal
//	res, err := polydag.FromMoments(data).Learn(ctx, polydag.Config{Method: m, Seed: 1, Threads: 2}, polydag.Run{})
//
// docs/guides/add-a-method.md shows how to add one.
//
// Experimental: the API of this package may change before 1.0. The same is true of the packages of the methods.
package method
