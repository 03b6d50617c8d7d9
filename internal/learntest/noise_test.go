package learntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/trust"
)

// drawn is a linear table of standardized columns with noise of one shape, and its graph.
func drawn(t testing.TB, noise sim.NoiseKind, d, n int, seed uint64) (*sheet, *graph.Graph) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Noise, cfg.Seed, cfg.Standardize = d, noise, seed, true
	model := must.Get(sim.New(cfg))
	x := model.Sample(sim.Stream(seed, sim.StreamNoise), n)
	s := &sheet{}
	for j, name := range model.Names() {
		s.add(name, n, func(i int) string { return fmt.Sprintf("%.6f", x.At(i, j)) })
	}
	return s, model.Graph()
}

// TestStudyNoise checks that non-Gaussian noise identifies the directions of linear effects, with the default settings.
// docs/explanation/directions.md has the figures of POLYDAG_STUDY=1; without it, one small table of each kind is checked.
func TestStudyNoise(t *testing.T) {
	tables, d := 1, 20
	if os.Getenv("POLYDAG_STUDY") != "" {
		tables, d = 10, 50
	}
	for _, noise := range []sim.NoiseKind{sim.Uniform, sim.Laplace, sim.Exponential, sim.Gumbel, sim.Gaussian} {
		var f1, before, seconds, wrong, settled, edges float64
		for seed := range uint64(tables) {
			s, truth := drawn(t, noise, d, 2000, seed+1)
			table := prepared(t, s.plain())
			res := learnedFrom(t, table, nil)
			c := res.Choice("noise")
			if free := c != nil && c.Chosen == "free"; free != (noise != sim.Gaussian) || res.Model != "linear" {
				t.Errorf("%v, seed %d: %+v, model %+v", noise, seed, c, res.Choice("model"))
			}
			f1 += metric.Compare(truth, res.Graph).F1 / float64(tables)
			seconds += res.Timing.SolveSeconds / float64(tables)
			if g := stageGraph(t, res, "order"); g != nil {
				before += metric.Compare(truth, g).F1 / float64(tables)
			}
			for _, e := range res.Edges {
				edges++
				if e.DirectionP == nil || *e.DirectionP > trust.NoiseLevel || e.Verdict != polydag.Directed {
					continue
				}
				settled++
				if at := func(name string) int { return slices.Index(res.Names, name) }; truth.HasEdge(at(e.To), at(e.From)) {
					wrong++
				}
			}
		}
		t.Logf("%v, %d tables: F1 %.3f, before %.3f, %.2f s; of %.0f edges %.0f by the noise, %.0f wrong", noise, tables, f1, before, seconds, edges, settled, wrong)
		if least := map[bool]float64{true: 0.9, false: 0.98}[noise == sim.Gaussian]; f1 < least {
			t.Errorf("%v: F1 %.3f, want %.2f", noise, f1, least)
		}
		if math.IsNaN(f1) || wrong > 0.02*settled {
			t.Errorf("%v: %.0f of %.0f directions by the noise are wrong", noise, wrong, settled)
		}
	}
}

// stageGraph is the graph of a stage of a result.
func stageGraph(t testing.TB, res *polydag.Result, name string) *graph.Graph {
	t.Helper()
	for _, s := range res.Stages {
		if s.Name != name {
			continue
		}
		g := graph.New(len(res.Names))
		for _, l := range s.Graph {
			g.AddEdge(slices.Index(res.Names, l.From), slices.Index(res.Names, l.To))
		}
		return g
	}
	return nil
}

func withNoise(n order.Noise, m order.Model) *order.Method {
	out := order.New()
	out.Noise, out.Model = n, m
	return out
}

