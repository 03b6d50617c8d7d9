package files

import (
	"math"
	"math/big"
	"strconv"
)

// float16 converts an IEEE 754 half-precision number.
func float16(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&0x1f), float64(h&0x3ff)
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// decimal returns v·10^-scale, rounded once: by one division if both operands are exact, and otherwise by strconv.
func decimal(v int64, scale int) float64 {
	const exact, exactPower = 1 << 53, 22 // the integers and powers of ten that float64 represents exactly
	if v > -exact && v < exact && scale >= 0 && scale <= exactPower {
		return float64(v) / math.Pow10(scale)
	}
	x, _ := strconv.ParseFloat(strconv.FormatInt(v, 10)+"e"+strconv.Itoa(-scale), 64)
	return x
}

// bigDecimal is decimal for a big-endian two's complement number of any length.
func bigDecimal(b []byte, scale int) float64 {
	if len(b) == 0 {
		return 0
	}
	if len(b) <= 8 {
		v := int64(int8(b[0]))
		for _, c := range b[1:] {
			v = v<<8 | int64(c)
		}
		return decimal(v, scale)
	}
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if v.IsInt64() {
		return decimal(v.Int64(), scale)
	}
	x, _ := strconv.ParseFloat(v.String()+"e"+strconv.Itoa(-scale), 64)
	return x
}

// seconds converts v units of 1/unit seconds and keeps whole seconds exact.
func seconds(v, unit int64) float64 {
	if unit == 1 {
		return float64(v)
	}
	return float64(v/unit) + float64(v%unit)/float64(unit)
}
