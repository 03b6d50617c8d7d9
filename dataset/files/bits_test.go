package files

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestColumnOf checks that the last column of a sheet is XFD, the 16,384th.
func TestColumnOf(t *testing.T) {
	for ref, want := range map[string]int{"A1": 0, "Z9": 25, "AA10": 26, "BC17": 54, "XFD1": 16383, "C": 2, "a1": -1, "1A": -1, "": -1} {
		if got := columnOf(ref); got != want {
			t.Errorf("%q: column %d, want %d", ref, got, want)
		}
	}
}

// TestBuiltInNumberFormats checks the built-in formats of ECMA-376, part 1: dates from 14 to 17, times from 18
// to 21 and from 45 to 47, both in 22, and East Asian dates.
func TestBuiltInNumberFormats(t *testing.T) {
	for id := range 60 {
		want := xlsxNumber
		switch {
		case id >= 18 && id <= 21, id == 45, id == 46, id == 47:
			want = xlsxTime
		case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 36, id >= 50 && id <= 58:
			want = xlsxDate
		}
		if got := shownAs(id, ""); got != want {
			t.Errorf("format %d: %v, want %v", id, got, want)
		}
	}
}

// packDelta writes integers as DELTA_BINARY_PACKED with one bit width throughout, bit by bit: the slow twin of delta.
func packDelta(values []int64, width uint) []byte {
	const block, minis = 128, 4
	b := binary.AppendUvarint(nil, block)
	b = binary.AppendUvarint(b, minis)
	b = binary.AppendUvarint(b, uint64(len(values)))
	b = binary.AppendVarint(b, values[0])
	for at := 1; at < len(values); at += block {
		b = binary.AppendVarint(b, 0) // the smallest difference
		for range minis {
			b = append(b, byte(width))
		}
		bits := make([]byte, block*width/8)
		for i := range min(block, len(values)-at) {
			difference := uint64(values[at+i]) - uint64(values[at+i-1])
			for k := range width {
				if difference>>k&1 == 1 {
					place := uint(i)*width + k
					bits[place/8] |= 1 << (place % 8)
				}
			}
		}
		b = append(b, bits...)
	}
	return b
}

// TestDeltaWidths checks that differences of every width are read, also those that span nine bytes.
func TestDeltaWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for width := uint(1); width <= 64; width++ {
		values := make([]int64, 300)
		for i := 1; i < len(values); i++ {
			values[i] = int64(uint64(values[i-1]) + rng.Uint64()>>(64-width))
		}
		d, err := newDelta(packDelta(values, width), len(values))
		must.Succeed(t, err)
		got := make([]int64, len(values))
		if err := d.next(got); err != nil || !slices.Equal(got, values) {
			t.Errorf("%d bits: %v", width, err)
		}
	}
}

// TestDeltaOfAShortMiniblock checks that the last miniblock may end with its last value, as some writers leave it, and no earlier.
func TestDeltaOfAShortMiniblock(t *testing.T) {
	values := []int64{5, 6, 9, 11} // differences of 8 bits
	whole := packDelta(values, 8)
	short := len(whole) - 128 + 3
	for size, want := range map[int]bool{len(whole): true, short: true, short - 1: false} {
		d, err := newDelta(whole[:size], len(values))
		must.Succeed(t, err)
		got := make([]int64, len(values))
		if err := d.next(got); (err == nil) != want || want && !slices.Equal(got, values) {
			t.Errorf("%d of %d bytes: %v, %v", size, len(whole), got, err)
		}
	}
}

// One column is the least that a limit may allow.
func TestLeastMaxColumns(t *testing.T) {
	for most, want := range map[int]bool{0: false, 1: true} {
		s := DefaultSettings()
		s.MaxColumns = most
		if err := s.Validate(); (err == nil) != want {
			t.Errorf("MaxColumns = %d: %v", most, err)
		}
	}
}
