package trust_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/trust"
)

// Findings begin at their limits: each table lies a twentieth, or one row, beside one.
func TestFindingsBeginAtTheirLimits(t *testing.T) {
	shifted := func(by float64) *table {
		return plainTable(n).with("far", of(func(v []float64) float64 { return by + v[0] }, standard(gauss(n, 3), 1)))
	}
	numbered := func(rows int) *table {
		return plainTable(rows).with("row", counter(rows, func(i int) float64 { return float64(3*i + 1) }))
	}
	// 360 ages with mean 40 and standard deviation 12, and 40 codes a multiple of 12 below.
	coded := func(distance float64) *table {
		ages := of(func(v []float64) float64 { return 40 + v[0] }, standard(gauss(n-40, 5), 12))
		for range 40 {
			ages = append(ages, 40-12*distance)
		}
		return edited(plainTable(n).with("age", ages), suspects("age", 40-12*distance, 40))
	}
	copied := func(values int) *table {
		t := new(table).with("u", counter(n, func(i int) float64 { return float64(i % values) })).with("v", counter(n, func(i int) float64 { return float64(i % 3) }))
		return edited(t, func(p *dataset.Profile) { p.RepeatedRows = 40 })
	}
	for _, c := range []struct {
		what, code string
		has, not   *table
	}{
		{"half of the digits vary", trust.NearConstant, shifted(1.05e8), shifted(0.95e8)},
		{"ten rows are a numbering", trust.IDLike, numbered(10), numbered(9)},
		{"a code is six standard deviations away", trust.Sentinel, coded(6.3), coded(5.7)},
	} {
		if _, ok := find(c.has.examine(t, trust.Refusals{}), c.code); !ok {
			t.Errorf("%s: not found", c.what)
		}
		if f, ok := find(c.not.examine(t, trust.Refusals{}), c.code); ok {
			t.Errorf("%s: found below the limit: %+v", c.what, f)
		}
	}
	// Rows with a column of 100 values hardly repeat by chance, so that copies are worth a warning.
	for values, want := range map[int]trust.Severity{100: trust.Warning, 99: trust.Note} {
		if f, ok := find(copied(values).examine(t, trust.Refusals{}), trust.RepeatedRows); !ok || f.Severity != want {
			t.Errorf("%d values: %+v", values, f)
		}
	}
}

// A logarithm is proposed for a skewed column whose largest value is ten times its smallest.
func TestLogarithmIsProposedFromATenfoldRange(t *testing.T) {
	for high, want := range map[float64]bool{10.5: true, 9.5: false} {
		x := of(func(v []float64) float64 { return 1 + 0.01*math.Abs(v[0]) }, gauss(n, 3))
		x[0] = 1
		for i := 1; i <= 8; i++ {
			x[40*i] = high
		}
		f, ok := find(plainTable(n).with("cost", x).examine(t, trust.Refusals{}), trust.Skewed)
		if !ok || strings.Contains(f.WayOut, "log=") != want {
			t.Errorf("a range of %v: %v, %q", high, ok, f.WayOut)
		}
	}
}
