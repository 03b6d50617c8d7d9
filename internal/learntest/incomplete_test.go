package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
)

// incomplete returns columns of a chain under a model, with 15 % of the values missing completely at random.
func incomplete(model score.Effects, n int) polydag.Columns {
	random := rand.New(rand.NewPCG(5, 6))
	out := make(polydag.Columns, 5)
	for j := range out {
		out[j].Name = fmt.Sprintf("x%d", j)
	}
	for range n {
		x := random.NormFloat64()
		for j := range out {
			missing := random.Float64() < 0.15
			switch {
			case model == score.TableEffects && missing:
				out[j].Text = append(out[j].Text, "")
			case model == score.TableEffects:
				out[j].Text = append(out[j].Text, string("abc"[max(0, min(2, int(1.5+x)))]))
			case missing:
				out[j].Numbers = append(out[j].Numbers, math.NaN())
			default:
				out[j].Numbers = append(out[j].Numbers, x)
			}
			if model == score.SmoothEffects {
				x = 2*math.Cos(2*x) + 0.4*random.NormFloat64()
			} else {
				x = 0.8*x + random.NormFloat64()
			}
		}
	}
	return out
}

// A run with missing values that is resumed from any state, on any number of threads, gives the bytes of an uninterrupted one.
func TestIncompleteResumed(t *testing.T) {
	for _, model := range []score.Effects{score.LinearEffects, score.SmoothEffects, score.TableEffects} {
		t.Run(string(model), func(t *testing.T) {
			table := must.Get(polydag.Prepare(t.Context(), incomplete(model, 250), polydag.DefaultPreparation()))
			cfg := polydag.DefaultConfig()
			want := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
			if (want.Model == score.LinearEffects) != (model == score.LinearEffects) {
				t.Fatalf("model %s", want.Model)
			}
			all := &memory{}
			got, err := table.Learn(t.Context(), cfg, polydag.Run{Store: all})
			if err != nil || untimed(t, got) != untimed(t, want) {
				t.Fatalf("with a checkpoint the result differs (%v)", err)
			}
			const tries = 6
			for i := range tries {
				at := (len(all.states) - 1) * i / (tries - 1)
				cfg.Threads = 1 + i%3
				got, err := table.Learn(t.Context(), cfg, polydag.Run{Store: &memory{states: all.states[at : at+1]}, Every: time.Hour})
				if err != nil {
					t.Fatalf("from state %d of %d: %v", at, len(all.states), err)
				}
				if untimed(t, got) != untimed(t, want) {
					t.Errorf("from state %d of %d the result differs", at, len(all.states))
				}
			}
			other := must.Get(polydag.Prepare(t.Context(), incomplete(model, 240), polydag.DefaultPreparation()))
			if _, err := other.Learn(t.Context(), cfg, polydag.Run{Store: &memory{states: all.states[len(all.states)-1:]}}); err == nil {
				t.Error("another table resumed the run")
			}
		})
	}
}

// A run with missing values that is stopped at any time returns without an error, and then resumes.
func TestIncompleteStopped(t *testing.T) {
	table := must.Get(polydag.Prepare(t.Context(), incomplete(score.SmoothEffects, 250), polydag.DefaultPreparation()))
	cfg := polydag.DefaultConfig()
	want := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	all, steps := &memory{}, 0
	for stop := 1; stop < 12; stop += 5 {
		ctx, cancel := context.WithCancel(t.Context())
		steps = 0
		_, err := polydag.BestSoFar(table.Learn(ctx, cfg, polydag.Run{Store: all, Observe: func(polydag.Progress) {
			if steps++; steps == stop {
				cancel()
			}
		}}))
		cancel()
		if err != nil {
			t.Fatalf("stopped at step %d: %v", stop, err)
		}
	}
	got, err := table.Learn(t.Context(), cfg, polydag.Run{Store: all})
	if err != nil || untimed(t, got) != untimed(t, want) {
		t.Errorf("after stops the result differs (%v)", err)
	}
}

// noise returns independent columns, the last of which lacks 60 % of its values.
func noise(seed uint64, d, n int, model score.Effects) polydag.Columns {
	random := rand.New(rand.NewPCG(seed, 60))
	out := make(polydag.Columns, d)
	for j := range out {
		out[j].Name = fmt.Sprintf("x%d", j)
		for range n {
			missing := j == d-1 && random.Float64() < 0.6
			switch {
			case model == score.TableEffects && missing:
				out[j].Text = append(out[j].Text, "")
			case model == score.TableEffects:
				out[j].Text = append(out[j].Text, string("abc"[random.IntN(3)]))
			case missing:
				out[j].Numbers = append(out[j].Numbers, math.NaN())
			default:
				out[j].Numbers = append(out[j].Numbers, random.NormFloat64())
			}
		}
	}
	return out
}

