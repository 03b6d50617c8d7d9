package csv

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestPowersOfTen compares with entries of eisel_lemire.go in Go's strconv.
func TestPowersOfTen(t *testing.T) {
	for q, want := range map[int][2]uint64{
		-60: {0x3792f412cb06794d, 0xcdb02555653131b6},
		-27: {0x775ea264cf55347d, 0x9e74d1b791e07e48},
		0:   {0, 1 << 63},
		35:  {0x3c7f400000000000, 0x9a130b963a6c115c},
		40:  {0x5dcfab0800000000, 0xeb194f8e1ae525fd},
	} {
		if got := powersOfTen[q-minPower]; got != want {
			t.Errorf("1e%d: %x, want %x", q, got, want)
		}
	}
}

// checkFloat compares parseFloat with strconv on one number.
func checkFloat(t *testing.T, s string) (fast bool) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	for _, after := range []string{",", "\n", ",1234567890"} {
		got, next, ok := parseFloat([]byte(s+after), 0, '.')
		if ok && (err != nil || next != len(s) || math.Float64bits(got) != math.Float64bits(want)) {
			t.Errorf("parseFloat(%q) = %v up to %d; strconv: %v, %v", s+after, got, next, want, err)
		}
		fast = ok
	}
	if got, perr := ParseNumber([]byte(s), '.'); (perr == nil) != (err == nil) || perr == nil && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("parseNumber(%q) = %v, %v; strconv: %v, %v", s, got, perr, want, err)
	}
	return fast
}

func TestParseFloat(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "+0", "0.0", "1", "-1", "+1", "1.", ".5", "-.5", "123456789", "00001", "1e5", "1E5", "1e+5", "1e-5", "1.5e3",
		"0.1", "0.30000000000000004", "9007199254740992", "9007199254740993", "9007199254740995", "18446744073709551615",
		"18446744073709551616", "9999999999999999999", "99999999999999999999", "1e22", "1e23", "9007199254740993e22",
		"0.000000000000000000000000000012345678901234567", "0000000000000000000000012345", "1e308", "1e309", "-1e309", "1e-400",
		"4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1e99999999999999999999", "1e-99999999999999999999",
		"8.442911973260991817129021e-309", "6929495644600919.5", "3.7455744005952583e15", "0e9999", "0.000e-9999",
		"1.00000000000000011102230246251565404236316680908203125", "7.2057594037927933e+16", "100000000000000016777215",
		"0." + strings.Repeat("0", 99) + "1e1000", "0." + strings.Repeat("0", 1000) + "1e10000", // zeros do not make up for a long exponent
	} {
		checkFloat(t, s)
	}
	for _, s := range []string{"", "-", "+", ".", "-.", "e", "1e", "1e+", "1.5e-", "+-1", "--1", "1..2", "1.2.3", "0x10", "1_000", "inf", "nan", "1f"} {
		if v, next, ok := parseFloat([]byte(s+","), 0, '.'); ok && next == len(s) {
			t.Errorf("parseFloat(%q) = %v", s, v)
		}
		if v, err := ParseNumber([]byte(s), '.'); err == nil {
			t.Errorf("parseNumber(%q) = %v", s, v)
		}
	}
}

// TestParseFloatRandom checks random numbers in every notation; those of ordinary size must take the fast path.
func TestParseFloatRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30_000 {
		v := rng.NormFloat64()
		if !checkFloat(t, strconv.FormatFloat(v, 'g', -1, 64)) {
			t.Fatalf("%v: slow", v)
		}
		v *= math.Pow(10, float64(rng.IntN(40)-20))
		checkFloat(t, strconv.FormatFloat(v, "efg"[rng.IntN(3)], rng.IntN(22)-1, 64))
		checkFloat(t, strconv.FormatFloat(math.Float64frombits(rng.Uint64()&^(1<<62)), 'g', -1, 64))
		// A decimal at or near the midpoint of two float64.
		f := new(big.Float).SetPrec(200).SetFloat64(v)
		f.Add(f, new(big.Float).SetFloat64((math.Nextafter(v, 2*v)-v)/2))
		checkFloat(t, f.Text('e', 15+rng.IntN(8)))
		digits := strings.Repeat(strconv.FormatUint(rng.Uint64(), 10), 2)[:1+rng.IntN(25)]
		point := rng.IntN(len(digits) + 1)
		checkFloat(t, digits[:point]+"."+digits[point:]+"e"+strconv.Itoa(rng.IntN(100)-50))
	}
}
