package score

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// Terms that are remembered are those that are computed: in the table, and beyond it also where two counts share a place.
func TestRememberedTerms(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		plain, own := newTerms(0.25, 1, drawn, 1<<40, gammaCounts), newTerms(0.25, 1, drawn, 1<<40, gammaCounts)
		if !drawn {
			own = newTerms(0.25, 1, false, 1<<40, mostFew) // which grows
		}
		own.makeOwned(2 * remembered)
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

// The terms of bootstrap samples are 2·g(c) - E g(k) with k from a Poisson distribution of mean c, up to c = 100, and g(c) less half the weight
// of a row beyond, in the table and after it.
func TestUnbiasedTerms(t *testing.T) {
	const scale, most = 1 << 40, 140
	for _, weight := range []float64{1, 0.4} {
		for _, alpha := range []float64{0, 0.7} {
			g := func(k int) float64 {
				c := weight * float64(k)
				if k == 0 {
					return 0
				}
				if alpha == 0 {
					return c * math.Log(c)
				}
				a, _ := math.Lgamma(c + alpha)
				b, _ := math.Lgamma(alpha)
				return a - b
			}
			terms := newTerms(alpha, weight, true, scale, most)
			for _, c := range []int{1, 2, 5, 30, 99, 100, 101, 120, 130, 140, 141, 200} {
				want := g(c) - weight/2
				if c <= 100 {
					want = 2 * g(c)
					for k := range 1000 {
						factorial, _ := math.Lgamma(float64(k) + 1)
						want -= math.Exp(float64(k)*math.Log(float64(c))-float64(c)-factorial) * g(k)
					}
				}
				must.Near(t, float64(terms.of(uint32(c)))/scale, want, 1e-7, "weight %v, alpha %v, count %d", weight, alpha, c)
			}
		}
	}
}

// Terms of large counts are those of the Gamma function on both sides of the bound from which Stirling's series replaces it.
func TestStirling(t *testing.T) {
	for _, z := range []float64{100.001, 130, 131, 1000, 65536.25} {
		want, _ := math.Lgamma(z)
		must.Near(t, stirling(z), want, 4e-15*want, "lnΓ(%v)", z)
	}
}
