package csv

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// parseFloat reads a decimal number at b[i:] with decimal separator point. If ok, v is the nearest float64 and next the position after
// the number. ok is false if there is no number, if it reaches the end of b, or if the fast paths cannot decide its value; then
// ParseNumber decides.
//
// A number of up to 19 digits is mant·10^exp with both exact. If mant < 2^53 and |exp| <= 22, that is one correctly rounded operation
// on exact operands (Clinger 1990); otherwise see eiselLemire.
//
// It is faster than strconv.ParseFloat: the moments of 1,000,000 × 20 numbers with all their digits took 0.75 s on two threads,
// 2.50 s with ParseFloat, and 2.62 s without eiselLemire, which decides more than half of such numbers (medians of five runs;
// go test ./dataset/csv -run '^$' -bench Decimal measures single numbers and rows).
func parseFloat(b []byte, i int, point byte) (v float64, next int, ok bool) {
	neg := false
	if c := b[i]; c == '-' || c == '+' {
		neg = c == '-'
		i++
	}
	start := i
	var mant uint64
	for i < len(b) && b[i]-'0' < 10 {
		mant = mant*10 + uint64(b[i]-'0')
		i++
	}
	digits, exp := i-start, 0
	if i < len(b) && b[i] == point {
		first := i + 1
		mant, i = fraction(mant, b, first)
		exp = first - i
		digits -= exp
	}
	if digits == 0 || i == len(b) {
		return 0, i, false
	}
	if digits > 19 {
		for _, c := range b[start:i] { // leading zeros do not fill the mantissa
			if c != '0' && c != point {
				break
			}
			if c == '0' {
				digits--
			}
		}
		if digits > 19 {
			return 0, i, false
		}
	}
	if b[i]|0x20 == 'e' {
		e, j := exponent(b, i+1)
		if j == len(b) {
			return 0, i, false
		}
		exp += e
		i = j
	}
	switch {
	case mant>>53 == 0 && exp <= 0 && exp >= -22:
		v = float64(mant) / pow10[-exp]
	case mant>>53 == 0 && exp > 0 && exp <= 22:
		v = float64(mant) * pow10[exp]
	default:
		if v, ok = eiselLemire(mant, exp); !ok {
			return 0, i, false
		}
	}
	if neg {
		v = -v
	}
	return v, i, true
}

// fraction appends the digits at b[i:] to mant, eight at a time if possible.
func fraction(mant uint64, b []byte, i int) (uint64, int) {
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:]) ^ 0x3030303030303030
		// A byte of w is a digit if it is below 10: then neither it nor it + 0x76 has its top bit set. Carries
		// affect only bytes after the first non-digit.
		other := (w | (w + 0x7676767676767676)) & 0x8080808080808080
		if other == 0 {
			mant = mant*100_000_000 + eightDigits(w)
			i += 8
			continue
		}
		n := bits.TrailingZeros64(other) / 8
		if n > 0 {
			mant = mant*tens[n] + eightDigits(w<<(64-8*n))
		}
		return mant, i + n
	}
	for i < len(b) && b[i]-'0' < 10 {
		mant = mant*10 + uint64(b[i]-'0')
		i++
	}
	return mant, i
}

// eightDigits returns the number whose digits are the bytes of w, lowest byte first. It combines pairs of
// digits, then pairs of pairs, then both halves (Langdale and Lemire).
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8
	const even = 0x000000FF000000FF
	return ((w&even)*(100+1_000_000<<32) + (w>>16&even)*(1+10_000<<32)) >> 32
}

var tens = [8]uint64{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000}

// exponent reads [+-] digits at b[i:]. It returns len(b) without digits, and for 1000 or more, which only zeros before the first
// digit could make up for.
func exponent(b []byte, i int) (exp, next int) {
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' < 10 {
		if exp < 1000 {
			exp = exp*10 + int(b[i]-'0')
		}
		i++
	}
	if i == start || exp >= 1000 {
		return 0, len(b)
	}
	if neg {
		exp = -exp
	}
	return exp, i
}

// eiselLemire returns the float64 nearest to mant·10^exp from the product of mant with the
// first 64 or 128 bits of 10^exp (Lemire, Number parsing at a gigabyte per second, 2021). ok
// is false if exp is outside the table or the bits do not decide the rounding. Results in
// the table's range are normal numbers: no overflow, no subnormals.
func eiselLemire(mant uint64, exp int) (v float64, ok bool) {
	if mant == 0 {
		return 0, true
	}
	if exp < minPower || exp > maxPower {
		return 0, false
	}
	pow := &powersOfTen[exp-minPower]
	shift := bits.LeadingZeros64(mant)
	mant <<= shift
	// 217706/2^16 approximates log2(10), well enough for the exponent of every power here.
	exp2 := uint64(217706*exp>>16+64+1023) - uint64(shift)

	hi, lo := bits.Mul64(mant, pow[1])
	if hi&0x1FF == 0x1FF && lo+mant < mant { // the omitted 64 bits of pow may carry
		hi2, lo2 := bits.Mul64(mant, pow[0])
		sum := lo + hi2
		if sum < lo {
			hi++
		}
		if hi&0x1FF == 0x1FF && sum+1 == 0 && lo2+mant < mant {
			return 0, false
		}
		lo = sum
	}
	top := hi >> 63
	frac := hi >> (top + 9) // 54 bits, one more than needed
	exp2 -= 1 ^ top
	if lo == 0 && hi&0x1FF == 0 && frac&3 == 1 { // exactly halfway, as far as known
		return 0, false
	}
	frac = (frac + frac&1) >> 1
	if frac>>53 != 0 {
		frac >>= 1
		exp2++
	}
	return math.Float64frombits(exp2<<52 | frac&(1<<52-1)), true
}

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// These are the limits of the powers of ten that eiselLemire uses.
const (
	minPower = -60
	maxPower = 40
)

// powersOfTen holds for each q in [minPower, maxPower] the 128 most significant bits of 10^q, low word first, rounded down.
var powersOfTen = func() (table [maxPower - minPower + 1][2]uint64) {
	ten, word := big.NewInt(10), new(big.Int).SetUint64(1<<64-1)
	for q := minPower; q <= maxPower; q++ {
		v := new(big.Int).Exp(ten, big.NewInt(int64(max(q, -q))), nil)
		if q < 0 { // 2^k / 10^-q has at least 128 bits
			v.Quo(new(big.Int).Lsh(big.NewInt(1), 128+uint(v.BitLen())), v)
		}
		if n := v.BitLen(); n > 128 {
			v.Rsh(v, uint(n-128))
		} else {
			v.Lsh(v, uint(128-n))
		}
		table[q-minPower] = [2]uint64{new(big.Int).And(v, word).Uint64(), v.Rsh(v, 64).Uint64()}
	}
	return table
}()
