package prepare

import (
	"math"
	"math/bits"
)

// A distinct counts the different numbers among those added, with how often each came, up to a limit of different ones;
// then it takes no more. It is a hash table with linear probing, at most half full: 16 bytes a slot, so at most 64·limit
// bytes.
type distinct struct {
	limit int // at least 1; set before the first add
	slots []distinctSlot
	shift int // of a hash to a slot
	used  int
	total int // numbers added
}

type distinctSlot struct {
	value float64 // NaN: the slot is free
	times int
}

// full reports whether the limit was reached.
func (t *distinct) full() bool { return t.used >= t.limit }

// add adds numbers, none of them NaN, and returns how many it took: all, or once the table is full some. -0 is 0.
func (t *distinct) add(x []float64) int {
	for i := 0; i < len(x); i++ {
		// The loop of a column with few values: no branch that the processor cannot foresee.
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

// insert adds a number, not -0.
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

// slot returns where x, not -0, is looked for first: the top bits of its product with 2⁶⁴/φ (Knuth, TAOCP 6.4).
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

// find returns the slot of x, not -0, or the free one where it belongs.
func (t *distinct) find(x float64) int {
	k := t.slot(x)
	for t.slots[k].value == t.slots[k].value && t.slots[k].value != x {
		k = (k + 1) & (len(t.slots) - 1)
	}
	return k
}

// count returns the number of different numbers, or the limit where there are as many or more.
func (t *distinct) count() int { return t.used }

// top returns the most frequent number and how often it came; of several, the least. 0 times if there is none.
func (t *distinct) top() (x float64, times int) {
	t.each(func(v float64, n int) {
		if n > times || n == times && v < x {
			x, times = v, n
		}
	})
	return x, times
}

// each calls f for every number, in no order that matters.
func (t *distinct) each(f func(x float64, times int)) {
	for _, s := range t.slots {
		if s.value == s.value {
			f(s.value, s.times)
		}
	}
}
