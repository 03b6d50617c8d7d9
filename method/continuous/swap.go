package continuous

import (
	"cmp"
	"context"
	"slices"
)

// swaps improves an order of the columns. Given an order, the best W consists of d regressions, each of a
// column on columns before it, and the constraint holds exactly. The Karush-Kuhn-Tucker conditions show where
// the order is wrong: at an entry (u, v) with u after v whose gradient exceeds the penalty per edge. Each such
// pair suggests two moves: u to the position before v, and v to the position after u. Both are evaluated
// exactly, and the best move of a column is made if it lowers the objective.
//
// Reference: Deng, Bello, Aragam and Ravikumar, Optimizing NOTEARS objectives via topological swaps, ICML 2023.
// They swap the two columns of a pair and use an L1 penalty. Here one of them moves, and a penalty per edge
// gives exact zeros.
type swaps struct {
	*fits

	order, pos []int
	now        []*fit     // fit of each column on columns before it
	wanted     *bitMatrix // entry (u, v): u is a parent of v or would be a good one
	queued     []bool     // columns whose moves must be tried

	scale []float64 // standard deviations under equal variances, otherwise nil

	moves int
	eps   float64 // a move must gain more than this rounding error

	round, failed int  // for improve: the next round, 0 in the first descent, and the consecutive rounds without improvement
	resumable     bool // encode covers the whole state
}

// newSwaps starts at a graph. Every column has the given parents, ascending, all of which precede it.
func newSwaps(f *fits, order []int, parents [][]int) *swaps {
	d := len(order)
	s := &swaps{
		fits: f, order: slices.Clone(order), pos: make([]int, d), now: make([]*fit, d), wanted: newBitMatrix(d),
		queued: make([]bool, d), eps: 1e-9 * f.n * float64(d),
	}
	for i, v := range order {
		s.pos[v] = i
	}
	for v := range d {
		s.set(v, f.on(v, parents[v]))
		s.queued[v] = true
	}
	return s
}

// refit adds and removes parents of every column among those before it, until the context ends.
func (s *swaps) refit(ctx context.Context) {
	for _, v := range s.order {
		if ctx.Err() != nil {
			return
		}
		s.set(v, s.choose(v, s.now[v], func(x int) bool { return s.pos[x] < s.pos[v] }))
	}
}

// total returns the sum of the fits: the objective under unequal variances, and its tangent under equal ones.
func (s *swaps) total() float64 {
	sum := 0.0
	for _, f := range s.now {
		sum += f.loss
	}
	return sum
}

func (s *swaps) edges() int {
	sum := 0
	for _, f := range s.now {
		sum += len(f.parents)
	}
	return sum
}

func (s *swaps) parents() [][]int {
	out := make([][]int, len(s.now))
	for v, f := range s.now {
		out[v] = slices.Clone(f.parents)
	}
	return out
}

// set sets the fit of v and updates wanted.
func (s *swaps) set(v int, f *fit) {
	if old := s.now[v]; old != nil {
		for _, g := range old.gains {
			s.wanted.clear(g.from, v)
		}
		for _, p := range old.parents {
			s.wanted.clear(p, v)
		}
	}
	s.now[v] = f
	for _, g := range f.gains {
		s.wanted.set(g.from, v)
	}
	for _, p := range f.parents {
		s.wanted.set(p, v)
	}
}

// A move moves a column to another position and changes some fits.
type move struct {
	v, to   int // v and its new position after its removal
	delta   float64
	changes []change
}

type change struct {
	v int
	f *fit
}

// descend makes moves until none pays. It returns false if the context ended first. After each pass over the
// columns it calls between, where it can be resumed.
func (s *swaps) descend(ctx context.Context, between func()) bool {
	for {
		moved := false
		for _, v := range slices.Clone(s.order) {
			if !s.queued[v] {
				continue
			}
			if ctx.Err() != nil {
				return false
			}
			s.queued[v] = false
			if m := s.best(v); m.delta < -s.eps {
				s.apply(m)
				moved = true
			}
		}
		if between(); !moved {
			return true
		}
	}
}

