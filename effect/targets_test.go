package effect

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
)

// TestRowsInWhichAColumnWasSet checks that rows with an intervention on a column are excluded for that column.
// Tables that are half experimental then give the probabilities of do, which counting all rows would miss.
func TestRowsInWhichAColumnWasSet(t *testing.T) {
	m := drawn(t, sim.Discrete, 5, 4, func(c *sim.Settings) {
		c.Interventions, c.InterventionSize, c.Observational, c.Concentration = 5, 1, 0.3, 1
	})
	x, settings := m.SampleSettings(sim.Stream(3, sim.StreamNoise), 90_000)
	column, words := m.Label()
	target := polydag.Column{Name: column, Text: make([]string, x.Rows)}
	for i := range target.Text {
		target.Text[i] = words[settings[i]]
	}
	p := polydag.DefaultPreparation()
	p.Targets = column
	table := must.Get(polydag.Prepare(context.Background(), append(columnsOf(t, m.Names(), slices.Repeat([]int{2}, x.Cols), x), target), p))
	names, g := m.Names(), m.Graph()
	res := known(t, table, g, score.TableEffects)
	_, by := split(x, settings, len(m.Targets()))
	s := must.Get(newSource(t.Context(), res, table, 1, nil))
	fit := must.Get(s.fit(g))
	all := fitDiscrete(g, mechanism.New(s.data.Columns, s.data.Levels), 1) // as if nothing had been set
	compared, naive := 0, 0.0
	for k, targets := range m.Targets() {
		if len(targets) != 1 {
			continue
		}
		a := targets[0]
		for b := range g.N() {
			if a == b || !g.HasPath(a, b) {
				continue
			}
			got := must.Get(fit.do(a, b, 1))
			wrong := must.Get(all.do(a, b, 1))
			rows, counts := 0.0, make([]float64, len(got))
			for i := range by[k].Rows {
				if by[k].At(i, a) == 1 {
					rows++
					counts[int(by[k].At(i, b))]++
				}
			}
			for c := range got {
				compared++
				near(t, names[a]+" on "+names[b], got[c], counts[c]/rows, 5*math.Sqrt(0.25/rows))
				naive = max(naive, math.Abs(wrong[c]-counts[c]/rows)/math.Sqrt(0.25/rows))
			}
		}
	}
	if compared < 6 || naive < 5 {
		t.Errorf("%d probabilities were compared, and counting all rows alike is off by %.1f standard errors: the test tells nothing", compared, naive)
	}
	// A resampled table that is counted has the probabilities of one that is drawn row by row, also where some rows do not count.
	draws := must.Get(table.Resampler(t.Context(), 1<<30))
	counted := must.Get(s.redrawn(t.Context(), res, draws, 5, 3))
	again := must.Get(draws.Draw(t.Context(), polydag.Draw{Kind: polydag.Bootstrap, Seed: 5, Replicate: 3}))
	rows := must.Get(newSource(t.Context(), res, again, 8, s))
	for v := range names {
		got := must.Get(mechanism.NewCPT(counted.data, v, g.Parents(v)))
		want := must.Get(mechanism.NewCPT(rows.data, v, g.Parents(v)))
		if !slices.Equal(got.P, want.P) || !slices.Equal(got.Overall, want.Overall) || counted.seed != rows.seed {
			t.Errorf("%s: counted %v, drawn %v", names[v], got.P, want.P)
		}
	}
	if a := ask(t, res, table, names[m.Targets()[1][0]], names[(m.Targets()[1][0]+1)%5], func(q *Question) { q.Replicates = 2 }); len(a.Effects) == 0 {
		t.Error("no effect")
	}
}
