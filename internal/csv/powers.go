package csv

import "math/big"

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
