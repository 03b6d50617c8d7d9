package prepare

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// A column that its file declares as categories keeps its labels, whatever they look like, and the order that the file states.
func TestDeclaredCategories(t *testing.T) {
	table := &memTable{columns: []dataset.Column{
		{Name: "x", Kind: dataset.Number},
		{Name: "zip", Kind: dataset.Text, Categories: true},
		{Name: "day", Kind: dataset.Text, Categories: true},
		{Name: "dose", Kind: dataset.Text, Categories: true, Order: []string{"low", "middle", "unused", "high"}},
		{Name: "day of the text", Kind: dataset.Text},
	}}
	days, doses := []string{"2024-01-01", "2024-01-02", "2024-02-01"}, []string{"high", "low", "middle"}
	for i := range 60 {
		table.rows = append(table.rows, []any{float64(i * i % 17), []string{"10115", "1010", "8000"}[i%3], days[i/3%3], doses[i/9%3], days[i%3]})
	}
	opt := DefaultSettings()
	opt.Encode, opt.Profile = "levels", true
	g, err := Gather(context.Background(), table.open, opt)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{nil, {"1010", "8000", "10115"}, days, {"low", "middle", "high"}, nil}
	for j := range want {
		if !slices.Equal(g.Levels[j], want[j]) || g.Ordered[j] != (j == 3) {
			t.Errorf("%s: levels %q, ordered %t; want %q", g.Moments.Names[j], g.Levels[j], g.Ordered[j], want[j])
		}
	}
	// As integers they are in that order too, and the note says so.
	opt.Encode = "ordinal"
	if g, err = Gather(context.Background(), table.open, opt); err != nil || !slices.Contains(g.Profile.Notes, `Column dose was encoded as integers 0 to 2 in declared order, from "low" to "high", with equal spacing.`) {
		t.Errorf("%+v, %v", g, err)
	}
	opt.Encode = "levels"
	// A label that the order does not list comes last.
	table.columns[3].Order = []string{"low", "high"}
	if g, err = Gather(context.Background(), table.open, opt); err != nil || !slices.Equal(g.Levels[3], []string{"low", "high", "middle"}) {
		t.Errorf("%v, %v", g.Levels[3], err)
	}
}
