// Package kit checks that an implementation of one of the program's hinges keeps its contract. Each function reports
// every law that is broken, not only the first, as one error:
//
//	if err := kit.Independence(mine, 1); err != nil { t.Error(err) }
//
// What the program brings along is held to the same laws by its own tests, and for each law there is a broken
// implementation that the kit must catch.
package kit
