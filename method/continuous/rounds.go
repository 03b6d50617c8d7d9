package continuous

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// A descent ends where no single column has a better place. A round goes elsewhere and descends from there; it is kept where the
// objective is lower. There are two kinds, in turns. Graphs of the same Markov equivalence class have the same objective and
// other neighbours: one kind goes to a random one of them, in a random order that it allows. The other exchanges the places of ln d
// random pairs of columns. Under equal variances directions are no longer open, and the first kind keeps the graph.

// patience is how many rounds in a row may find nothing.
const patience = 8

// improve descends and makes rounds until patience of them in a row have found nothing. It reports false where the context ended
// first; the best graph so far is then in force. Between two passes of the first descent and between two rounds it can be taken up
// again from what encode returns.
func (s *swaps) improve(ctx context.Context, seed uint64, between func()) bool {
	if s.round == 0 {
		s.resumable = s.scale == nil
		if !s.settle(ctx, between) {
			return false
		}
		s.round = 1
	}
	best, order, parents := s.objective(), slices.Clone(s.order), s.parents()
	for s.failed < patience {
		rng := rand.New(rand.NewPCG(seed, uint64(s.round)))
		s.resumable = false
		if s.round%2 == 1 {
			if s.scale == nil {
				s.turn(rng)
			}
			s.place(s.shuffled(rng))
		} else {
			s.exchange(ctx, rng)
		}
		done := s.settle(ctx, between)
		if now := s.objective(); now < best-s.eps {
			best, order, parents = now, slices.Clone(s.order), s.parents()
			s.failed = 0
		} else {
			s.stand(order, parents)
			s.failed++
		}
		if !done {
			return false
		}
		s.round++
		s.resumable = s.scale == nil
		between()
	}
	return true
}

// stand goes to a graph that was there before.
func (s *swaps) stand(order []int, parents [][]int) {
	for v := range s.now {
		s.set(v, s.on(v, parents[v]))
	}
	s.place(order)
}

// place puts an order in force that the graph allows, and queues every column.
func (s *swaps) place(order []int) {
	copy(s.order, order)
	for i, v := range order {
		s.pos[v], s.queued[v] = i, true
	}
}

// turn reverses covered edges at random, one for each column on average. An edge u → v is covered where v has the parents of u and
// u besides, and turning it round leaves the class (Chickering 1995). Required edges and what is forbidden stay as they are.
func (s *swaps) turn(rng *rand.Rand) {
	d := len(s.now)
	for range d {
		v := rng.IntN(d)
		parents := s.now[v].parents
		if len(parents) == 0 {
			continue
		}
		u := parents[rng.IntN(len(parents))]
		rest := slices.DeleteFunc(slices.Clone(parents), func(p int) bool { return p == u })
		if !slices.Equal(rest, s.now[u].parents) || slices.Contains(s.required[v], u) || s.forbidden != nil && s.forbidden[v*d+u] {
			continue
		}
		at, _ := slices.BinarySearch(rest, v)
		s.set(u, s.on(u, slices.Insert(slices.Clone(rest), at, v)))
		s.set(v, s.on(v, rest))
	}
}

// exchange lets ln d random pairs of columns change places, and refits. A pair between which a required edge would then lead
// backwards stays.
func (s *swaps) exchange(ctx context.Context, rng *rand.Rand) {
	d := len(s.now)
	order := slices.Clone(s.order)
	for range max(1, int(math.Log(float64(d)))) {
		i, j := rng.IntN(d), rng.IntN(d)
		order[i], order[j] = order[j], order[i]
		if !s.allowed(order) {
			order[i], order[j] = order[j], order[i]
		}
	}
	s.place(order)
	for v := range d {
		s.set(v, s.among(v, s.now[v], func(x int) bool { return s.pos[x] < s.pos[v] }))
	}
	s.refit(ctx)
}

// allowed reports whether every required edge leads forwards.
func (s *swaps) allowed(order []int) bool {
	seen := make([]bool, len(order))
	for _, v := range order {
		for _, p := range s.required[v] {
			if !seen[p] {
				return false
			}
		}
		seen[v] = true
	}
	return true
}

// shuffled draws an order in which every column stands after its parents: of those whose parents are placed, any one comes next.
func (s *swaps) shuffled(rng *rand.Rand) []int {
	d := len(s.now)
	open, children := make([]int, d), make([][]int, d)
	var ready []int
	for v, f := range s.now {
		open[v] = len(f.parents)
		if open[v] == 0 {
			ready = append(ready, v)
		}
		for _, p := range f.parents {
			children[p] = append(children[p], v)
		}
	}
	order := make([]int, 0, d)
	for len(ready) > 0 {
		i := rng.IntN(len(ready))
		v := ready[i]
		ready[i] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, v)
		for _, c := range children[v] {
			if open[c]--; open[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	return order
}
