// Package method is the contract between a method of learning and the rest of the program.
//
// A method is a struct of its settings with four functions. It lives in a folder of its own beside this file
// and has one line in the list of the root package. Nothing else in the program names it: flags and their help,
// validation, the config file, the list of methods, the memory check, checkpoints, the record in the
// result and the table in the docs are made from what it says about itself.
//
//	m := order.New()
//	m.Variance = order.Unequal
//	res, err := polydag.FromMoments(data).Learn(ctx, polydag.Config{Method: m, Seed: 1, Threads: 2}, polydag.Run{})
//
// docs/guides/add-a-method.md adds one, step by step.
//
// Experimental: the API of this package may change before 1.0. The same is true of the packages of the methods.
package method
