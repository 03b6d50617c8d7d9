package dataset

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestPlacesOfErrors checks that an error names the parts of the place that are known.
func TestPlacesOfErrors(t *testing.T) {
	plain, advised := errors.New("is wrong"), errors.New("is wrong; change it")
	for want, e := range map[string]*ParseError{
		"is wrong":                                {Err: plain},
		"t.csv: is wrong":                         {File: "t.csv", Err: plain},
		"line 3: is wrong":                        {Line: 3, Err: plain},
		"line 3, row 2: is wrong":                 {Line: 3, Row: 2, Err: plain},
		"column 4: is wrong":                      {Column: 4, Err: plain},
		"row 1, column 4 (age): is wrong":         {Row: 1, Column: 4, Name: "age", Err: plain},
		`"x" is wrong (two); change it`:           {Value: "x", Detail: "two", Err: advised},
		`t.csv: line 1: "" ` + ErrMissing.Error(): {File: "t.csv", Line: 1, Err: ErrMissing},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for file, want := range map[string]string{"": "b.csv", "a.csv": "a.csv"} {
		e := &ParseError{File: file, Err: plain}
		if InFile(e, "b.csv"); e.File != want {
			t.Errorf("an error in %q is in %q afterwards, want %q", file, e.File, want)
		}
	}
	for field, want := range map[string]string{strings.Repeat("a", 40): strings.Repeat("a", 40), strings.Repeat("a", 41): strings.Repeat("a", 40) + "…", strings.Repeat("a", 39) + "éé": strings.Repeat("a", 39) + "…"} {
		if got := Excerpt([]byte(field)); got != want {
			t.Errorf("%q is shortened to %q, want %q", field, got, want)
		}
	}
	for name, want := range map[string]error{"": ErrNoName, "a": ErrSameName, "b": nil} {
		if err := CheckNames([]string{"a", name}, ""); !errors.Is(err, want) {
			t.Errorf("the names a and %q: %v, want %v", name, err, want)
		}
	}
}

// TestTablesInMemory checks the tables that are refused.
func TestTablesInMemory(t *testing.T) {
	for name, m := range map[string]Memory{
		"no columns":        {},
		"no rows":           {{Name: "a"}},
		"different lengths": {{Name: "a", Numbers: []float64{1, 2}}, {Name: "b", Numbers: []float64{1}}},
		"both kinds":        {{Name: "a", Numbers: []float64{1}, Text: []string{"x"}}},
	} {
		if _, err := m.Source(context.Background()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := MemoryRows([]string{"a", "b"}, [][]float64{{1, 2}, {3}}); err == nil || !strings.Contains(err.Error(), "row 2 has 1 values, want 2") {
		t.Errorf("a short row: %v", err)
	}
	if _, err := MemoryRows([]string{"a", "b"}, [][]float64{{1, 2}, {3, 4}}); err != nil {
		t.Error(err)
	}
}

// TestBlocksOfMoments checks that only whole rows are added, and that moments of no rows change nothing.
func TestBlocksOfMoments(t *testing.T) {
	if err := NewMoments(nil).AddBlock(nil); err == nil {
		t.Error("moments of no columns take rows")
	}
	m := NewMoments([]string{"a", "b"})
	if err := m.AddBlock([]float64{1, 2, 3}); err == nil {
		t.Error("one row and a half are taken")
	}
	if err := errors.Join(m.AddBlock([]float64{1, 2, 3, 6}), m.Merge(NewMoments(m.Names))); err != nil || m.N != 2 || m.Mean[0] != 2 || m.Mean[1] != 4 {
		t.Errorf("%+v, %v; want two rows with the means 2 and 4", m, err)
	}
	row := make([]float64, 2)
	if m.CorrelationRow(row, 0); row[0] != 1 || math.Abs(row[1]-1) > 1e-12 {
		t.Errorf("correlations %v, want 1 and 1", row)
	}
	must.Succeed(t, m.AddBlock([]float64{2, -8}))
	if m.CorrelationRow(row, 1); math.Abs(row[0]-4/math.Sqrt(2*104)) > 1e-12 || row[1] != 1 { // deviations -1, 1, 0 and 2, 6, -8
		t.Errorf("correlations %v, want %v and 1", row, 4/math.Sqrt(2*104))
	}
}

// TestRangeOfMoments checks that the smallest value, the mean and the largest value are in this order, and the range without them.
func TestRangeOfMoments(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		valid     bool
	}{{1, 3, true}, {2, 2, true}, {2.1, 3, false}, {1, 1.9, false}, {3, 1, false}, {math.Inf(-1), math.Inf(1), true}, {math.Inf(1), math.Inf(1), false}, {math.NaN(), 3, false}} {
		m := NewMoments([]string{"a"})
		m.N, m.Mean[0], m.Scatter[0] = 3, 2, 1
		if err := m.setRange([]float64{c.low}, []float64{c.high}); (err == nil) != c.valid {
			t.Errorf("a mean of 2 between %v and %v: %v, want valid: %v", c.low, c.high, err, c.valid)
		}
	}
	for scatter, want := range map[float64][2]float64{1: {math.Inf(-1), math.Inf(1)}, 0: {2, 2}} {
		m := NewMoments([]string{"a"})
		m.N, m.Mean[0], m.Scatter[0] = 3, 2, scatter
		if err := m.setRange(nil, nil); err != nil || m.Min[0] != want[0] || m.Max[0] != want[1] {
			t.Errorf("scatter %v: from %v to %v, %v; want %v", scatter, m.Min[0], m.Max[0], err, want)
		}
	}
}
