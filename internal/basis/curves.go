package basis

import "math"

// Curves writes the curved functions of a column at the rank u, 0 < u < 1, to dst, smooth ones first:
//
//	√2·cos(πu), √2·cos(2πu), (z²-1)/√2, (z³-3z)/√6, √2·cos(3πu), √2·cos(4πu), …   with z = Φ⁻¹(u), the normal score.
//
// All have mean 0 and variance 1 without ties. Cosines alone miss the tails of a square, a cube and an exponential function; the error
// then depends on the cause, and other columns seem to explain it. Functions of ranks are invariant under monotone transforms, and normal
// scores grow with the number of rows only as √(2·log n).
func Curves(dst []float64, u float64) {
	n := len(dst)
	if n < 3 {
		cosines(dst, u)
		return
	}
	cosines(dst[:max(2, n-2)], u)
	copy(dst[min(4, n):], dst[2:])
	z := normalQuantile(u)
	dst[2] = (z*z - 1) / math.Sqrt2
	if n > 3 {
		dst[3] = z * (z*z - 3) / math.Sqrt(6)
	}
}

// cosines writes √2·cos(kπu), k = 1, 2, …, to dst. They are bounded and, without ties, orthogonal with variance 1.
func cosines(dst []float64, u float64) {
	first := math.Cos(math.Pi * u)
	before, now := 1.0, first
	for k := range dst {
		dst[k] = math.Sqrt2 * now
		before, now = now, 2*first*now-before // cos((k+1)t) = 2·cos(t)·cos(kt) - cos((k-1)t)
	}
}
