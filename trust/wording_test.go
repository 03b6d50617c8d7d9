package trust

import "testing"

// TestPercentages checks the digits of shares: one as a rule, up to five near 0 and 1, and two significant ones beyond.
func TestPercentages(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0.0%", 0.5: "50.0%", 1: "100.0%", 0.0004: "0.04%", 0.99996: "99.996%", 0.9999999: "99.99999%",
		4e-7: "0.00004%", 1.26e-8: "1.3e-06%", 0.1234: "12.3%", -0.01: "-1.0%",
	} {
		if got := percent(share); got != want {
			t.Errorf("a share of %v is %s, want %s", share, got, want)
		}
	}
}
