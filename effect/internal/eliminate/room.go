package eliminate

import "slices"

// mostRoom and passRoom limit the memory of an elimination and of a pass, in cells: 32 MB and 16 MB. They apply
// per thread, so that the number of threads does not change the results. If a pass is too large, single
// eliminations need less.
const (
	mostRoom = 1 << 22
	passRoom = 1 << 21
)

// span is a range in the memory of an elimination.
type span struct{ at, n int }

func (s span) of(memory []float64) []float64 { return memory[s.at:][:s.n:s.n] }

// room allocates positions in one block of memory when an elimination is planned, so that its size is known
// before anything is computed.
type room struct {
	held []span // ascending
	most int    // cells of the memory
}

// take allocates n cells at the first free position.
func (r *room) take(n int) span {
	s, i := span{0, n}, 0
	for ; i < len(r.held) && r.held[i].at < s.at+n; i++ {
		s.at = r.held[i].at + r.held[i].n
	}
	r.held = slices.Insert(r.held, i, s)
	r.most = max(r.most, s.at+n)
	return s
}

// free releases a range.
func (r *room) free(s span) {
	r.held = slices.DeleteFunc(r.held, func(x span) bool { return x == s })
}

// place allocates the messages, each until its receiving bucket has used it. For the way back of a pass, the
// messages and whole products of the needed buckets stay to the end; needed is nil without a way back. It
// returns the size of the memory in cells.
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
