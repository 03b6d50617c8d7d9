package confidence_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// explicit computes the rows of a draw one by one in memory, as a slow reference for Resampler.
func explicit(x *matrix.Dense[float64], d polydag.Draw, stratum []int) (*matrix.Dense[float64], []int) {
	sizes := make([]int, slices.Max(stratum)+1)
	for _, k := range stratum {
		sizes[k]++
	}
	var rows []float64
	var of []int
	stream := resample.Draw{Kind: string(d.Kind), Seed: d.Seed, Replicate: d.Replicate}.Start(sizes)
	for i := range x.Rows {
		for range stream.Next(stratum[i]) {
			rows, of = append(rows, x.Row(i)...), append(of, stratum[i])
		}
	}
	return matrix.Of(len(rows)/x.Cols, x.Cols, rows), of
}

func near(t *testing.T, what string, got, want *dataset.Moments) {
	t.Helper()
	if got.N != want.N {
		t.Fatalf("%s: %d rows, want %d", what, got.N, want.N)
	}
	for k, v := range want.Scatter {
		if !(math.Abs(got.Scatter[k]-v) <= 1e-9*(1+math.Abs(v))) {
			t.Fatalf("%s: scatter %d is %v, want %v", what, k, got.Scatter[k], v)
		}
	}
}

// TestDrawnTableIsTheExplicitOne checks that a bootstrap sample has the moments, the sample and the rows of a
// table drawn row by row, in memory or read again, also by environment. Learning from both gives the same graph.
func TestDrawnTableIsTheExplicitOne(t *testing.T) {
	ctx := context.Background()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed, cfg.Interventions, cfg.Observational, cfg.Standardize = 6, 3, 2, 0.4, false
	m := must.Get(sim.New(cfg))
	x, of := m.SampleSettings(sim.Stream(3, sim.StreamNoise), 400)
	wide := matrix.New[float64](x.Rows, x.Cols+1)
	for i := range x.Rows {
		copy(wide.Row(i), x.Row(i))
		wide.Set(i, x.Cols, float64(of[i]))
	}
	table := prepared(t, append(m.Names(), "experiment"), wide, func(p *polydag.Preparation) { p.Environments = "experiment" })
	// Environments are numbered as their words come.
	number := map[int]int{}
	strata := make([]int, x.Rows)
	for k, name := range table.Environments.Names {
		var word int
		must.Get(fmt.Sscan(name, &word))
		number[word] = k
	}
	for i, word := range of {
		strata[i] = number[word]
	}
	for _, kind := range []polydag.Resampling{polydag.Bootstrap, polydag.Halves} {
		for b := range 3 {
			d := polydag.Draw{Kind: kind, Seed: 5, Replicate: b}
			rows, in := explicit(x, d, strata)
			want := must.Get(dataset.MomentsOf(m.Names(), rows, 1))
			for _, bytes := range []int64{1 << 20, 0} {
				from := must.Get(table.Resampler(ctx, bytes))
				if kept := from.Bytes() > 0; kept != (bytes > 0) {
					t.Errorf("%d bytes are kept", from.Bytes())
				}
				got := must.Get(from.Draw(ctx, d))
				near(t, "all rows", got.Moments, want)
				if !slices.Equal(got.Sample.Values, rows.Data) || !slices.Equal(got.Sample.Environments, in) {
					t.Error("the sample has other rows")
				}
				for k, own := range got.Environments.Moments {
					n := 0
					for _, r := range in {
						if r == k {
							n++
						}
					}
					if own.N != n || kind == polydag.Bootstrap && n != table.Environments.Moments[k].N {
						t.Errorf("environment %d has %d rows, want %d", k, own.N, n)
					}
				}
			}
		}
	}
}

// TestGroupsAreDrawnWhole checks that groups are sampled with all their rows.
func TestGroupsAreDrawnWhole(t *testing.T) {
	ctx := context.Background()
	m := must.Get(sim.New(func() sim.Settings { c := sim.Default(); c.Nodes, c.Degree, c.Seed = 4, 2, 1; return c }()))
	x := m.Sample(sim.Stream(1, sim.StreamNoise), 90)
	wide := matrix.New[float64](x.Rows, 5)
	group := func(i int) int { return (i * 7) % 23 }
	for i := range x.Rows {
		copy(wide.Row(i), x.Row(group(i))) // constant within groups, so nothing is centred
		wide.Set(i, 4, float64(group(i)))
	}
	table := prepared(t, append(m.Names(), "person"), wide, func(p *polydag.Preparation) { p.Groups = "person" })
	for _, bytes := range []int64{1 << 20, 0} {
		from := must.Get(table.Resampler(ctx, bytes))
		for b := range 3 {
			d := polydag.Draw{Kind: polydag.Bootstrap, Seed: 2, Replicate: b}
			stream, times, place := resample.Draw{Kind: string(d.Kind), Seed: d.Seed, Replicate: d.Replicate}.Start([]int{23}), make([]int, 0, 23), map[int]int{}
			for range 23 {
				times = append(times, stream.Next(0))
			}
			var rows []float64
			for i := range x.Rows {
				k, ok := place[group(i)]
				if !ok {
					k = len(place)
					place[group(i)] = k
				}
				for range times[k] {
					rows = append(rows, x.Row(group(i))...)
				}
			}
			want := must.Get(dataset.MomentsOf(m.Names(), matrix.Of(len(rows)/4, 4, rows), 1))
			got := must.Get(from.Draw(ctx, d))
			near(t, "groups", got.Moments, want)
		}
	}
	for i := range x.Rows {
		copy(wide.Row(i), x.Row(i))
	}
	table = prepared(t, append(m.Names(), "person"), wide, func(p *polydag.Preparation) { p.Groups = "person" })
	from := must.Get(table.Resampler(ctx, 0))
	got := must.Get(from.Draw(ctx, polydag.Draw{Kind: polydag.Bootstrap, Seed: 2}))
	for j, mean := range got.Moments.Mean { // the differences within a whole group sum to 0
		if math.Abs(mean-table.Moments.Mean[j]) > 1e-9 {
			t.Errorf("the mean of column %d of drawn groups is %v, want %v", j, mean, table.Moments.Mean[j])
		}
	}
}

// TestRefusals checks the errors for moments without rows and for an invalid draw.
func TestRefusals(t *testing.T) {
	_, table := simulated(t, 50, 1, nil)
	if _, err := polydag.FromMoments(table.Moments).Resampler(context.Background(), 0); err == nil {
		t.Error("moments were resampled")
	}
	from := must.Get(table.Resampler(context.Background(), 0))
	for _, d := range []polydag.Draw{{}, {Kind: "thirds"}, {Kind: resample.Bootstrap, Replicate: -1}} {
		if _, err := from.Draw(context.Background(), d); err == nil {
			t.Errorf("%v was drawn", d)
		}
	}
}
