package score

import "math"

// A score and the difference of two scores, ΔBIC, are on the scale of twice the log-likelihood. The gain of an edge is the same difference in
// bits per row, which does not depend on the number of rows.

// Bits converts a ΔBIC over n rows to bits per row.
func Bits(delta, n float64) float64 { return delta / (2 * n * math.Ln2) }

// DeltaBIC converts bits per row to a ΔBIC over n rows.
func DeltaBIC(bits, n float64) float64 { return bits * 2 * n * math.Ln2 }
