package ptx

import "math"

func real(v float64) string { return immediate(double, v) }

func (k *kernel) calc(op string, args ...string) string {
	r := k.reg(wide)
	text := op + ".f64 " + r
	for _, a := range args {
		text += ", " + a
	}
	k.op("%s", text)
	return r
}

// exp returns the exponential of a double to about one unit in the last place, and NaN for a non-finite input.
// With x = n ln 2 + r, |r| ≤ ½ ln 2, it is 2ⁿ times the Taylor polynomial of degree 13 in r; the first omitted
// term is below 5e-18. ln 2 has two parts, the first with trailing zeros, so that its product with n is exact.
// Beyond ±746 the exponential is 0 or infinite, and x is clamped. 2ⁿ is a product of two factors, neither of
// which overflows first.
func (k *kernel) exp(x string) string {
	cut := k.calc("max", k.calc("min", x, real(746)), real(-746))
	whole := k.reg(word)
	k.op("cvt.rni.s32.f64 %s, %s", whole, k.calc("mul.rn", cut, real(math.Log2E)))
	n := k.reg(wide)
	k.op("cvt.rn.f64.s32 %s, %s", n, whole)
	high := math.Float64frombits(math.Float64bits(math.Ln2) &^ (1<<21 - 1))
	low := math.Ln2 - high // exact; the part that Ln2 itself omits follows
	const rest = 2.3190468138462996e-17
	r := k.calc("fma.rn", n, real(-high), cut)
	r = k.calc("fma.rn", n, real(-(low + rest)), r)
	sum := k.reg(wide)
	term := 1.0
	for i := 2; i <= 13; i++ {
		term /= float64(i)
	}
	k.op("mov.f64 %s, %s", sum, real(term))
	for i := 13; i >= 1; i-- {
		term *= float64(i)
		k.op("fma.rn.f64 %s, %s, %s, %s", sum, sum, r, real(term))
	}
	half, other := k.reg(word), k.reg(word)
	k.op("shr.s32 %s, %s, 1", half, whole)
	k.op("sub.s32 %s, %s, %s", other, whole, half)
	for _, e := range []string{half, other} {
		zero, factor := k.reg(word), k.reg(wide)
		k.op("mov.u32 %s, 0", zero)
		k.op("add.s32 %s, %s, 1023", e, e)
		k.op("shl.b32 %s, %s, 20", e, e)
		k.op("mov.b64 %s, {%s, %s}", factor, zero, e)
		k.op("mul.rn.f64 %s, %s, %s", sum, sum, factor)
	}
	return k.calc("add.rn", sum, k.calc("sub.rn", x, x))
}

// log1p returns log(1 + s) for 0 ≤ s ≤ 1 to a few units in the last place: log(u) + (s - (u - 1))/u, where u is
// the rounded 1 + s.
func (k *kernel) log1p(s string) string {
	u := k.calc("add.rn", s, real(1))
	lost := k.calc("sub.rn", s, k.calc("sub.rn", u, real(1)))
	return k.calc("add.rn", k.log(u), k.calc("div.rn", lost, u))
}

// sigmoid returns 1/(1 + e⁻ˣ), computed from e^-|x| to avoid overflow, and that exponential.
func (k *kernel) sigmoid(x string) (value, small string) {
	small = k.exp(k.calc("neg", k.calc("abs", x)))
	over := k.calc("div.rn", real(1), k.calc("add.rn", small, real(1)))
	under := k.calc("div.rn", small, k.calc("add.rn", small, real(1)))
	negative := k.reg(truth)
	k.op("setp.lt.f64 %s, %s, %s", negative, x, real(0))
	value = k.reg(wide)
	k.op("selp.f64 %s, %s, %s, %s", value, under, over, negative)
	return value, small
}
