package vec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// CountBits counts the bits at each place of some rows of words: row i of the table has the words table[i·width] to
// table[(i+1)·width - 1], and a row may be listed several times. Bit b of the count of bit k of word g is bit k of planes[b·width + g],
// for b below Planes(len(rows)). Every row must be in the table.
func CountBits(planes, table []uint64, width int, rows []uint32) {
	if width < 1 || len(table)%width != 0 || len(planes) < width*Planes(len(rows)) {
		panic(fmt.Sprintf("vec: CountBits of %d words in rows of %d into %d", len(table), width, len(planes)))
	}
	if len(rows) == 0 {
		clear(planes[:width*Planes(0)])
		return
	}
	countBits(best, planes, table, width, rows)
}

// Planes returns the number of planes of CountBits for so many rows, at least four.
func Planes(rows int) int { return max(4, bits.Len(uint(rows))) }

// SpreadBits writes the counts of CountBits, from depth ≤ 8 planes of width words each, to one byte for each bit.
func SpreadBits(dst []uint8, planes []uint64, width, depth int) {
	if width < 1 || len(dst) < 64*width || depth < 1 || depth > 8 || len(planes) < width*depth {
		panic(fmt.Sprintf("vec: SpreadBits of %d planes of %d words from %d words into %d bytes", depth, width, len(planes), len(dst)))
	}
	spreadBits(best, dst, planes, width, depth)
}

// countBitsGo is CountBits in Go. Eight rows go through full adders at a time (Harley and Seal's population count).
func countBitsGo(planes, table []uint64, width int, rows []uint32) {
	depth := Planes(len(rows))
	for g := range width {
		var p [32]uint64
		ones, twos, fours, eights := uint64(0), uint64(0), uint64(0), uint64(0)
		left, from := rows, table[g:]
		for len(left) > 0 {
			var r [8]uint64
			if len(left) >= 8 {
				for i, row := range left[:8:8] {
					r[i] = from[int(row)*width]
				}
				left = left[8:]
			} else {
				for i, row := range left {
					r[i] = from[int(row)*width]
				}
				left = nil
			}
			var twoA, twoB, fourA, fourB, eight uint64
			ones, twoA = fullAdd(ones, r[0], r[1])
			ones, twoB = fullAdd(ones, r[2], r[3])
			twos, fourA = fullAdd(twos, twoA, twoB)
			ones, twoA = fullAdd(ones, r[4], r[5])
			ones, twoB = fullAdd(ones, r[6], r[7])
			twos, fourB = fullAdd(twos, twoA, twoB)
			fours, eight = fullAdd(fours, fourA, fourB)
			carry := eights & eight
			eights ^= eight
			for b := 4; carry != 0; b++ {
				p[b&31], carry = p[b&31]^carry, p[b&31]&carry
			}
		}
		p[0], p[1], p[2], p[3] = ones, twos, fours, eights
		for b := range depth {
			planes[b*width+g] = p[b]
		}
	}
}

// fullAdd adds three bits at each place.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// spreadBitsGo is SpreadBits in Go.
func spreadBitsGo(dst []uint8, planes []uint64, width, depth int) {
	for g := range width {
		for k := range 8 {
			sum := uint64(0)
			for b := range depth {
				sum |= spread[uint8(planes[b*width+g]>>(8*k))] << b
			}
			binary.LittleEndian.PutUint64(dst[64*g+8*k:], sum)
		}
	}
}

// spread has bit i of an index in bit 8·i.
var spread = func() (table [256]uint64) {
	for k := range table {
		for i := range 8 {
			table[k] |= uint64(k>>i&1) << (8 * i)
		}
	}
	return table
}()
