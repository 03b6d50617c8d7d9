package kind

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
)

// TestNumber checks the kind and the reason of a numeric column on both sides of each limit.
func TestNumber(t *testing.T) {
	numeric, integer, boolean, text, time := dataset.Number.String(), dataset.Integer.String(), dataset.Bool.String(), dataset.Text.String(), dataset.Time.String()
	for _, c := range []struct {
		kind     string
		distinct int
		min      float64
		rows     int
		want     Kind
		reason   string
	}{
		{boolean, 2, 0, 5, Binary, "true or false"},
		{time, 2, 0, 50, Continuous, "a time"},
		{text, 3, 0, 5, Ordinal, "text, 3 categories, encoded by order"},
		{text, 2, 0, 50, Binary, "two values"},
		{numeric, 2, 0, 21, Binary, "two values"},
		{numeric, 2, 0, 20, Continuous, "numeric, 2 distinct values"},
		{integer, 2, 0, 20, Count, "integers from 0, 2 distinct values"},
		{integer, 10, 0, 21, Ordinal, "integers, 10 distinct values"},
		{integer, 10, 0, 20, Count, "integers from 0, 10 distinct values"},
		{integer, 11, 0, 21, Count, "integers from 0, 11 distinct values"},
		{integer, 11, -1, 21, Continuous, "integers including negative ones, 11 distinct values"},
		{numeric, 10, 0, 21, Ordinal, "numeric, 10 distinct values"},
		{numeric, 10, 0, 20, Continuous, "numeric, 10 distinct values"},
		{numeric, 11, 0, 21, Continuous, "numeric, 11 distinct values"},
		{numeric, 4095, 0, 5000, Continuous, "numeric, 4095 distinct values"},
		{numeric, 4096, 0, 5000, Continuous, "numeric, at least 4096 distinct values"},
	} {
		var got Column
		number(&got, &dataset.ColumnProfile{Kind: c.kind, Distinct: c.distinct, Min: c.min}, c.rows)
		if got.Kind != c.want || got.Reason != c.reason || got.Levels != c.distinct {
			t.Errorf("%s, %d values from %v in %d rows: %s (%s), want %s (%s)", c.kind, c.distinct, c.min, c.rows, got.Kind, got.Reason, c.want, c.reason)
		}
	}
	var got Column
	if number(&got, nil, 100); got.Kind != Continuous || got.Levels != 0 {
		t.Errorf("without a profile: %+v, want a continuous column", got)
	}
}

// TestAllows checks which kinds the values of a column allow.
func TestAllows(t *testing.T) {
	for _, c := range []struct {
		levels int
		words  int
		kind   Kind
		want   bool
	}{
		{0, 0, Continuous, true}, {0, 0, Count, true}, {0, 0, Ordinal, false}, {0, 0, Binary, false}, {0, 0, Categorical, false},
		{2, 0, Binary, true}, {1, 0, Binary, false}, {3, 0, Binary, false},
		{64, 0, Categorical, true}, {65, 0, Categorical, false}, {64, 0, Ordinal, true}, {65, 0, Ordinal, false}, {65, 0, Count, true}, {65, 0, Continuous, true},
		{2, 2, Continuous, true}, {2, 2, Count, true}, {3, 3, Continuous, false}, {3, 3, Count, false}, {3, 3, Ordinal, true}, {3, 3, Categorical, true},
	} {
		column := Column{Name: "x", Levels: c.levels, Words: []string{"a", "b", "c"}[:c.words]}
		if err := allows(column, c.kind); (err == nil) != c.want {
			t.Errorf("%d values, %d words as %s: error %v, want allowed: %v", c.levels, c.words, c.kind, err, c.want)
		}
	}
}

// TestArrange checks that kinds follow their columns.
func TestArrange(t *testing.T) {
	if got := Arrange(nil, []int{0, 1}); got != nil {
		t.Errorf("%v, want nil for no kinds", got)
	}
	got := Arrange([]Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}, []int{2, 0, 1})
	if len(got) != 3 || got[0].Name != "c" || got[1].Name != "a" || got[2].Name != "b" {
		t.Errorf("%v, want c, a and b", got)
	}
}

// TestDecideSpecialColumns checks discretized columns and the words of columns of true and false.
func TestDecideSpecialColumns(t *testing.T) {
	boolean, numeric := dataset.Bool.String(), dataset.Number.String()
	g := &prepare.Gathered{Moments: &dataset.Moments{Names: []string{"two", "three", "free", "bool", "onehot", "named"}, N: 100}, Classes: []int{2, 3, 0, 0, 0, 0},
		Levels: [][]string{nil, nil, nil, nil, nil, {"n", "y"}}, Profile: &dataset.Profile{Columns: []dataset.ColumnProfile{
			{Name: "two", Kind: numeric, Distinct: 50}, {Name: "three", Kind: numeric, Distinct: 50}, {Name: "free", Kind: numeric, Distinct: 50},
			{Name: "bool", Kind: boolean, Distinct: 2}, {Name: "onehot", Kind: boolean, Distinct: 2, From: "city"}, {Name: "named", Kind: boolean, Distinct: 2},
		}}}
	for j, want := range []Column{
		{Kind: Binary, Levels: 2}, {Kind: Ordinal, Levels: 3}, {Kind: Continuous, Levels: 50},
		{Kind: Binary, Levels: 2, Words: []string{"false", "true"}}, {Kind: Binary, Levels: 2}, {Kind: Binary, Levels: 2, Words: []string{"n", "y"}},
	} {
		got := Decide(g, false)[j]
		if got.Kind != want.Kind || got.Levels != want.Levels || !slices.Equal(got.Words, want.Words) {
			t.Errorf("%s: %+v, want %+v", got.Name, got, want)
		}
	}
}
