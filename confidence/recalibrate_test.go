package confidence_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// TestRecalibrationSameBytes checks that a recalibration has the same bytes on any number of threads, under
// every model and for halves, and names itself.
func TestRecalibrationSameBytes(t *testing.T) {
	for model, table := range tables(t) {
		s := settings(4)
		s.Calibrate = 2
		if model == "linear" {
			s.Resampling = polydag.Halves
		}
		one := learned(t, table, s, 1, polydag.Run{})
		if text(t, learned(t, table, s, 3, polydag.Run{})) != text(t, one) {
			t.Errorf("%s: other bytes on three threads", model)
		}
		c := one.Confidence
		if r := c.Recalibration; c.Calibration != confidence.Recalibrated || r == nil || r.Tables != 2 || r.Replicates != 4 || r.Seed != c.Seed || r.Pairs == 0 {
			t.Errorf("%s: %s, %+v", model, c.Calibration, r)
		}
		for _, p := range c.Pairs {
			if !(p.Confidence >= 0 && p.Confidence <= 1) || p.Adjacency == 0 && p.Confidence != 0 {
				t.Errorf("%s: %+v", model, p)
			}
		}
	}
}

func TestRecalibratedPosterior(t *testing.T) {
	table := chainTable(t, 6, 200, true, inOrder)
	set := func(s *confidence.PosteriorSettings) { s.Calibrate = 3 }
	one := posterior(t, table, 1, set)
	if text(t, posterior(t, table, 3, set)) != text(t, one) {
		t.Error("other bytes on three threads")
	}
	if c := one.Confidence; c.Calibration != confidence.Recalibrated || c.Recalibration == nil || c.Recalibration.Tables != 3 || c.Recalibration.Replicates != 0 {
		t.Errorf("%s, %+v", c.Calibration, c.Recalibration)
	}
	plain := posterior(t, table, 1, nil)
	if plain.Confidence.Recalibration != nil || plain.Confidence.Calibration != confidence.NoCalibration {
		t.Error("a posterior that was not asked to be is recalibrated")
	}
	for _, p := range plain.Confidence.Pairs {
		k := slices.IndexFunc(one.Confidence.Pairs, func(q trust.Pair) bool { return q.Link == p.Link })
		if k < 0 || one.Confidence.Pairs[k].Frequency != p.Frequency {
			t.Errorf("the probability of %s → %s is not what it was", p.From, p.To)
		}
	}
}

// TestCalibrationInterrupted checks that if the context ends during the calibration, the replicates count, the
// fixed curve is used, and the result states it.
func TestCalibrationInterrupted(t *testing.T) {
	table := tables(t)["linear"]
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := settings(8)
	s.Calibrate = 4
	cfg := polydag.DefaultConfig()
	cfg.Threads = 2
	seen := 0
	how := polydag.Run{Observe: func(p polydag.Progress) {
		if p.Stage == "calibration" {
			if seen++; p.Step == 10 {
				cancel()
			}
			if p.Steps != 32 {
				t.Errorf("%d steps, want 4 tables of 8", p.Steps)
			}
		}
	}}
	res := must.Get(polydag.BestSoFar(confidence.Learn(ctx, table, cfg, s, how)))
	c := res.Confidence
	if res.Status != method.Canceled || !strings.Contains(res.Cause, "confidences are those without it") || c.Recalibration != nil || c.Calibration != confidence.Simulated || c.Replicates != 8 {
		t.Errorf("%s (%s), %s after %d replicates", res.Status, res.Cause, c.Calibration, c.Replicates)
	}
	s.Calibrate = 0
	plain := learned(t, table, s, 2, polydag.Run{})
	if len(plain.Confidence.Pairs) != len(c.Pairs) || plain.Confidence.Pairs[0] != c.Pairs[0] {
		t.Error("other confidences than without a calibration")
	}
	if seen == 0 {
		t.Error("no progress was said")
	}
}

// TestCalibrateRefuses checks that tables that cannot be simulated are refused before the replicates: groups,
// environments with unknown targets, and rows that do not fit.
func TestCalibrateRefuses(t *testing.T) {
	model := must.Get(sim.New(func() sim.Settings { c := sim.Default(); c.Nodes, c.Degree, c.Seed = 4, 2, 1; return c }()))
	x := model.Sample(sim.Stream(1, sim.StreamNoise), 90)
	wide := matrix.New[float64](x.Rows, 5)
	for i := range x.Rows {
		copy(wide.Row(i), x.Row(i))
		wide.Set(i, 4, float64(i%3))
	}
	s := settings(8)
	s.Calibrate = 2
	for name, change := range map[string]func(*polydag.Preparation){
		"group":                func(p *polydag.Preparation) { p.Groups = "g" },
		"not known what the":   func(p *polydag.Preparation) { p.Environments = "g" },
		"90 rows of 5 columns": func(*polydag.Preparation) { s.MostBytes = 100 },
	} {
		table := prepared(t, append(model.Names(), "g"), wide, change)
		_, err := confidence.Learn(context.Background(), table, polydag.DefaultConfig(), s, polydag.Run{})
		if !errors.Is(err, confidence.ErrCalibrate) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		s.MostBytes = 1 << 20
	}
	s.Calibrate = 1
	if err := s.Validate(); err == nil {
		t.Error("one simulated table cannot be judged by others, and is taken")
	}
}

