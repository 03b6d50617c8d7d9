package acyclic_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// TestFamilyAgainstClosedWalks compares every power series with its coefficients times the enumerated closed
// walks.
func TestFamilyAgainstClosedWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for trial := range 120 {
		d := 1 + trial%5
		w, a := randomGraph(rng, d, 0.5)
		sum := func(k int, coefficient func(k int) float64) float64 {
			s := 0.0
			for i := 1; i <= k; i++ {
				s += coefficient(i) * walks(a, i)
			}
			return s
		}
		one := func(int) float64 { return 1 }
		binomial := func(k int) float64 {
			c := 1.0
			for i := range k {
				c *= float64(d-i) / (float64(i+1) * float64(d))
			}
			return c
		}
		until := 1 // K of TMPI if the powers never vanish
		for until < d {
			until *= 2
		}
		for _, c := range []struct {
			name string
			c    solve.Constraint[float64]
			want float64
		}{
			{"Binomial", &acyclic.Binomial[float64]{}, sum(d, binomial)},
			{"Truncated", &acyclic.Truncated[float64]{Eps: 1e-300}, sum(until, one)},
		} {
			if got, err := c.c.Eval(nil, w); err != nil || !(math.Abs(got-c.want) <= 1e-13*(1+c.want)) {
				t.Fatalf("trial %d, d = %d: %s = %v (%v), closed walks give %v", trial, d, c.name, got, err, c.want)
			}
		}
	}
}

// TestTruncatedStopsEarly checks that Truncated omits terms of the size of Eps: it does not detect a 3-cycle of
// small weights.
func TestTruncatedStopsEarly(t *testing.T) {
	w := matrix.New[float64](8, 8)
	for i := range 3 {
		w.Set(i, (i+1)%3, 1e-2)
	}
	if h, _ := (&acyclic.Truncated[float64]{Eps: 1e-3}).Eval(nil, w); h != 0 {
		t.Errorf("h = %v of a cycle whose entries are below Eps, want 0", h)
	}
	for i := range 3 {
		w.Set(i, (i+1)%3, 0.1)
	}
	if h, _ := (&acyclic.Truncated[float64]{}).Eval(nil, w); !(math.Abs(h-3e-6) <= 1e-18) {
		t.Errorf("h = %v at the default Eps, want 3e-6", h)
	}
	rng := rand.New(rand.NewPCG(22, 1))
	for range 20 {
		w, _ := randomGraph(rng, 30, 0.05)
		all, _ := (&acyclic.Truncated[float64]{Eps: 1e-300}).Eval(nil, w)
		cut, _ := (&acyclic.Truncated[float64]{Eps: 1e-6}).Eval(nil, w)
		if !(cut <= all) || all-cut > 1e-3*(1+all) {
			t.Errorf("h = %v, cut at 1e-6 %v", all, cut)
		}
	}
}
