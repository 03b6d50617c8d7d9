package score

import (
	"math"
	"testing"
)

// Terms that are remembered are those that are computed: in the table, and beyond it also where two counts share a place.
func TestRememberedTerms(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		plain, own := newTerms(0.25, 1, drawn, 1<<40, gammaCounts), newTerms(0.25, 1, drawn, 1<<40, gammaCounts)
		if !drawn {
			own = newTerms(0.25, 1, false, 1<<40, mostFew) // which grows
		}
		own.keep(2 * remembered)
		for range 2 {
			for c := uint32(0); c < 5*remembered; c += 7 {
				for _, k := range []uint32{c, c + remembered, c} {
					if got, want := own.of(k), plain.of(k); got != want {
						t.Fatalf("drawn %v, count %d: %d, want %d", drawn, k, got, want)
					}
				}
			}
		}
		if len(own.table) != 2*remembered+1 || own.table[2*remembered-2] == unknown || own.latest == nil {
			t.Error("nothing was remembered")
		}
	}
}

// Terms of weighted counts are those of the Gamma function, for small counts too.
func TestWeightedTerms(t *testing.T) {
	for _, weight := range []float64{0.01, 0.09, 0.3, 1} {
		for _, alpha := range []float64{0.001, 0.25, 3} {
			terms := newTerms(alpha, weight, false, 1<<40, gammaCounts)
			for _, c := range []uint32{1, 2, 5, 20, 100, 1000, 5000} {
				a, _ := math.Lgamma(float64(c)*weight + alpha)
				b, _ := math.Lgamma(alpha)
				if got, want := float64(terms.of(c))/(1<<40), a-b; !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
					t.Errorf("weight %v, alpha %v, count %d: %v, want %v", weight, alpha, c, got, want)
				}
			}
		}
	}
}