// TestNoiseKeepsTheLaws checks that the column order, units and threads do not change the directions from the
// noise, and that the result survives a round trip.
func TestNoiseKeepsTheLaws(t *testing.T) {
	s, truth := drawn(t, sim.Laplace, 12, 1000, 3)
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	if c := res.Choice("noise"); c == nil || c.Chosen != "free" || metric.Compare(truth, res.Graph).F1 < 0.95 {
		t.Fatalf("%+v, %v", c, res.Edges)
	}
	of := func(r *polydag.Result) map[string]string {
		out := map[string]string{}
		for _, e := range r.Edges {
			out[e.From+" → "+e.To] = fmt.Sprintf("%s %.6g", e.Verdict, *e.DirectionP)
		}
		return out
	}
	order := rand.New(rand.NewPCG(4, 4)).Perm(12)
	if got := of(learnedFrom(t, prepared(t, s.csv(order)), nil)); !maps.Equal(got, of(res)) {
		t.Errorf("columns in another order: %v, want %v", got, of(res))
	}
	for j, cells := range s.cells { // powers of two keep every digit
		for i, c := range cells {
			v := must.Get(strconv.ParseFloat(c, 64))
			cells[i] = strconv.FormatFloat(math.Ldexp(v, 3*j-12)*float64(1-2*(j%2)), 'g', -1, 64)
		}
	}
	scaled := learnedFrom(t, prepared(t, s.plain()), nil)
	if got := of(scaled); !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(of(res)))) {
		t.Errorf("in other units: %v, want %v", got, of(res))
	}
	cfg := polydag.DefaultConfig()
	cfg.Threads = 4
	again := must.Get(prepared(t, s.plain()).Learn(context.Background(), cfg, polydag.Run{}))
	if !maps.Equal(of(again), of(scaled)) {
		t.Errorf("on four threads: %v, want %v", of(again), of(scaled))
	}
	text := must.Get(json.Marshal(res))
	read := must.Get(polydag.ReadResult(bytes.NewReader(text)))
	if !maps.Equal(of(read), of(res)) {
		t.Errorf("read again: %v, want %v", of(read), of(res))
	}
}

