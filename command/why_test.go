package command

import "testing"

// TestSigned checks that no number that is rounded to 0 has a minus.
func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{-0.004: "+0.00", 0.004: "+0.00", -0.41: "-0.41", 2: "+2.00"} {
		if got := signed(x); got != want {
			t.Errorf("signed(%v) = %s, want %s", x, got, want)
		}
	}
}