// A column that lacks 60 % of its values has no edge in tables of noise: its pairs count the rows that have both values.
func TestMostlyMissingNoise(t *testing.T) {
	for _, model := range []score.Effects{score.LinearEffects, score.TableEffects} {
		for seed := range uint64(6) {
			table := must.Get(polydag.Prepare(t.Context(), noise(seed, 8, 300, model), polydag.DefaultPreparation()))
			if n := table.EffectiveRows(); n < 170 || n >= 250 {
				t.Fatalf("%d effective rows", n)
			}
			res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
			for _, e := range res.Edges {
				t.Errorf("%s, seed %d: %s %s %s", model, seed, e.From, e.Mark, e.To)
			}
		}
	}
}

// Two columns without a common row are named in a warning and have no edge.
func TestNeverTogether(t *testing.T) {
	columns := noise(3, 4, 300, score.LinearEffects)
	for i := range 300 {
		z := columns[0].Numbers[i]
		columns[1].Numbers[i] += z
		columns[2].Numbers[i] += z
		columns[1+i%2].Numbers[i] = math.NaN()
	}
	table := must.Get(polydag.Prepare(t.Context(), columns[:3], polydag.DefaultPreparation()))
	if m := table.Profile.Missingness; len(m.Apart) != 1 || m.Apart[0] != [2]string{"x1", "x2"} {
		t.Errorf("apart: %v", m.Apart)
	}
	res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
	warned := false
	for _, f := range res.DataChecks {
		warned = warned || f.Code == "missing_apart"
	}
	if !warned {
		t.Error("no warning")
	}
	for _, e := range res.Edges {
		if e.From != "x0" && e.To != "x0" {
			t.Errorf("edge %s %s %s", e.From, e.Mark, e.To)
		}
	}
}

// Infinite numbers count as missing values, with a note, unless missing values are an error.
func TestInfinitiesAreMissing(t *testing.T) {
	columns := noise(4, 3, 100, score.LinearEffects)[:2]
	columns[0].Numbers[6], columns[0].Numbers[9], columns[1].Numbers[3] = math.Inf(1), math.Inf(-1), math.Inf(1)
	p := polydag.DefaultPreparation()
	table := must.Get(polydag.Prepare(t.Context(), columns, p))
	want := "Infinite values count as missing: x0 (2 cells, first in row 7), x1 (1 cell, first in row 4)."
	found := false
	for _, note := range table.Source.Notes {
		found = found || note == want
	}
	if !found || table.Source.Missing == nil || table.Source.Missing.Values != 3 {
		t.Errorf("notes %q, missing %+v", table.Source.Notes, table.Source.Missing)
	}
	res, err := table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil || res.Rows != 100 {
		t.Error(err)
	}
	for _, m := range []dataset.Missing{dataset.MissingError, dataset.MissingDrop} {
		p.Missing = m
		if _, err := polydag.Prepare(t.Context(), columns, p); err == nil {
			t.Errorf("missing %s accepts infinities", m)
		}
	}
}

// Columns that were standardized before values went missing are not taken for columns with equal noise variances, which would state all
// directions.
func TestStandardizedBeforeGaps(t *testing.T) {
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.Standardize, cfg.WeightLow, cfg.WeightHigh = 15, 3, true, 0.1, 0.5
	for seed := range uint64(4) {
		cfg.Seed = seed
		m := must.Get(sim.New(cfg))
		x := m.Sample(sim.Stream(seed, sim.StreamNoise), 300)
		random := rand.New(rand.NewPCG(seed, 3))
		columns := make(polydag.Columns, cfg.Nodes)
		for j := range columns {
			columns[j].Name = m.Names()[j]
			for i := range x.Rows {
				v := x.At(i, j)
				if random.Float64() < 0.2 {
					v = math.NaN()
				}
				columns[j].Numbers = append(columns[j].Numbers, v)
			}
		}
		table := must.Get(polydag.FromColumns(columns...))
		res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
		for _, c := range res.Choices {
			if c.Setting == "variance" && c.Chosen == "equal" {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
	}
}
