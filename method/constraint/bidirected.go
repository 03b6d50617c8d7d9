package constraint

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
)

// These are the smallest gains in BIC for which z ↔ y replaces z → y: positive evidence on the scale of Kass and Raftery (1995), and
// very strong evidence if the equivalence class of the DAG implies that z is a cause of y. They are heuristic.
const (
	leastGain    = 4
	againstClass = 10
)

// Bidirected removes edges that the initial DAG needs only because it has no bidirected edges. If q → z and a hidden common cause
// joins z and y, then q and y are independent, but dependent given z. A DAG with z → y therefore needs a further edge between q and
// y. Each edge z → y of the DAG, or of an equivalent DAG with this edge reversed, is compared with z ↔ y. rows is the number of rows.
func (s *Search) Bidirected(ctx context.Context, rows float64) error {
	dag := s.initial()
	class := dag.Class(false)
	found := make([][]exchange, dag.N())
	err := s.parallel(ctx, dag.N(), func(w independence.Test, y int, few *bool) error {
		for _, z := range dag.Neighbors(y) {
			others := intset.Without(s.state.Parents[y], z)
			if dag.At(z, y) == graph.Tail && !slices.Equal(others, intset.Without(s.state.Parents[z], y)) || s.must[pair(z, y)] {
				continue // neither the DAG nor an equivalent one with this edge reversed has z → y
			}
			var into []int
			for _, q := range dag.Neighbors(z) {
				if mark := class.At(q, z); q != y && (mark == graph.Arrow && !dag.Adjacent(q, y) || mark != graph.Tail && slices.Contains(others, q)) {
					into = append(into, q)
				}
			}
			x, err := s.exchange(w, graph.Edge{From: z, To: y}, others, into, math.Log(rows))
			if errors.Is(err, independence.ErrRows) {
				*few = true
				continue
			}
			if err != nil {
				return err
			}
			x.least = leastGain
			if class.At(y, z) == graph.Tail {
				x.least = againstClass
			}
			if len(x.free) > 0 {
				found[y] = append(found[y], x)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(a, b exchange) int { return cmp.Compare(b.gain, a.gain) })
	s.state.Gain = map[graph.Edge]float64{}
	for _, x := range all {
		for _, q := range intset.With(x.free, x.From) {
			if _, ok := s.state.Gain[pair(q, x.To)]; !ok {
				s.state.Gain[pair(q, x.To)] = x.gain
			}
		}
		if x.gain <= x.least {
			continue
		}
		for _, q := range x.free {
			if _, ok := s.state.Sep[pair(q, x.To)]; !ok && !s.must[pair(q, x.To)] {
				s.remove(q, x.To)
				s.separate(q, x.To, x.given)
			}
		}
	}
	return nil
}

// initial returns the initial DAG.
func (s *Search) initial() *graph.PAG {
	p := graph.NewPAG(len(s.state.Parents))
	for y, parents := range s.state.Parents {
		for _, x := range parents {
			p.Set(x, y, graph.Tail, graph.Arrow)
		}
	}
	return p
}

// An exchange is z ↔ y in place of z → y.
type exchange struct {
	graph.Edge         // z → y
	free       []int   // nodes q that are then independent of y given the set
	given      []int   // ascending
	gain       float64 // gain in BIC
	least      float64 // gain from which z ↔ y replaces z → y
}

// HiddenGain returns the largest gain in BIC of an exchange by which the adjacent x and y have no common edge, or a bidirected one. ok is
// false if no test can tell.
func (s *Search) HiddenGain(x, y int) (gain float64, ok bool) {
	gain, ok = s.state.Gain[pair(x, y)]
	return gain, ok
}

// exchange compares z ↔ y with z → y, which is e. others are the other parents of y, and into are nodes q whose edge with z has, or
// may have, an arrowhead at z. The two graphs differ in what they imply for these:
//
//	z → y: if q is no parent of y, it is independent of y given all parents of y
//	z ↔ y: q is independent of y given the parents of y except z and q, and needs no edge to y
//
// A parent q of y that stays dependent keeps its edge and does not count. q is added to the conditioning set after its test, so
// that the sum of the statistics tests all q together.
func (s *Search) exchange(w independence.Test, e graph.Edge, others, into []int, penalty float64) (x exchange, err error) {
	y := e.To
	x = exchange{Edge: e, free: into}
	for _, v := range others {
		if !slices.Contains(into, v) {
			x.given = append(x.given, v)
		}
	}
	for {
		kept, least := -1, s.set.Alpha
		for _, q := range x.free {
			if !slices.Contains(others, q) {
				continue
			}
			p, err := s.pValue(w, q, y, x.given)
			if err != nil {
				return x, err
			}
			if p <= least && (kept < 0 || p < least) {
				kept, least = q, p
			}
		}
		if kept < 0 {
			break
		}
		x.free, x.given = intset.Without(x.free, kept), intset.With(x.given, kept)
	}
	given, all := x.given, intset.With(others, e.From)
	for _, q := range x.free {
		p, err := s.pValue(w, q, y, given)
		if err != nil {
			return x, err
		}
		x.gain -= squared(p)
		given = intset.With(given, q)
		if slices.Contains(others, q) {
			x.gain += penalty
			continue
		}
		if p, err = s.pValue(w, q, y, all); err != nil {
			return x, err
		}
		x.gain += squared(p)
		all = intset.With(all, q)
	}
	return x, nil
}

// pValue tests x and y. A condition beyond the largest size counts as too large for the rows.
func (s *Search) pValue(w independence.Test, x, y int, given []int) (float64, error) {
	if s.set.MaxGiven >= 0 && len(given) > s.set.MaxGiven {
		return 0, independence.ErrRows
	}
	r, err := w.Independent(x, y, given)
	return r.P, err
}

// squared returns the square of the standard normal quantile of a two-sided p-value. Below 1e-12, where Erfcinv is inaccurate, it
// returns the leading term.
func squared(p float64) float64 {
	if p < 1e-12 {
		return -2 * math.Log(max(p, 1e-300))
	}
	z := math.Sqrt2 * math.Erfcinv(p)
	return z * z
}
