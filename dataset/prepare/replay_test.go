package prepare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// What is read again are the rows that the moments count: their moments are the same, byte for byte.
func TestReplay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for i := range 3000 {
		hole := ""
		if i%100 != 7 {
			hole = fmt.Sprintf("%.4f", rng.ExpFloat64()+0.01)
		}
		fmt.Fprintf(&b, "%.4f,%s,%s,%d\n", rng.NormFloat64(), hole, []string{"x", "yy", "z"}[rng.IntN(3)], rng.IntN(5))
	}
	open := func(context.Context) (dataset.Source, error) {
		return csv.Open(strings.NewReader(b.String()), csv.DefaultSettings())
	}
	for name, change := range map[string]func(*Settings){
		"levels":  func(o *Settings) { o.Encode = "levels" },
		"ordinal": func(o *Settings) { o.Encode = "ordinal"; o.Log = []string{"b"} },
		"onehot":  func(o *Settings) { o.Encode = "onehot"; o.FirstRow, o.LastRow = 10, 2000 },
		"drop":    func(o *Settings) { o.Encode = "drop"; o.Drop = []string{"a"} },
		"scores":  func(o *Settings) { o.Encode = "levels"; o.NormalScores = true },
	} {
		opt := DefaultSettings()
		opt.Missing = "drop"
		change(&opt)
		g := must.Get(Gather(context.Background(), open, opt))
		for range 2 {
			var all []float64
			if err := g.Replay(t.Context(), func(b dataset.RowBatch) error { all = append(all, b.Values...); return nil }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			d := g.Moments.Dim()
			m := must.Get(dataset.MomentsOf(g.Moments.Names, matrix.Of(len(all)/d, d, all), 1))
			if m.N != g.Moments.N || !slices.Equal(m.Scatter, g.Moments.Scatter) || !slices.Equal(m.Mean, g.Moments.Mean) {
				t.Errorf("%s: %d rows with other moments than those of %d", name, m.N, g.Moments.N)
			}
		}
		if words := g.Levels[slices.Index(g.Moments.Names, "d")]; words != nil {
			t.Errorf("%s: numbers have the levels %q", name, words)
		}
		if j := slices.Index(g.Moments.Names, "c"); j >= 0 && !slices.Equal(g.Levels[j], []string{"x", "yy", "z"}) {
			t.Errorf("%s: levels %q", name, g.Levels[j])
		}
	}
	opt := DefaultSettings()
	opt.Missing, opt.Encode = "auto", "levels"
	g, err := Gather(context.Background(), open, opt)
	must.Succeed(t, err)
	if err := g.Replay(t.Context(), func(dataset.RowBatch) error { return nil }); !errors.Is(err, ErrIncomplete) || !errors.Is(g.Replayable(), ErrIncomplete) {
		t.Errorf("filled in: %v", err)
	}
	// A table that grew is noticed.
	opt.Missing = "drop"
	if g, err = Gather(context.Background(), open, opt); err != nil {
		t.Fatal(err)
	}
	b.WriteString("1,1,x,1\n")
	if err := g.Replay(t.Context(), func(dataset.RowBatch) error { return nil }); err == nil || !strings.Contains(err.Error(), "changed between two passes") {
		t.Errorf("another row: %v", err)
	}
}
