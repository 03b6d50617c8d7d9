package continuous

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// A descent ends when no single column has a better position. A round moves elsewhere and descends from there;
// it is kept if the objective is lower. Two kinds alternate. The first moves to a random graph of the same
// Markov equivalence class, which has the same objective and other neighbors, in a random order. The second
// swaps the positions of ln d random pairs of columns. Under equal variances all directions are identified, and
// the first kind keeps the graph.

// patience is the number of consecutive rounds without improvement before the search ends.
const patience = 8

// improve descends and makes rounds until patience consecutive rounds found nothing. It returns false if the
// context ended first; the best graph so far is then the present one. It can resume from encode between two
// passes of the first descent and between two rounds.
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

// stand restores an earlier graph.
func (s *swaps) stand(order []int, parents [][]int) {
	for v := range s.now {
		s.set(v, s.on(v, parents[v]))
	}
	s.place(order)
}

// place sets an order that the graph allows and queues every column.
func (s *swaps) place(order []int) {
	copy(s.order, order)
	for i, v := range order {
		s.pos[v], s.queued[v] = i, true
	}
}

// turn reverses random covered edges, one per column on average. An edge u → v is covered if v has the parents
// of u and u itself; reversing it stays in the class (Chickering 1995). Required edges stay, and forbidden ones
// are not created.
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

// exchange swaps the positions of ln d random pairs of columns and refits. It skips a pair if a required edge
// would then point backwards.
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

// allowed reports whether every required edge points forwards.
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

// shuffled draws a random order in which every column follows its parents.
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
