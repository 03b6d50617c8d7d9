package acyclic

import (
	"math"
	"testing"
)

// TestPlanDoublingCountsProducts compares planDoubling with a count along the loop of doubling: the first
// powers, two products for each remaining binary digit, one for each squaring, and one for each odd digit.
func TestPlanDoublingCountsProducts(t *testing.T) {
	for k := 1; k < 300; k++ {
		m := leading(k)
		want := m - 1
		for left := k; left > 7; left >>= 1 {
			want += 2
		}
		at := m // the current power
		for bit := digits(k) - digits(m) - 1; bit >= 0; bit-- {
			at *= 2
			odd := k>>bit&1 == 1
			last := bit == 0
			if !last || odd { // squared
				want++
			}
			if odd {
				at++
				if !last { // times B
					want++
				}
			}
		}
		if at != k {
			t.Fatalf("K = %d: the digits spell %d", k, at)
		}
		if got := planDoubling(k); got != want {
			t.Errorf("K = %d: %d products planned, %d made", k, got, want)
		}
	}
}

// TestBinomialCountsProducts compares Products with a count along square and multiply to the power d - 1.
func TestBinomialCountsProducts(t *testing.T) {
	for d := 1; d < 40; d++ {
		want, at := 0, 1
		for bit := digits(d-1) - 2; bit >= 0; bit-- {
			want, at = want+1, 2*at
			if (d-1)>>bit&1 == 1 {
				want, at = want+1, at+1
			}
		}
		if d > 1 && at != d-1 {
			t.Fatalf("d = %d: the power is %d", d, at)
		}
		if got := (&Binomial[float64]{}).Products(d); got != want {
			t.Errorf("d = %d: %d products, want %d", d, got, want)
		}
	}
}

// Up to its radius, the first omitted term of a plan, ‖A‖^m/(m+1)!, is below the unit roundoff; 3 % beyond it is not.
func TestRadiiOfTaylorPlans(t *testing.T) {
	for _, p := range taylorPlans {
		factorial := math.Gamma(float64(p.degree + 2))
		for unit, radius := range map[float64]float64{0x1p-53: p.radius64, 0x1p-24: p.radius32} {
			term := func(norm float64) float64 { return math.Pow(norm, float64(p.degree)) / factorial }
			if !(term(radius) <= unit) || !(term(1.03*radius) > unit) {
				t.Errorf("degree %d: terms %v at %v and %v 3 %% beyond it, want %v between them", p.degree, term(radius), radius, term(1.03*radius), unit)
			}
		}
	}
}

// The sum of -log(1 - x) keeps its precision over many pivots, small and large.
func TestLossOfManyPivots(t *testing.T) {
	var e elimination[float64]
	want := 0.0
	for i := range 400 {
		x := []float64{1e-12, 0.3, 1e-3, 0.9}[i%4]
		e.lose(x)
		want -= math.Log1p(-x)
	}
	if got := e.value(); !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("%v, want %v", got, want)
	}
}
