// Package metric compares an estimated graph with the true one. Every count states its convention, because tools often use
// different definitions under one name.
//
//	r := metric.Compare(truth, est)
//	fmt.Println(r.SHD, r.F1, r.FPR)
//
// All functions take the truth first. Both graphs are on the same nodes: a different number of nodes panics.
//
// Experimental: the API of this package may change before 1.0.
package metric
