package prepare

import (
	"math"
	"math/bits"

	"github.com/polydag/polydag/dataset"
)

// repeats counts repeated rows among the first RepeatedLimit, by a hash table of 64-bit hashes that is at most half full.
type repeats struct {
	rows, found int
	slots       []uint64 // 0 marks a free slot
	used        int
	row         []float64 // buffer for one row
}

// add adds whole rows of d values, at most profileRows. clean reports that none is NaN.
func (r *repeats) add(rows []float64, d int, clean bool) {
	n := min(len(rows)/d, dataset.RepeatedLimit-r.rows)
	if n == 0 {
		r.slots = nil
		return
	}
	// All hashes are computed before all lookups, so that cache misses overlap.
	var hashes [profileRows]uint64
	for i := range n {
		row := rows[i*d : (i+1)*d]
		if !clean {
			r.row = append(r.row[:0], row...)
			row = r.row
			for j, v := range row {
				if v != v {
					row[j] = math.NaN() // one bit pattern for all NaN
				}
			}
		}
		hashes[i] = hashRow(row)
	}
	for 2*(r.used+n) > len(r.slots) {
		r.grow()
	}
	for _, h := range hashes[:n] {
		if r.insert(h) {
			r.used++
		} else {
			r.found++
		}
	}
	r.rows += n
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

// hashRow returns a nonzero hash of the values. Equal values have equal hashes, and -0 has that of 0. Four independent chains use
// the multiplier in parallel.
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

// fold mixes x into h by folding the halves of a product.
func fold(h uint64, x float64) uint64 {
	hi, lo := bits.Mul64(h^math.Float64bits(x+0), golden) // -0 + 0 = 0
	return hi ^ lo
}
