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

// TestRankedNames checks that the largest absolute figures come first, and that at most six are listed.
func TestRankedNames(t *testing.T) {
	write := func(v float64) string { return number(v, 2) }
	for _, c := range []struct {
		figure []float64
		want   string
	}{
		{[]float64{1, -3, 2}, "b -3, c 2 and a 1"},
		{[]float64{1, 2, 3, 4, 5, 6}, "f 6, e 5, d 4, c 3, b 2 and a 1"},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, "g 7, f 6, e 5, d 4, c 3 and 2 more"},
	} {
		var names []string
		for k := range c.figure {
			names = append(names, string(rune('a'+k)))
		}
		if got := ranked(names, c.figure, write); got != c.want {
			t.Errorf("%v: %q, want %q", c.figure, got, c.want)
		}
	}
}