// TestNoiseHoldsOff checks that nonlinear effects, categories and counts are not mistaken for noise, that
// knowledge is kept, and that nothing is tested without rows or with Gaussian noise set.
func TestNoiseHoldsOff(t *testing.T) {
	curves := sim.Default()
	curves.Mechanism, curves.Nodes, curves.Edges, curves.Variance, curves.Standardize = sim.Additive, 8, 12, sim.Range{Low: 0.4, High: 0.8}, true
	curved, truth := simulated(t, curves, 600)
	table := prepared(t, curved.plain())
	if res := learnedFrom(t, table, nil); res.Model != "smooth" || res.Choice("noise") != nil || metric.Compare(truth, res.Graph).F1 < 0.9 {
		t.Errorf("curves: %+v, %+v", res.Choice("model"), res.Choice("noise"))
	}
	lines := learnedFrom(t, table, withNoise(order.AutoNoise, order.Linear))
	if c := lines.Choice("noise"); c == nil || c.Chosen != "gaussian" || !strings.Contains(c.Reason, "not linear") && !strings.Contains(c.Reason, "depends on the causes") {
		t.Errorf("curves under lines: %+v", c)
	}
	without := learnedFrom(t, table, withNoise(order.GaussianNoise, order.Linear))
	if without.Choice("noise") != nil || !without.Graph.Equal(lines.Graph) {
		t.Errorf("curves under lines and Gaussian noise: %+v", without.Choices)
	}

	s, truth := drawn(t, sim.Exponential, 8, 800, 2)
	rng := rand.New(rand.NewPCG(5, 5))
	s.add("visits", 800, func(int) string { return strconv.Itoa(int(rng.ExpFloat64() * 20)) })
	if c := learnedFrom(t, prepared(t, s.plain()), withNoise(order.AutoNoise, order.Linear)).Choice("noise"); c == nil || c.Chosen != "gaussian" || !strings.Contains(c.Reason, "visits is count") {
		t.Errorf("a count: %+v", c)
	}
	free := learnedFrom(t, prepared(t, s.plain()), withNoise(order.FreeNoise, order.Linear))
	if c := free.Choice("noise"); c == nil || c.Chosen != "free" {
		t.Errorf("a count, insisted on: %+v", c)
	}
	s.names, s.cells = s.names[:8], s.cells[:8]
	s.add("sex", 800, func(i int) string { return []string{"f", "m"}[rng.IntN(2)] })
	if res := learnedFrom(t, prepared(t, s.plain()), nil); res.Model != "flexible" || res.Choice("noise") != nil {
		t.Errorf("levels: %+v, %+v", res.Choice("model"), res.Choice("noise"))
	}
	if c := learnedFrom(t, prepared(t, s.plain()), withNoise(order.FreeNoise, order.AutoModel)).Choice("noise"); c == nil || c.Chosen != "gaussian" || !strings.Contains(c.Reason, "flexible") {
		t.Errorf("levels, insisted on: %+v", c)
	}
	s.names, s.cells = s.names[:8], s.cells[:8]
	table = prepared(t, s.plain())
	if res := learnedFrom(t, polydag.FromMoments(table.Moments), nil); res.Choice("noise") != nil {
		t.Errorf("moments only: %+v", res.Choices)
	}

	few := &sheet{}
	for j, name := range s.names {
		few.add(name, 60, func(i int) string { return s.cells[j][i] })
	}
	if res := learnedFrom(t, prepared(t, few.plain()), withNoise(order.AutoNoise, order.Linear)); res.Choice("noise") != nil {
		t.Errorf("60 rows: %+v", res.Choices)
	}
	if c := learnedFrom(t, prepared(t, few.plain()), withNoise(order.FreeNoise, order.Linear)).Choice("noise"); c == nil || c.Chosen != "gaussian" || !strings.Contains(c.Reason, "too few rows") {
		t.Errorf("60 rows, insisted on: %+v", c)
	}

	e := truth.Edges()[0]
	cfg := polydag.DefaultConfig()
	cfg.Method = withNoise(order.FreeNoise, order.Linear) // auto would not choose it, because the required edge gives the column a cause
	cfg.Knowledge.Require = []string{s.names[e.To] + "->" + s.names[e.From]}
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	if c := res.Choice("noise"); !res.Graph.HasEdge(e.To, e.From) || c == nil || c.Chosen != "free" {
		t.Errorf("%v → %v is required: %v, %+v", s.names[e.To], s.names[e.From], res.Edges, c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped, err := table.Learn(ctx, polydag.DefaultConfig(), polydag.Run{Observe: func(p polydag.Progress) {
		if p.Stage == "order-noise" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || stopped.Status != method.Canceled || len(stopped.Edges) == 0 {
		t.Errorf("stopped: %v, %v", stopped, err)
	}
}

// TestNoiseThatVaries checks that directions from noise are not stated if the noise variance depends on a
// cause.
func TestNoiseThatVaries(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 2000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.ExpFloat64()
		y[i] = x[i] + (0.2+x[i])*rng.NormFloat64()
	}
	s := &sheet{}
	s.add("x", n, func(i int) string { return fmt.Sprint(x[i]) })
	s.add("y", n, func(i int) string { return fmt.Sprint(y[i]) })
	s.add("z", n, func(i int) string { return fmt.Sprint(rng.ExpFloat64() + y[i]) })
	res := learnedFrom(t, prepared(t, s.plain()), withNoise(order.FreeNoise, order.Linear))
	c := res.Choice("noise")
	if c == nil || c.Chosen != "free" {
		t.Fatalf("%+v", c)
	}
	for _, a := range res.Assumptions {
		if a.Name == trust.GaussianNoise || a.Name == trust.SteadyNoise && a.Outcome != trust.Failed {
			t.Errorf("%+v", a)
		}
	}
	for _, e := range res.Edges {
		if e.Verdict == polydag.Directed {
			t.Errorf("%s → %s is stated although the check of the noise failed", e.From, e.To)
		}
	}
}
