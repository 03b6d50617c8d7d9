package eliminate

import "slices"

// What an elimination of one target may hold at once, in cells, and what a pass may: 32 MB and 16 MB. Each thread may hold as much, and the bounds are
// the same for any number of them, so that threads change no answer. What is found by itself where a pass is too large needs less.
const (
	mostRoom = 1 << 22
	passRoom = 1 << 21
)

// span is a place in the memory of an elimination.
type span struct{ at, n int }

func (s span) of(memory []float64) []float64 { return memory[s.at:][:s.n:s.n] }

// room gives places in one piece of memory to tables that are held for a while. It is settled when an elimination is planned, so that what
// it holds is known, and can be bounded, before anything is computed.
type room struct {
	held []span // rising
	most int    // cells of the memory
}

// take gives a table of n cells the first place that is free.
func (r *room) take(n int) span {
	s, i := span{0, n}, 0
	for ; i < len(r.held) && r.held[i].at < s.at+n; i++ {
		s.at = r.held[i].at + r.held[i].n
	}
	r.held = slices.Insert(r.held, i, s)
	r.most = max(r.most, s.at+n)
	return s
}

// free ends the use of a place.
func (r *room) free(s span) {
	r.held = slices.DeleteFunc(r.held, func(x span) bool { return x == s })
}

// place gives the messages their places, each until the bucket that it goes to has used it. On the way back of a pass the messages and whole
// products of the buckets that are needed there are held to the end; needed is nil where there is no way back. It returns the cells of the memory.
func (p *plan) place(needed []bool) int {
	var r room
	for k := range p.buckets {
		b := &p.buckets[k]
		if needed != nil {
			b.wholeAt = r.take(b.cells)
		}
		b.messageAt = r.take(b.cells / p.levels[k])
		if needed != nil && !needed[k] {
			r.free(b.wholeAt)
		}
		for _, o := range b.operands {
			if o.from >= 0 && (needed == nil || !needed[o.from]) {
				r.free(p.buckets[o.from].messageAt)
			}
		}
	}
	return r.most
}
