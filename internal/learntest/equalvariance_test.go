package learntest

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/sim"
)

// TestEqualVariancesMustHold checks that equal variances win on raw data that satisfy them, but not for
// standardized columns or unequal residual variances.
func TestEqualVariancesMustHold(t *testing.T) {
	weak := func(c *sim.Config) { c.WeightLow, c.WeightHigh = 0.1, 0.4 }
	for _, c := range []struct {
		name   string
		n      int
		change func(*sim.Config)
		chosen string
		says   string // the reason
	}{
		{"raw", 1000, nil, "equal", ""},
		{"raw, weak", 1000, weak, "equal", ""},
		{"raw, few rows", 150, nil, "equal", ""},
		{"standardized, weak", 300, func(c *sim.Config) { weak(c); c.Standardize = true }, "unequal", "the columns are standardized"},
		{"other variances, weak", 100, func(c *sim.Config) { weak(c); c.SDLow, c.SDHigh = 0.75, 1.25 }, "unequal", "not equal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, x := sample(t, 8, 40, c.n, c.change)
			res := learn(t, moments(t, m.Names(), x), nil)
			v := res.Choice("variance")
			if v.Chosen != c.chosen {
				t.Errorf("chosen %s, want %s: %+v", v.Chosen, c.chosen, v)
			}
			if !strings.Contains(v.Reason, c.says) || c.says == "" && v.Reason != "" {
				t.Errorf("the reason is %q, want %q", v.Reason, c.says)
			}
		})
	}
}

// TestRoundedColumnsAreStandardized checks that a table written with three decimals is still one of
// standardized columns.
func TestRoundedColumnsAreStandardized(t *testing.T) {
	m, x := sample(t, 8, 40, 300, func(c *sim.Config) { c.WeightLow, c.WeightHigh, c.Standardize = 0.1, 0.4, true })
	for i, v := range x.Data {
		x.Data[i] = math.Round(v*1000) / 1000
	}
	v := learn(t, moments(t, m.Names(), x), nil).Choice("variance")
	if _, searched := v.Scores["equal"]; v.Chosen != "unequal" || searched {
		t.Errorf("variance %+v", v)
	}
}
