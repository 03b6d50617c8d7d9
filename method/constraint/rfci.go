package constraint

import (
	"context"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
)

// rfci is the state of RFCI after the skeleton. Each test decides the next ones, so it is sequential.
type rfci struct {
	*Search
	stopped func() error
	worker  independence.Test
	err     error
}

// RFCI sets the marks of the skeleton without tests given sets beyond neighbours (Colombo, Maathuis, Kalisch and Richardson 2012).
// Before it uses a collider or a discriminating path, it tests its edges given the separating set of the ends and removes
// independent ones. The result has the edges of FCI and perhaps a few more.
func (s *Search) RFCI(ctx context.Context) (*graph.PAG, error) {
	r := &rfci{Search: s, stopped: ctx.Err, worker: independence.WorkerOf(s.test)}
	colliders := r.inspect(s.triples(), nil)
	p := s.circles()
	for _, t := range colliders {
		r.mark(p, t)
	}
	s.know(p)
	rules := s.rules()
	judge := rules.Judge
	rules.Judge = func(path []int) graph.Verdict {
		if r.err != nil {
			return graph.Undecided
		}
		if r.discard(p, path) {
			return graph.Withdrawn
		}
		return judge(path)
	}
	p.Close(rules)
	return p, r.err
}

// mark directs a triple as a collider if it was found to be one.
func (r *rfci) mark(p *graph.PAG, t Triple) {
	set, ok := r.sepset(t.A, t.B)
	if _, in := slices.BinarySearch(set, t.Mid); ok && !in {
		for _, v := range []int{t.A, t.B} {
			if p.At(v, t.Mid) == graph.Circle {
				p.Mark(v, t.Mid, graph.Arrow)
			}
		}
	}
}

// inspect tests the edges of unshielded triples given the separating set of their ends, and returns the triples whose edges remain.
// Other edges are removed from the skeleton and, if it is not nil, from p; new triples are inspected as well.
func (r *rfci) inspect(open []Triple, p *graph.PAG) (good []Triple) {
	for len(open) > 0 && r.err == nil {
		t := open[0]
		open = open[1:]
		if !r.adjacent(t.A, t.Mid) || !r.adjacent(t.Mid, t.B) || r.adjacent(t.A, t.B) {
			continue
		}
		set, ok := r.sepset(t.A, t.B)
		if !ok {
			continue
		}
		given := intset.Without(set, t.Mid)
		stands := true
		for _, end := range []int{t.A, t.B} {
			if r.must[pair(end, t.Mid)] || !r.tells(end, t.Mid, given) {
				continue
			}
			stands = false
			open = append(open, r.cut(end, t.Mid, given, p)...)
		}
		if stands {
			good = append(good, t)
		}
	}
	return slices.DeleteFunc(good, func(t Triple) bool { return !r.adjacent(t.A, t.Mid) || !r.adjacent(t.Mid, t.B) })
}

// tells reports whether x and y are independent given a set.
func (r *rfci) tells(x, y int, given []int) bool {
	if r.err == nil {
		r.err = r.stopped()
	}
	if r.err != nil {
		return false
	}
	independent, err := r.independent(r.worker, x, y, given, &r.state.Few)
	r.err = err
	return independent && err == nil
}

// cut removes the edge between x and y, which a set separates, stores a minimal separating subset, and returns the new unshielded
// triples.
func (r *rfci) cut(x, y int, set []int, p *graph.PAG) (made []Triple) {
	least := set
	for size := 0; size < len(set); size++ {
		found := false
		subsets(set, size, func(part []int) bool {
			if r.tells(x, y, part) {
				least, found = slices.Clone(part), true
			}
			return !found && r.err == nil
		})
		if found {
			break
		}
	}
	r.remove(x, y)
	r.separate(x, y, least)
	if p != nil {
		p.Remove(x, y)
	}
	for _, v := range r.state.Near[x] {
		if r.adjacent(v, y) {
			made = append(made, Triple{A: min(x, y), Mid: v, B: max(x, y)})
		}
	}
	return made
}

// discard tests the edges of a discriminating path given every subset of the separating set of its ends, and reports whether one
// was removed.
func (r *rfci) discard(p *graph.PAG, path []int) bool {
	set, ok := r.sepset(path[0], path[len(path)-1])
	if !ok {
		return false
	}
	for k := range len(path) - 1 {
		x, y := path[k], path[k+1]
		if r.must[pair(x, y)] {
			continue
		}
		given := intset.Without(intset.Without(set, x), y)
		for size := 0; size <= len(given); size++ {
			var by []int
			subsets(given, size, func(part []int) bool {
				if r.tells(x, y, part) {
					by = append([]int{}, part...)
				}
				return by == nil && r.err == nil
			})
			if r.err != nil {
				return false
			}
			if by != nil {
				for _, t := range r.inspect(r.cut(x, y, by, p), p) {
					r.mark(p, t)
				}
				return true
			}
		}
	}
	return false
}
