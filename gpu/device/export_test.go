package device

import "github.com/polydag/polydag/matrix"

// WithOnes are rows as they go to a device.
func WithOnes(x *matrix.Dense[float64], before bool) []float64 { return appendOnes(nil, x, before) }

// MaxSearches is maxSearches, for tests.
const MaxSearches = maxSearches
