package constraint

import (
	"errors"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
)

// Excluded needs a node whose dependence on y through z is ten standard errors, and which is independent of y given z at the level
// of 0.1. A hidden common cause that changes the effect of z on y by a fifth would then show as a dependence of two standard errors.
const (
	throughZ  = 10 * 10
	freeGiven = 0.1
)

// Excluded reports whether the tests exclude a hidden common cause of z and y. The PAG must have a visible edge z → y, and a node q with
// an arrowhead at z must not only lack an edge to y: q and y must be clearly dependent without z, and independent given z.
// Without the first, a weak edge that the search missed would look like evidence.
func (s *Search) Excluded(p *graph.PAG, z, y int) (bool, error) {
	if !p.Visible(z, y) {
		return false, nil
	}
	w := independence.WorkerOf(s.test)
	for _, q := range p.Neighbors(z) {
		if q == y || p.At(q, z) != graph.Arrow || p.Adjacent(q, y) {
			continue
		}
		set, ok := s.sepset(q, y)
		if !ok {
			continue
		}
		rest := intset.Without(set, z)
		open, err := s.pValue(w, q, y, rest)
		if err == nil && squared(open) > throughZ {
			var closed float64
			if closed, err = s.pValue(w, q, y, intset.With(rest, z)); err == nil && closed > freeGiven {
				return true, nil
			}
		}
		if err != nil && !errors.Is(err, independence.ErrRows) {
			return false, err
		}
	}
	return false, nil
}
