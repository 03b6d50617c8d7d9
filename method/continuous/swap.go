package continuous

import (
	"cmp"
	"context"
	"slices"
)

// swaps improves an order of the columns. Given an order, the best W is d regressions, each of a column on those before it, and
// the constraint is met exactly. What is left of the Karush-Kuhn-Tucker conditions says where the order is wrong: an entry (u, v) of
// W that the order forbids, u standing after v, and whose gradient is larger than the price of an edge. Each such pair
// proposes two moves, u to the place before v and v to the place after u. Both are evaluated exactly, by the regressions that they
// change, and the best move of a column is made if it lowers the objective.
//
// Reference: Deng, Bello, Aragam and Ravikumar, Optimizing NOTEARS objectives via topological swaps, ICML 2023. They exchange the two
// columns of a pair and take an L1 penalty; here one of them moves and an edge has a price, which leaves exact zeros.
type swaps struct {
	*fits

	order, pos []int
	now        []*fit     // of each column, on columns before it
	wanted     *bitMatrix // entry (u, v): v would take u as a parent, or has it
	queued     []bool     // columns whose moves are to be tried

	scale []float64 // standard deviations under equal variances, else nil

	moves int
	eps   float64 // a move must gain more than rounding

	round, failed int  // of improve: the next round, 0 in the first descent, and how many in a row have found nothing
	resumable     bool // encode holds all that the rest depends on
}

// newSwaps stands at a graph: every column has the given parents, ascending, all of which stand before it.
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

// refit grows and shrinks the parents of every column among those before it, until the context ends.
func (s *swaps) refit(ctx context.Context) {
	for _, v := range s.order {
		if ctx.Err() != nil {
			return
		}
		s.set(v, s.choose(v, s.now[v], func(x int) bool { return s.pos[x] < s.pos[v] }))
	}
}

// total is the sum of the fits: the objective under unequal variances, and its tangent under equal ones.
func (s *swaps) total() float64 {
	sum := 0.0
	for _, f := range s.now {
		sum += f.loss
	}
	return sum
}

// edges is the number of edges.
func (s *swaps) edges() int {
	sum := 0
	for _, f := range s.now {
		sum += len(f.parents)
	}
	return sum
}

// parents lists the parents of each column.
func (s *swaps) parents() [][]int {
	out := make([][]int, len(s.now))
	for v, f := range s.now {
		out[v] = slices.Clone(f.parents)
	}
	return out
}

// set gives v a fit and keeps wanted.
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

// A move takes a column to another place, with the fits that it changes.
type move struct {
	v, to   int // the place that v takes when it has been taken out
	delta   float64
	changes []change
}

type change struct {
	v int
	f *fit
}

// descend makes moves until none pays, and reports false where the context ended first. After each pass over the columns it calls
// between, from where it can be taken up again.
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

// best returns the best move that v proposes with one of the columns after it, each of which would lower the objective as a parent
// of v. Its delta is 0 where none pays.
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

// children lists the columns that have v as a parent, by their places.
func (s *swaps) children(v int) (out []int) {
	s.wanted.each(v, func(w int) {
		if _, has := slices.BinarySearch(s.now[w].parents, v); has {
			out = append(out, w)
		}
	})
	slices.SortFunc(out, func(a, b int) int { return s.pos[a] - s.pos[b] })
	return out
}

// later considers v at the place after u: v may take the columns up to u, and its children up to u lose it.
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

// earlier considers u at the place before v: u loses the columns from v on, which may take u.
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

// hope is how many times its first step a refit is expected to gain at most; a move that promises no more is given up.
const hope = 3

// apply makes a move and queues the columns that it concerns.
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

// around queues a column, those that it would take or has as parents, and those that would take it.
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
