package dataset

import (
	"math"
	"math/bits"
)

// repeats counts the rows that came before, among the first RepeatedLimit, by hash tables of 64-bit hashes, at most
// half full.
type repeats struct {
	rows, found int
	slots       []uint64 // 0 is free
	used        int
}

// add takes whole rows of d values.
func (r *repeats) add(rows []float64, d int) {
	for len(rows) > 0 && r.rows < RepeatedLimit {
		if 2*r.used >= len(r.slots) {
			r.grow()
		}
		if r.insert(hashRow(rows[:d])) {
			r.used++
		} else {
			r.found++
		}
		r.rows++
		rows = rows[d:]
	}
	if r.rows == RepeatedLimit {
		r.slots = nil
	}
}

// insert reports whether h is new.
func (r *repeats) insert(h uint64) bool {
	mask := len(r.slots) - 1
	for k := int(h) & mask; ; k = (k + 1) & mask {
		switch r.slots[k] {
		case 0:
			r.slots[k] = h
			return true
		case h:
			return false
		}
	}
}

func (r *repeats) grow() {
	old := r.slots
	r.slots = make([]uint64, max(1024, 2*len(old)))
	for _, h := range old {
		if h != 0 {
			r.insert(h)
		}
	}
}

// hashRow returns a hash of the values that is not 0. Equal values have equal hashes: -0 is 0, and all NaN are one. Four
// chains keep the multiplier busy.
func hashRow(row []float64) uint64 {
	a, b, c, d := uint64(0x243f6a8885a308d3), uint64(0x13198a2e03707344), uint64(0xa4093822299f31d0), uint64(0x082efa98ec4e6c89)
	for len(row) >= 4 {
		a, b, c, d = fold(a, row[0]), fold(b, row[1]), fold(c, row[2]), fold(d, row[3])
		row = row[4:]
	}
	for _, v := range row {
		a = fold(a, v)
	}
	h := a
	for _, v := range [...]uint64{b, c, d} {
		hi, lo := bits.Mul64(h^v, golden)
		h = bits.RotateLeft64(hi^lo, 23)
	}
	return max(h, 1)
}

// fold mixes x into h: the halves of a product, folded.
func fold(h uint64, x float64) uint64 {
	v := math.Float64bits(x + 0) // -0 + 0 = 0
	if x != x {
		v = 1
	}
	hi, lo := bits.Mul64(h^v, golden)
	return hi ^ lo
}
