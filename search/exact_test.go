package search

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestExactAlone compares the exhaustive search, without a descent before it, with the enumeration of all DAGs. Under equal variances the
// best graph is at any corner of the hull, also at one between two that differ by two edges.
func TestExactAlone(t *testing.T) {
	for seed := range uint64(60) {
		p := randomSample(4, 4, 60, 0.6, seed).problem()
		s := DefaultSettings()
		s.Variance = Equal
		r := newRun("search", p, s, nil)
		r.best.score = math.Inf(1)
		r.at.kind = finished
		want := bruteForce(p, s)
		must.Near(t, must.Get(r.search(t.Context())).Score, want, 1e-7*math.Abs(want), "seed %d", seed)
	}
}
