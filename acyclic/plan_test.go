package acyclic

import "testing"

// planDoubling says how many products doubling makes. This counts them by following its loop: the powers that it begins with,
// two products for each binary digit that is left, one more where the power is needed again, and one where an odd digit
// lengthens it.
func TestPlanDoublingCountsProducts(t *testing.T) {
	for k := 1; k < 300; k++ {
		m := leading(k)
		want := m - 1
		for left := k; left > 7; left >>= 1 {
			want += 2
		}
		at := m // the power in hand
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
