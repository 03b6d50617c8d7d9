package search

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
)

// TestModelKeys checks the keys of additions and removals against the losses that they stand for, also where a parent explains all
// of the variance and rounding puts the reduction above it.
func TestModelKeys(t *testing.T) {
	p := Problem{N: 200, Scale: []float64{2, 4, 3}}
	for _, variance := range []Variance{Unequal, Equal} {
		m := newModel(p, variance)
		for _, c := range []struct{ s, q float64 }{{1, 0.3}, {0.5, 0.2}, {0.5, 0.5 - chol.Determined}, {0.5, 0.5}, {0.5, 0.5 + 1e-9}} {
			for v := range int32(3) {
				after := max(c.s-c.q, chol.Determined)
				want := m.loss(v, c.s) - m.loss(v, after)
				must.Near(t, m.gain(m.key(v, c.q, c.s)), want, 1e-4*math.Abs(want), "gain")
				must.Near(t, m.dropLoss(m.dropKey(v, c.s-after, after)), want, 1e-4*math.Abs(want), "loss of a removal")
				must.Near(t, m.gain(m.threshold(want)), want, 1e-4*want, "threshold")
				must.Near(t, m.dropLoss(m.dropThreshold(want)), want, 1e-9*want, "threshold of a removal")
				if key := m.key(v, c.q, c.s); c.q < 0.4 {
					must.Near(t, m.screen(v, c.s, key), c.q, 1e-12, "screen")
				}
			}
		}
		if loss := m.loss(1, 0); loss != m.loss(1, chol.Determined) {
			t.Errorf("%v variances: loss %v of a residual variance of 0, want that of the smallest", variance, loss)
		}
	}
	equal := newModel(p, Equal)
	for v, want := range []float64{1, 4, 2.25} { // squares of the scales in units of the smallest
		must.Near(t, equal.loss(int32(v), 1), want, 1e-15, "scale")
	}
}

// TestRenewEnds checks when another descent with a new noise variance follows: only with equal variances, after the first one only if
// it gained more than rounding, and settleTurns times at most.
func TestRenewEnds(t *testing.T) {
	p := randomSample(6, 9, 200, 1, 3).problem()
	for _, c := range []struct {
		name     string
		variance Variance
		turn     int
		gain     float64 // in margins
		ended    bool
		want     bool
	}{
		{"unequal variances", Unequal, 0, 100, false, false},
		{"first descent", Equal, 0, 0, false, true},
		{"gain of half a margin", Equal, 1, 0.5, false, false},
		{"gain of two margins", Equal, 1, 2, false, true},
		{"the context has ended", Equal, 1, 2, true, false},
		{"last turn", Equal, settleTurns - 1, 2, false, true},
		{"one turn too many", Equal, settleTurns, 2, false, false},
	} {
		s := DefaultSettings()
		s.Variance = c.variance
		r := newRun("search", p, s, nil)
		r.e.setBase(1)
		r.e.setPenalty(1)
		r.e.place(identity(6))
		r.e.load(r.e.order)
		r.at.turn, r.ended = c.turn, c.ended
		r.at.last = r.objective() + c.gain*r.e.model.margin()
		if got := r.renew(); got != c.want {
			t.Errorf("%s: another descent: %v, want %v", c.name, got, c.want)
		}
	}
}
