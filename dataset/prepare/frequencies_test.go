package prepare

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestRepeatedRowsOfFrequencies compares a table with frequencies with the one in which each row is repeated.
func TestRepeatedRowsOfFrequencies(t *testing.T) {
	counted, plain := memOf("a f word b"), memOf("a word b")
	for i, f := range []int{2, 0, 1, 3, 0, 1100, 1, 0, 5} {
		a, b := any(float64(i)), any(fmt.Sprintf("w%d", i*i%3))
		if i == 3 {
			a = nil
		}
		word := any([]string{"x", "y", "z"}[i%3])
		counted.rows = append(counted.rows, []any{a, f, word, b})
		for range f {
			plain.rows = append(plain.rows, []any{a, word, b})
		}
	}
	for _, drop := range [][]string{nil, {"word"}} {
		set := func(o *Settings) { o.Encode, o.Missing, o.Drop = "levels", "auto", drop }
		want := must.Get(gather(t, plain, set))
		got := must.Get(gather(t, counted, func(o *Settings) { set(o); o.Frequencies = "f" }))
		if got.Profile.Frequencies != "f" {
			t.Errorf("the profile names the frequencies %q, want f", got.Profile.Frequencies)
		}
		got.Profile.Frequencies = ""
		if !sameGathered(got, want) || got.Moments.N != 1112 {
			t.Errorf("without %q: %d rows %v\n%+v\nwant %d rows\n%+v", drop, got.Moments.N, got.Moments.Mean, got.Profile, want.Moments.N, want.Profile)
		}
	}
	for _, bad := range []any{-1, 0.5, "x", nil} {
		rows := slices.Clone(counted.rows)
		rows[2] = []any{1, bad, "x", "w1"}
		var e *dataset.ParseError
		_, err := gather(t, &memTable{columns: counted.columns, rows: rows}, func(o *Settings) { o.Encode, o.Frequencies = "levels", "f" })
		if !errors.Is(err, ErrFrequency) || !errors.As(err, &e) || e.Row != 3 || e.Column != 2 || e.Name != "f" {
			t.Errorf("frequency %v: %v", bad, err)
		}
	}
	for _, setting := range []func(*Settings){func(o *Settings) { o.Frequencies = "no" }, func(o *Settings) { o.RowWeights = "no" }} {
		if _, err := gather(t, counted, setting); !errors.Is(err, ErrUnknownColumn) {
			t.Errorf("an unknown column: %v", err)
		}
	}
}

// TestWeights checks which rows count: those with a positive weight, from the first to the last of them.
func TestWeights(t *testing.T) {
	table := memOf("a w", []any{1, 0.5}, []any{2, 0}, []any{3, 2}, []any{4, 3}, []any{5, 4})
	table.batch = 2
	for _, c := range []struct {
		first, last int
		want        []float64
	}{{0, 0, []float64{0.5, 2, 3, 4}}, {2, 0, []float64{2, 3, 4}}, {0, 2, []float64{0.5, 2}}, {2, 3, []float64{2, 3}}, {2, 2, nil}} {
		got, err := Weights(t.Context(), table.open, Settings{RowWeights: "w", FirstRow: c.first, LastRow: c.last})
		if !slices.Equal(got, c.want) || errors.Is(err, ErrWeight) != (c.want == nil) {
			t.Errorf("rows %d to %d: weights %v, %v; want %v", c.first, c.last, got, err, c.want)
		}
	}
	table.rows[3][1] = -1
	var e *dataset.ParseError
	if _, err := Weights(t.Context(), table.open, Settings{RowWeights: "w"}); !errors.Is(err, ErrWeight) || !errors.As(err, &e) || e.Row != 4 || e.Column != 2 {
		t.Errorf("a negative weight: %v", err)
	}
	if _, err := Weights(t.Context(), table.open, Settings{RowWeights: "no"}); !errors.Is(err, ErrUnknownColumn) {
		t.Errorf("an unknown column: %v", err)
	}
}