// TestLikenessWithTargets checks that an intervened column keeps its values and the rest is simulated.
func TestLikenessWithTargets(t *testing.T) {
	rng := sim.Stream(9, sim.StreamNoise)
	const n = 300
	x := matrix.New[float64](n, 3) // a, b = a + noise or set to 5, target: a name of a column by its number
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, a+rng.NormFloat64())
		if i%3 == 0 {
			x.Set(i, 1, 5+rng.NormFloat64()/8)
			x.Set(i, 2, 1)
		}
	}
	table := prepared(t, []string{"a", "b", "t"}, x, func(p *polydag.Preparation) { p.Environments = "t" })
	table.Environments.Unknown = false
	for k, name := range table.Environments.Names {
		if table.Environments.Targets[k] = nil; name == "1" {
			table.Environments.Targets[k] = []int{1}
		}
	}
	g := graph.New(2)
	g.AddEdge(0, 1)
	other, truth, err := confidence.Simulate(table, &polydag.Result{Kind: graph.KindDAG}, g, 3)
	if err != nil || !truth.HasEdge(0, 1) {
		t.Fatalf("%v, %v", truth, err)
	}
	i := 0
	err = other.EachRow(context.Background(), func(b dataset.RowBatch) error {
		rows, environments := b.Values, b.Environments
		for k := range environments {
			if b := rows[2*k+1]; (b == x.At(i, 1)) != (i%3 == 0) {
				t.Errorf("row %d: %v after %v", i, b, x.At(i, 1))
			}
			i++
		}
		return nil
	})
	if err != nil || i != n {
		t.Errorf("%d rows, %v", i, err)
	}
}

// TestLikeness checks that a simulated table has the rows, kinds, scales and effect sizes of the original, and
// the stated graph.
func TestLikeness(t *testing.T) {
	for model, table := range tables(t) {
		full := must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		other, truth, err := confidence.Simulate(table, full, full.Graph, 7)
		must.Succeed(t, err)
		if other.Moments.N != table.Moments.N || !slices.Equal(other.Moments.Names, table.Moments.Names) || other.Fingerprint() == table.Fingerprint() {
			t.Errorf("%s: %d rows of %v", model, other.Moments.N, other.Moments.Names)
		}
		a, b := table.Moments.Correlation(), other.Moments.Correlation()
		for _, e := range truth.Edges() {
			if !full.Graph.HasEdge(e.From, e.To) {
				t.Errorf("%s: %v is in no graph", model, e)
			}
			if was, is := a.At(e.From, e.To), b.At(e.From, e.To); model == "linear" && !(math.Abs(was-is) <= 0.2) {
				t.Errorf("%s: the correlation of %v was %.2f and is %.2f", model, e, was, is)
			}
		}
		again := must.Get(other.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		if again.Model != full.Model && !(full.Model == score.MixedEffects && again.Model == score.FlexibleEffects) {
			t.Errorf("%s: the model is %s", model, again.Model)
		}
		if model == "linear" && shared(again.Graph, truth) < truth.NumEdges()*3/4 {
			t.Errorf("%d of %d adjacencies found again", shared(again.Graph, truth), truth.NumEdges())
		}
		for j := range a.Rows {
			if was, is := table.Moments.Scatter[j*(a.Rows+1)], other.Moments.Scatter[j*(a.Rows+1)]; !(math.Abs(math.Log(is/was)) <= math.Log(1.6)) {
				t.Errorf("%s: column %d had %.3g and has %.3g", model, j, was, is)
			}
		}
	}
}

func shared(g, h *graph.Graph) (n int) {
	for _, e := range h.Edges() {
		if g.Adjacent(e.From, e.To) {
			n++
		}
	}
	return n
}

// TestRecalibratedPosteriorOfShuffledColumns checks that the probabilities of a simulated table are compared with its own graph. The order of
// the columns in the posterior differs from that of the table and from its inverse; mixed up, most of them would be wrong.
func TestRecalibratedPosteriorOfShuffledColumns(t *testing.T) {
	table := chainTable(t, 6, 600, false, func(int) []int { return []int{3, 5, 0, 4, 1, 2} })
	res := posterior(t, table, 2, func(s *confidence.PosteriorSettings) { s.Calibrate = 2 })
	_, at, err := table.Posterior(t.Context(), polydag.DefaultConfig(), res)
	must.Succeed(t, err)
	if !slices.ContainsFunc(at, func(v int) bool { return at[at[v]] != v }) {
		t.Fatalf("the order %v is its own inverse", at)
	}
	if r := res.Confidence.Recalibration; r.Before > 0.15 {
		t.Errorf("%+v, want an error below 0.15", *r)
	}
}
