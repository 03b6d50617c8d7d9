package emulator

import "math"

func to32(a uint64) float32   { return math.Float32frombits(uint32(a)) }
func from32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func to64(a uint64) float64   { return math.Float64frombits(a) }
func from64(x float64) uint64 { return math.Float64bits(x) }

// numbers adds the floating-point operations, each rounded once to nearest.
func (t table) numbers() {
	t.two("add.rn.f32", "", func(a, b uint64) uint64 { return from32(to32(a) + to32(b)) })
	t.two("add.rn.f64", "", func(a, b uint64) uint64 { return from64(to64(a) + to64(b)) })
	t.two("sub.rn.f32", "", func(a, b uint64) uint64 { return from32(to32(a) - to32(b)) })
	t.two("sub.rn.f64", "", func(a, b uint64) uint64 { return from64(to64(a) - to64(b)) })
	t.two("mul.rn.f32", "", func(a, b uint64) uint64 { return from32(to32(a) * to32(b)) })
	t.two("mul.rn.f64", "", func(a, b uint64) uint64 { return from64(to64(a) * to64(b)) })
	t.two("div.rn.f32", "", func(a, b uint64) uint64 { return from32(to32(a) / to32(b)) })
	t.two("div.rn.f64", "", func(a, b uint64) uint64 { return from64(to64(a) / to64(b)) })
	t.one("rcp.rn.f64", "", func(a uint64) uint64 { return from64(1 / to64(a)) })
	t.one("sqrt.rn.f32", "", func(a uint64) uint64 { return from32(float32(math.Sqrt(float64(to32(a))))) }) // 53 bits suffice for double rounding
	t.one("sqrt.rn.f64", "", func(a uint64) uint64 { return from64(math.Sqrt(to64(a))) })
	t.one("neg.f32", "", func(a uint64) uint64 { return a ^ 1<<31 })
	t.one("neg.f64", "", func(a uint64) uint64 { return a ^ 1<<63 })
	t.one("abs.f64", "", func(a uint64) uint64 { return a &^ (1 << 63) })
	t.two("min.f32", "", func(a, b uint64) uint64 { return lesser(a, b, float64(to32(a)), float64(to32(b))) })
	t.two("min.f64", "", func(a, b uint64) uint64 { return lesser(a, b, to64(a), to64(b)) })
	t.two("max.f32", "", func(a, b uint64) uint64 { return lesser(a, b, -float64(to32(a)), -float64(to32(b))) })
	t.two("max.f64", "", func(a, b uint64) uint64 { return lesser(a, b, -to64(a), -to64(b)) })
	t.add("fma.rn.f32", "", 4, func(b *block, in *instruction, on []int32) {
		d, x, y, z := in.at[0], in.at[1], in.at[2], in.at[3]
		for _, i := range on {
			d[i] = from32(fma32(to32(x[i]), to32(y[i]), to32(z[i])))
		}
	})
	t.add("fma.rn.f64", "", 4, func(b *block, in *instruction, on []int32) {
		d, x, y, z := in.at[0], in.at[1], in.at[2], in.at[3]
		for _, i := range on {
			d[i] = from64(math.FMA(to64(x[i]), to64(y[i]), to64(z[i])))
		}
	})
}

// lesser returns the smaller of a and b. A number is preferred to NaN, and -0 is below 0.
func lesser(a, b uint64, x, y float64) uint64 {
	if y < x || x != x || x == y && math.Signbit(y) {
		return b
	}
	return a
}

// fma32 returns ab + c, rounded once. The product is exact in double. The sum is rounded to odd: if it is not
// exact, the last bit is set to 1. Then rounding to 24 bits gives the same result as for the exact sum (Boldo
// and Melquiond 2008).
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	sum := p + q
	back := sum - p
	left := (p - (sum - back)) + (q - back) // exactly p + q - sum
	if left != 0 && !math.IsInf(sum, 0) {   // NaN is not zero and stays
		if u := math.Float64bits(sum); u&1 == 0 && left == left {
			if (left > 0) == (sum > 0) {
				u++
			} else {
				u--
			}
			sum = math.Float64frombits(u)
		}
	}
	return float32(sum)
}
