package groupwise

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// schools is a table of pupils in groups: size is constant within a school, town nominal and constant, class nominal and not constant.
func schools(t *testing.T, groups int, change func(*prepare.Settings)) (*prepare.Gathered, []dataset.Variable) {
	t.Helper()
	const pupils = 10
	columns := make(dataset.Memory, 6)
	for j, name := range []string{"school", "size", "town", "class", "hours", "score"} {
		columns[j].Name = name
	}
	for i := range groups * pupils {
		k := i / pupils
		hours := float64(k%5) + math.Sin(float64(i*i))
		for j, x := range []float64{float64(k), float64(k*k%7) + 20, float64(k % 3), float64(i % 3), hours, 2*hours + 10*float64(k%4) + math.Cos(float64(3*i*i))} {
			columns[j].Numbers = append(columns[j].Numbers, x)
		}
	}
	set := prepare.DefaultSettings()
	set.Profile, set.Groups = true, "school"
	if change != nil {
		change(&set)
	}
	kinds := []dataset.Variable{{Name: "size", Kind: dataset.Count}, {Name: "town", Kind: dataset.Categorical}, {Name: "class", Kind: dataset.Categorical},
		{Name: "hours", Kind: dataset.Continuous}, {Name: "score", Kind: dataset.Continuous}}
	return must.Get(prepare.Gather(t.Context(), columns.Source, set)), kinds
}

// Within groups, columns that are constant there are excluded, numeric columns are centred and categories stay.
func TestWithin(t *testing.T) {
	g, kinds := schools(t, 20, nil)
	before := len(g.Profile.Excluded)
	own := must.Get(Center(t.Context(), g, kinds, false))
	if !slices.Equal(own.Moments.Names, []string{"class", "hours", "score"}) || own.Moments.N != 200 || own.Sample.Columns != 3 || len(own.Kinds) != 3 {
		t.Fatalf("columns %v of %d rows", own.Moments.Names, own.Moments.N)
	}
	if own.Groups.Centred != 2 || !slices.Equal(own.Groups.Uncentred, []string{"class"}) || own.Groups.EffectiveRows > 180 {
		t.Errorf("groups %+v", own.Groups)
	}
	if k := own.Kinds[1]; k.Kind != dataset.Continuous || !strings.HasSuffix(k.Reason, "centred within groups") {
		t.Errorf("kind %+v", k)
	}
	for _, name := range []string{"size", "town"} {
		if !slices.ContainsFunc(own.Profile.Excluded, func(x dataset.Excluded) bool { return x.Name == name && x.Reason == ReasonLevel }) {
			t.Errorf("%s is not excluded: %+v", name, own.Profile.Excluded)
		}
	}
	if len(g.Profile.Excluded) != before {
		t.Error("the profile of the table that was read has changed")
	}
	rows := must.Get(own.Rows.Read(t.Context(), 600))
	var sums [20]float64
	for i, k := range rows.Groups {
		if i > 0 && k < rows.Groups[i-1] {
			t.Fatal("the rows of a group are apart")
		}
		sums[i/10] += rows.Values[3*i+1]
	}
	for k, s := range sums {
		if !(math.Abs(s/10-own.Moments.Mean[1]) <= 1e-9) {
			t.Errorf("group %d has the mean %v after centring, want %v", k, s/10, own.Moments.Mean[1])
		}
	}
}

// The means of groups are one row per group that counts fully; nominal columns that vary within groups have none.
func TestMeans(t *testing.T) {
	g, kinds := schools(t, 20, nil)
	own := must.Get(Center(t.Context(), g, kinds, true))
	if !slices.Equal(own.Moments.Names, []string{"size", "town", "hours", "score"}) || own.Moments.N != 20 || own.Groups != nil || own.Profile.RowsUsed != 20 {
		t.Fatalf("columns %v of %d rows, groups %+v", own.Moments.Names, own.Moments.N, own.Groups)
	}
	if own.Kinds[0].Kind != dataset.Count || own.Kinds[2].Kind != dataset.Continuous || own.Kinds[2].Reason != "mean within groups" {
		t.Errorf("kinds %+v", own.Kinds)
	}
	if last := own.Profile.Notes[len(own.Profile.Notes)-1]; !strings.Contains(last, "of school: 200 rows in 20 groups") {
		t.Errorf("note %q", last)
	}
	g, kinds = schools(t, 2, nil)
	if _, err := Center(t.Context(), g, kinds, true); !errors.Is(err, ErrMeans) {
		t.Errorf("two groups: %v", err)
	}
}

// A table stays as it was read if too few columns vary within groups, or if its rows need too much memory.
func TestUnchanged(t *testing.T) {
	g, kinds := schools(t, 20, func(s *prepare.Settings) { s.Columns = []string{"school", "size", "town", "hours"} })
	kinds = []dataset.Variable{kinds[0], kinds[1], kinds[3]}
	own := must.Get(Center(t.Context(), g, kinds, false))
	if own.Rows != nil || own.Moments != g.Moments || own.Groups != g.Groups {
		t.Errorf("one column that varies: %+v", own)
	}
	g, kinds = schools(t, 20, func(s *prepare.Settings) { s.MaxMemory = 1 << 14 })
	own = must.Get(Center(t.Context(), g, kinds, false))
	if own.Rows != nil || !strings.Contains(own.Profile.Notes[len(own.Profile.Notes)-1], "too much memory") {
		t.Errorf("notes %q", own.Profile.Notes)
	}
}
