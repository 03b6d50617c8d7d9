package order

import "github.com/polydag/polydag/independence"

// chiSquared returns the probability that χ² with df degrees of freedom exceeds x.
func chiSquared(x, df float64) float64 { return independence.ChiSquared(x, df) }