// best returns the best move of v with one of the columns after it that would be a good parent of v. Its delta
// is 0 if none pays.
func (s *swaps) best(v int) move {
	best := move{v: v}
	var pairs []gain
	for _, g := range s.now[v].gains {
		if s.pos[g.from] > s.pos[v] {
			pairs = append(pairs, g)
		}
	}
	slices.SortFunc(pairs, func(a, b gain) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.from, b.from)) })
	children := s.children(v)
	for _, p := range pairs {
		s.later(v, p.from, children, &best)
		s.earlier(p.from, v, &best)
	}
	return best
}

// children lists the columns that have v as a parent, ordered by their positions.
func (s *swaps) children(v int) (out []int) {
	s.wanted.each(v, func(w int) {
		if _, has := slices.BinarySearch(s.now[w].parents, v); has {
			out = append(out, w)
		}
	})
	slices.SortFunc(out, func(a, b int) int { return s.pos[a] - s.pos[b] })
	return out
}

// later considers v at the position after u. v may then have the columns up to u as parents, and its children
// up to u lose it.
func (s *swaps) later(v, u int, children []int, best *move) {
	to := s.pos[u]
	own := s.choose(v, s.now[v], func(x int) bool { return s.pos[x] <= to })
	delta := own.loss - s.now[v].loss
	var changes []change
	for _, w := range children {
		at := s.pos[w]
		if at > to {
			break
		}
		if delta >= best.delta || slices.Contains(s.required[w], v) {
			return
		}
		f := s.choose(w, s.without(w, s.now[w], v), func(x int) bool { return x != v && s.pos[x] < at })
		delta += f.loss - s.now[w].loss
		changes = append(changes, change{w, f})
	}
	if delta < best.delta-s.eps {
		*best = move{v, to, delta, append(changes, change{v, own})}
	}
}

// earlier considers u at the position before v. u loses the columns from v on as parents, and they may take u.
func (s *swaps) earlier(u, v int, best *move) {
	to := s.pos[v]
	for _, p := range s.required[u] {
		if s.pos[p] >= to {
			return
		}
	}
	before := func(x int) bool { return s.pos[x] < to }
	own := s.choose(u, s.among(u, s.now[u], before), before)
	delta := own.loss - s.now[u].loss
	var takers []int
	hoped := 0.0
	s.wanted.each(u, func(w int) {
		if at := s.pos[w]; at < to || at > s.pos[u] {
			return
		}
		if by := s.now[w].of(u); by > 0 {
			takers = append(takers, w)
			hoped += by
		}
	})
	slices.SortFunc(takers, func(a, b int) int { return s.pos[a] - s.pos[b] })
	var changes []change
	for _, w := range takers {
		if delta-hope*hoped >= best.delta {
			return
		}
		old := s.now[w]
		hoped -= old.of(u)
		at := s.pos[w]
		f := s.choose(w, old, func(x int) bool { return x == u || s.pos[x] < at })
		delta += f.loss - old.loss
		changes = append(changes, change{w, f})
	}
	if delta < best.delta-s.eps {
		*best = move{u, to, delta, append(changes, change{u, own})}
	}
}

// hope is the largest expected gain of a refit, as a multiple of its first step. A move that cannot pay by then
// is abandoned.
const hope = 3

// apply makes a move and queues the affected columns.
func (s *swaps) apply(m move) {
	s.moves++
	at := s.pos[m.v]
	s.order = slices.Insert(slices.Delete(s.order, at, at+1), m.to, m.v)
	for i := min(at, m.to); i <= max(at, m.to); i++ {
		s.pos[s.order[i]] = i
	}
	for _, c := range m.changes {
		s.around(c.v)
		s.set(c.v, c.f)
		s.around(c.v)
	}
}

// around queues a column, its parents and possible parents, and the columns that could take it as a parent.
func (s *swaps) around(v int) {
	s.queued[v] = true
	for _, g := range s.now[v].gains {
		s.queued[g.from] = true
	}
	for _, p := range s.now[v].parents {
		s.queued[p] = true
	}
	s.wanted.each(v, func(w int) { s.queued[w] = true })
}
