package lingam

import "math"

// entropyLess returns the negentropy of u, which has mean 0 and variance 1:
//
//	k₁·(E ln cosh u - γ)² + k₂·(E u·exp(-u²/2))²,   k₁ = 79.047, k₂ = 7.4129, γ = 0.37457.
//
// It is the maximum-entropy approximation of Hyvärinen (1998), which Hyvärinen and Smith (2013) use to compare
// directions. Both functions are interpolated linearly in a table; the error of a mean is below 1e-6.
func entropyLess(u []float64) float64 {
	var cosh, odd float64
	for _, x := range u {
		a := math.Abs(x)
		if a >= entropyRange {
			cosh += a - math.Ln2
			continue
		}
		at := a * entropyScale
		k := int(at)
		t := at - float64(k)
		low, high := &entropyTable[k], &entropyTable[k+1]
		cosh += low[0] + t*(high[0]-low[0])
		value := low[1] + t*(high[1]-low[1])
		if x < 0 {
			value = -value
		}
		odd += value
	}
	return fromMeans(cosh/float64(len(u)), odd/float64(len(u)))
}

func fromMeans(cosh, odd float64) float64 {
	const k1, k2, gamma = 79.047, 7.4129, 0.37457
	return k1*(cosh-gamma)*(cosh-gamma) + k2*odd*odd
}

const (
	entropyRange = 8 // beyond it, ln cosh u = |u| - ln 2 and u·exp(-u²/2) = 0 to seven digits
	entropySteps = 8192
	entropyScale = float64(entropySteps) / entropyRange
)

// entropyTable has both functions at the multiples of 1/entropyScale.
var entropyTable = func() (table [entropySteps + 1][2]float64) {
	for k := range table {
		table[k] = [2]float64{lnCosh(float64(k) / entropyScale), hump(float64(k) / entropyScale)}
	}
	return table
}()

// lnCosh returns ln cosh u without overflow.
func lnCosh(u float64) float64 {
	a := math.Abs(u)
	return a + math.Log1p(math.Exp(-2*a)) - math.Ln2
}

func hump(u float64) float64 { return u * math.Exp(-u*u/2) }
