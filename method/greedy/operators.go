package greedy

import (
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/search"
)

// A lister lists the operators of one column in one goroutine.
type lister struct {
	*walk
	eval search.Evaluator
	with []float64
	out  []operator
	cut  bool
}

// add records an operator with a gain. set is copied.
func (l *lister) add(x, y int, set []int, gain float64) {
	if gain > l.least { // false for NaN, the difference of infinite scores
		l.out = append(l.out, operator{x: x, y: y, set: slices.Clone(set), gain: gain})
	}
}

// additions lists the operators that give y a further parent x. For each clique of neighbors that includes all
// neighbors adjacent to x,
//
//	gain = s(y, parents + clique) - s(y, parents + clique + x)
//
// (Chickering 2002, theorem 15 and corollary 16). One call of Additions covers all x of a clique.
func (l *lister) additions(y int) {
	if l.full(y) {
		return
	}
	l.cliques(y, -1, func(set []int) {
		base := intset.Union(l.class.Parents(y), set)
		now := l.eval.Score(y, base)
		if now-now != 0 {
			return
		}
		for x := range l.with {
			l.with[x] = now
		}
		l.eval.Additions(l.with, y, base)
		for x, s := range l.with {
			if !(now-s > l.least) || l.dependent != nil && !l.dependent[y][x] || l.class.Adjacent(x, y) || !l.may(x, y) {
				continue
			}
			inside := func(u int) bool { return slices.Contains(set, u) || !l.class.Adjacent(x, u) }
			if every(l.class.Neighbors(y), inside) {
				l.add(x, y, set, now-s)
			}
		}
	})
}

// may reports whether the knowledge allows x and y to be adjacent.
func (l *lister) may(x, y int) bool {
	return l.Knowledge == nil || !l.Knowledge.Forbidden(x, y) || !l.Knowledge.Forbidden(y, x)
}

// full reports whether v has the largest allowed degree.
func (w *walk) full(v int) bool {
	c := w.class
	return w.MaxDegree > 0 && len(c.Parents(v))+len(c.Children(v))+len(c.Neighbors(v)) >= w.MaxDegree
}

// deletions lists the operators that remove a parent or neighbor x from y. For each clique of the neighbors of
// y that are adjacent to x,
//
//	gain = s(y, parents + clique + x) - s(y, parents + clique - x)
//
// (Chickering 2002, theorem 17 and corollary 18). The clique is the set of neighbors that remain parents of y.
func (l *lister) deletions(y int) {
	for _, joined := range [][]int{l.class.Parents(y), l.class.Neighbors(y)} {
		for _, x := range joined {
			if l.required(x, y) || l.required(y, x) {
				continue
			}
			l.cliques(y, x, func(set []int) {
				base := intset.Union(l.class.Parents(y), set)
				l.add(x, y, set, l.eval.Score(y, intset.With(base, x))-l.eval.Score(y, intset.Without(base, x)))
			})
		}
	}
}

func (w *walk) required(from, to int) bool { return w.must[graph.Edge{From: from, To: to}] }

// turns lists the operators that make a child or neighbor x of y its parent. With C the neighbors of y that are
// already its parents, N the neighbors of y that are adjacent to x, and E the part of C that stays with x,
//
//	gain = s(y, parents + C) - s(y, parents + C + x) + s(x, parents(x) + E + y) - s(x, parents(x) + E)
//
// For y → x, N is in C, and E is empty. For y — x, E is C ∩ N, and C is not in N, because otherwise the edge is
// covered and reversing it stays in the class (Hauser and Bühlmann 2012, propositions 31 and 34).
func (l *lister) turns(y int) {
	parents := l.class.Parents(y)
	gain := func(x int, set, kept []int) float64 {
		before, child := intset.Union(parents, set), intset.Union(intset.Without(l.class.Parents(x), y), kept)
		return l.eval.Score(y, before) - l.eval.Score(y, intset.With(before, x)) + l.eval.Score(x, intset.With(child, y)) - l.eval.Score(x, child)
	}
	l.cliques(y, -1, func(set []int) {
		for _, x := range l.class.Children(y) {
			if every(l.class.Neighbors(y), func(u int) bool { return slices.Contains(set, u) || !l.class.Adjacent(u, x) }) {
				l.add(x, y, set, gain(x, set, nil))
			}
		}
		for _, x := range l.class.Neighbors(y) {
			if slices.Contains(set, x) {
				continue
			}
			var kept []int
			for _, u := range set {
				if l.class.Adjacent(u, x) {
					kept = append(kept, u)
				}
			}
			if len(kept) < len(set) {
				l.add(x, y, set, gain(x, set, kept))
			}
		}
	})
}

// mostSets limits the sets of neighbors tried for one column, and for one deleted edge of it. A clique of
// twelve neighbors has that many.
const mostSets = 4096

// cliques calls f with every clique of neighbors of y, including the empty one, smaller ones first. With x ≥ 0
// they are neighbors adjacent to x. f must not retain the set.
func (l *lister) cliques(y, x int, f func(set []int)) {
	var from []int
	for _, u := range l.class.Neighbors(y) {
		if x < 0 || l.class.Adjacent(u, x) {
			from = append(from, u)
		}
	}
	f(nil)
	count := 1
	sets := [][]int{nil}
	for len(sets) > 0 {
		var larger [][]int
		for _, set := range sets {
			for _, u := range from {
				if len(set) > 0 && u <= set[len(set)-1] || !every(set, func(v int) bool { return l.class.Adjacent(u, v) }) {
					continue
				}
				if count++; count > mostSets {
					l.cut = true
					return
				}
				next := append(slices.Clone(set), u)
				f(next)
				larger = append(larger, next)
			}
		}
		sets = larger
	}
}

func every(list []int, holds func(int) bool) bool {
	return !slices.ContainsFunc(list, func(v int) bool { return !holds(v) })
}
