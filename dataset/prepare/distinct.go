package prepare

import (
	"math"
	"math/bits"
)

// A distinct counts the occurrences of distinct numbers up to a limit of distinct numbers, beyond which it accepts no more. It is a
// hash table with linear probing, at most half full, with 16 bytes per slot: at most 64·limit bytes.
type distinct struct {
	limit int // at least 1; set before the first add
	slots []distinctSlot
	shift int // right shift from a hash to a slot
	used  int
	total int // numbers added
}

type distinctSlot struct {
	value float64 // NaN marks a free slot
	times int
}

// full reports whether the limit was reached.
func (t *distinct) full() bool { return t.used >= t.limit }

// add adds numbers, none of them NaN, and returns how many it accepted. This is less than all if the table becomes full. -0 counts
// as 0.
func (t *distinct) add(x []float64) int {
	for i := 0; i < len(x); i++ {
		// This is the loop for a column with few values, without unpredictable branches.
		slots, shift := t.slots, t.shift
		for ; i < len(x) && len(slots) > 0; i++ {
			v := x[i] + 0 // -0 + 0 = 0
			s := &slots[int(math.Float64bits(v)*golden>>shift)&(len(slots)-1)]
			if s.value != v {
				break
			}
			s.times++
		}
		if i == len(x) {
			break
		}
		if t.full() {
			t.total += i
			return i
		}
		t.insert(x[i] + 0)
	}
	t.total += len(x)
	return len(x)
}

// insert adds a number that is not -0.
func (t *distinct) insert(x float64) {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	s := &t.slots[t.find(x)]
	if s.value != x {
		*s = distinctSlot{value: x}
		t.used++
	}
	s.times++
}

// golden is 2⁶⁴/φ, odd.
const golden = 0x9e3779b97f4a7c15

// slot returns the first slot to try for x, which is not -0: the top bits of its product with 2⁶⁴/φ (Knuth, TAOCP 6.4).
func (t *distinct) slot(x float64) int {
	return int(math.Float64bits(x) * golden >> t.shift)
}

func (t *distinct) grow() {
	old := t.slots
	t.slots = make([]distinctSlot, max(16, 2*len(old)))
	t.shift = 64 - bits.TrailingZeros(uint(len(t.slots)))
	for k := range t.slots {
		t.slots[k].value = math.NaN()
	}
	for _, s := range old {
		if s.value == s.value {
			t.slots[t.find(s.value)] = s
		}
	}
}

// find returns the slot of x, which is not -0, or the free slot where it belongs.
func (t *distinct) find(x float64) int {
	k := t.slot(x)
	for t.slots[k].value == t.slots[k].value && t.slots[k].value != x {
		k = (k + 1) & (len(t.slots) - 1)
	}
	return k
}

// count returns the number of distinct numbers, at most the limit.
func (t *distinct) count() int { return t.used }

// top returns the most frequent number, the smallest in a tie, and its count, which is 0 if the table is empty.
func (t *distinct) top() (x float64, times int) {
	t.each(func(v float64, n int) {
		if n > times || n == times && v < x {
			x, times = v, n
		}
	})
	return x, times
}

// each calls f for every number, in any order.
func (t *distinct) each(f func(x float64, times int)) {
	for _, s := range t.slots {
		if s.value == s.value {
			f(s.value, s.times)
		}
	}
}
