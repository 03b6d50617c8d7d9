package heldout

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// scaled is a table of straight lines in units of standard deviations, on which methods differ.
func scaled(c *sim.Settings) { c.Edges, c.Standardize = 6, true }

// TestEveryMethod checks that every method of the list has a graph or a reason, and the fields of its kind of
// graph.
func TestEveryMethod(t *testing.T) {
	links, table := simulated(t, 300, 1, scaled)
	truth := must.Get(NewTruth(table.Moments.Names, links))
	s := DefaultCompareSettings()
	s.Budget = 250 * time.Millisecond // some methods take long on any table
	c := must.Get(Compare(context.Background(), table, chosen(t, All), truth, s, nil))
	if c.Model != score.LinearEffects || c.Splits != 1 || c.Truth.Edges != 6 || c.Status != method.Completed {
		t.Errorf("%+v", c)
	}
	best := math.Inf(1)
	for k, m := range lab.All() {
		info, e := m.Info(), c.Methods[k]
		if e.Label != info.Name || e.Method != info.Name || e.State != Done && e.State != Stopped || (e.State == Stopped) != (e.Why != "") {
			t.Errorf("%s: %+v", info.Name, e)
		}
		if e.Behind != nil {
			best = min(best, *e.Behind)
		}
		if e.State == Stopped {
			t.Logf("%s: %s", e.Label, e.Why)
			continue
		}
		if e.Result == nil || e.Metrics == nil || !e.Holds {
			t.Errorf("%s: %+v", info.Name, e)
			continue
		}
		pag := e.Kind == graph.KindPAG
		if (e.Score == nil) != pag || (e.Unscored == "") == pag || (e.Metrics.F1 == nil) != pag {
			t.Errorf("%s is a %s: %+v", e.Label, e.Kind, e)
		}
		if pag && e.HeldOut != nil || (e.HeldOut == nil) != (e.NotHeldOut != "") {
			t.Errorf("%s is a %s, held out: %+v", e.Label, e.Kind, e)
		}
		if (e.Cut != nil) != info.Continuous {
			t.Errorf("%s: cut is %+v", e.Label, e.Cut)
		}
	}
	if best != 0 {
		t.Errorf("the best is %v bits behind", best)
	}
	if n := len(c.Agreement.Labels); n != len(c.Graphs()) {
		t.Errorf("agreement of %d methods", n)
	}
}

// bic is a slow reference for the scale: n·ln of the residual variance of each column, and ln n per edge.
func bic(t *testing.T, table *polydag.Table, g *graph.Graph) float64 {
	t.Helper()
	sum := 0.0
	for v := range g.N() {
		reg := must.Get(score.Regress(table.Moments.Correlation(), v, g.Parents(v)))
		sum += float64(table.Moments.N)*math.Log(reg.Residual) + math.Log(float64(table.Moments.N))*float64(len(g.Parents(v)))
	}
	return sum
}

// TestScoresAreOnOneScale checks that the graphs of all methods have the score of the reference. All members of
// a class have the same score.
func TestScoresAreOnOneScale(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	c := plain(t, table, nil, "order", "order:penalty=40", "ges", "notears-exp")
	twin := make([]float64, len(c.Methods))
	for k, e := range c.Methods {
		g := must.Get(member(e.Result.Marked))
		twin[k] = bic(t, table, g)
	}
	differ := false
	for k, e := range c.Methods {
		want := (twin[k] - slices.Min(twin)) / (2 * 200 * math.Ln2)
		differ = differ || want > 0.01
		if !(math.Abs(*e.Behind-want) <= 1e-9) {
			t.Errorf("%s is %v bits a row behind, its twin %v", e.Label, *e.Behind, want)
		}
	}
	if !differ {
		t.Error("all methods have the same score, so that nothing was tested")
	}
}

// TestHeldOutByHand computes the held-out likelihood of the other half by hand.
func TestHeldOutByHand(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	ctx := context.Background()
	s := DefaultCompareSettings()
	s.Splits = 2
	c, err := Compare(ctx, table, chosen(t, "mmhc", "mmhc:penalty=40"), nil, s, nil)
	must.Succeed(t, err)
	from := must.Get(table.Resampler(ctx, 1<<20))
	var by [2][]float64
	for i, candidate := range chosen(t, "mmhc", "mmhc:penalty=40") {
		for k := range 4 {
			var halves [2]*polydag.Table
			for h := range halves {
				halves[h] = must.Get(from.Draw(ctx, polydag.Draw{Kind: polydag.Halves, Seed: 1, Replicate: k ^ h}))
			}
			res := must.Get(halves[0].Learn(ctx, candidate.Config, polydag.Run{}))
			likely := must.Get(NewLikelihood(ctx, score.LinearEffects, table, halves[0], halves[1]))
			bits := must.Get(likely.Bits(ctx, res.Graph))
			by[i] = append(by[i], bits)
		}
		want := (by[i][0] + by[i][1] + by[i][2] + by[i][3]) / 4
		if e := c.Methods[i]; !(math.Abs(*e.HeldOut-want) <= 1e-12) {
			t.Errorf("%s: %v, by hand %v", e.Label, *e.HeldOut, want)
		}
	}
	d := func(k int) float64 { return by[0][k] - by[1][k] }
	want := math.Sqrt(((d(0)-d(1))*(d(0)-d(1)) + (d(2)-d(3))*(d(2)-d(3))) / 8)
	behind := c.Methods[1]
	if *behind.HeldOutBehind <= 0 || !(math.Abs(*behind.HeldOutError-want) <= 1e-12) || *c.Methods[0].HeldOutBehind != 0 || *c.Methods[0].HeldOutError != 0 {
		t.Errorf("%v ± %v behind, by hand ± %v; the best %v", *behind.HeldOutBehind, *behind.HeldOutError, want, *c.Methods[0].HeldOutBehind)
	}
}

// TestSameBytes checks that results have the same bytes on any number of threads, except times, and under every
// model of the scale.
func TestSameBytes(t *testing.T) {
	for want, change := range map[score.Effects]func(*sim.Settings){
		score.LinearEffects: scaled,
		score.TableEffects:  func(c *sim.Settings) { c.Mechanism = sim.Discrete },
		score.MixedEffects:  func(c *sim.Settings) { c.Mechanism = sim.Mixed },
	} {
		_, table := simulated(t, 200, 2, change)
		var texts []string
		for _, threads := range []int{1, 3} {
			list := chosen(t, "order", "mmhc", "pc")
			for k := range list {
				list[k].Config.Threads = threads
			}
			c := must.Get(Compare(context.Background(), table, list, nil, DefaultCompareSettings(), nil))
			if c.Model != want || c.Methods[0].Score == nil || c.Methods[0].HeldOut == nil {
				t.Errorf("%s: model %s, %+v", want, c.Model, c.Methods[0])
			}
			c.Threads = 0
			for k := range c.Methods {
				c.Methods[k].Seconds = 0
			}
			b := must.Get(json.Marshal(c))
			texts = append(texts, string(b))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: one thread\n%s\nthree\n%s", want, texts[0], texts[1])
		}
	}
}

// TestRefusedMethodsStopNobody checks that a method that does not support the table, or needs too much memory,
// gives a reason and that the others continue.
func TestRefusedMethodsStopNobody(t *testing.T) {
	_, table := simulated(t, 200, 2, func(c *sim.Settings) { c.Mechanism = sim.Discrete })
	must.Succeed(t, table.Overrule([]string{"*=categorical"}))
	c := plain(t, table, nil, "lingam", "order")
	if e := c.Methods[0]; e.State != Refused || !strings.Contains(e.Why, "categorical") || e.Result != nil || e.Settings != nil {
		t.Errorf("%+v", e)
	}
	if e := c.Methods[1]; e.State != Done || e.Score == nil || c.Agreement != nil {
		t.Errorf("%+v, agreement %+v", e, c.Agreement)
	}
	s := DefaultCompareSettings()
	s.Fits = func(int64) error { return context.DeadlineExceeded }
	s.Words = func(error) string { return "no room" }
	c, err := Compare(context.Background(), table, chosen(t, "mmhc"), nil, s, nil)
	if err != nil || c.Methods[0].State != Refused || c.Methods[0].Why != "no room" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestEnvironments checks that with targets, methods without support are refused, graphs are scored, and no rows are
// held out.
func TestEnvironments(t *testing.T) {
	cfg := sim.Default()
	cfg.Nodes, cfg.Edges, cfg.Interventions, cfg.Seed = 5, 6, 5, 1
	m := must.Get(sim.New(cfg))
	x, settings := m.SampleSettings(sim.Stream(1, sim.StreamNoise), 300)
	column, words := m.Label()
	columns := must.Get(polydag.RowColumns(m.Names(), slices.Collect(dataset.RowsOf(x))))
	target := polydag.Column{Name: column, Text: make([]string, x.Rows)}
	for i := range target.Text {
		target.Text[i] = words[settings[i]]
	}
	p := polydag.DefaultPreparation()
	p.Targets = column
	table := must.Get(polydag.Prepare(context.Background(), append(columns, target), p))
	s := DefaultCompareSettings()
	s.Budget = 250 * time.Millisecond // enco takes a minute
	c := must.Get(Compare(t.Context(), table, chosen(t, All), nil, s, nil))
	if !strings.Contains(c.NotHeldOut, "something was set") {
		t.Errorf("%q", c.NotHeldOut)
	}
	for k, m := range lab.All() {
		if e := c.Methods[k]; (e.State == Refused) == m.Info().Environments || m.Info().Environments && e.Score == nil {
			t.Errorf("%s: %+v", e.Label, e)
		}
	}
}

// TestCut checks the graph after a threshold and the removed edges.
func TestCut(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	c := plain(t, table, nil, "notears-exp:threshold=0:steps=5", "notears-exp:threshold=0.3")
	free, fair := c.Methods[0].Cut, c.Methods[1].Cut
	if free.Acyclic || free.Cyclic == 0 || free.Edges == 0 || free.H <= 0 || c.Methods[0].Kind != graph.KindDAG || !c.Methods[0].Holds {
		t.Errorf("%+v", free)
	}
	if fair.Threshold != 0.3 || fair.Acyclic != (fair.Cyclic == 0) {
		t.Errorf("%+v", fair)
	}
}

// TestBudget checks that with almost no time the default method still determines the model, and that a method
// over the limit reports it and is not run on halves.
func TestBudget(t *testing.T) {
	_, table := simulated(t, 200, 3, func(c *sim.Settings) { c.Nodes, c.Edges = 40, 100 })
	s := DefaultCompareSettings()
	s.Budget = 50 * time.Millisecond
	c := must.Get(Compare(context.Background(), table, chosen(t, "notears-exp:steps=100000000"), nil, s, nil))
	if e := c.Methods[0]; e.State != Stopped || !strings.Contains(e.Why, "50ms") || e.Result == nil || e.HeldOut != nil || e.NotHeldOut == "" || e.Seconds > 30 {
		t.Errorf("%+v", e)
	}
	if c.Status != method.Completed {
		t.Errorf("status %s: a method out of time is no interruption", c.Status)
	}
}

// TestInterrupted checks that an interrupted comparison has the results so far, and returns an error without
// any graph.
func TestInterrupted(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	c := must.Get(Compare(ctx, table, chosen(t, "order", "notears-exp:steps=100000000", "pc"), nil, DefaultCompareSettings(), func(p CompareProgress) {
		if p.Label == "notears-exp:steps=100000000" && p.Run.Step > 10 {
			cancel(context.Canceled)
		}
	}))
	if c.Status != method.Canceled || c.Cause == "" || c.Methods[0].State != Done || c.Methods[1].State != Stopped || c.Methods[2].State != Skipped {
		t.Errorf("%+v", c)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	if c, err := Compare(over, table, chosen(t, "order"), nil, DefaultCompareSettings(), nil); err == nil {
		t.Errorf("%+v", c)
	}
}

// TestNothingHeldOut checks that without rows the comparison reports it and still scores the graphs.
func TestNothingHeldOut(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	only := polydag.FromMoments(table.Moments)
	s := DefaultCompareSettings()
	s.Budget = 250 * time.Millisecond
	c := must.Get(Compare(context.Background(), only, chosen(t, All), nil, s, nil))
	if c.Splits != 0 || !strings.Contains(c.NotHeldOut, "only moments are known") {
		t.Errorf("%+v", c)
	}
	for k, m := range lab.All() {
		e, rows := c.Methods[k], m.Info().Needs == method.Rows
		if e.HeldOut != nil || rows != (e.State == Refused) || e.State == Done && (e.Score == nil) != (e.Kind == graph.KindPAG) {
			t.Errorf("%s: %+v", e.Label, e)
		}
	}
}

// TestKnowledgeOfOneMethod checks that a method with prior knowledge is run with it, although the default method has a result without.
func TestKnowledgeOfOneMethod(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	list := chosen(t, "auto", "auto:gamma=0")
	list[1] = list[0]
	names := table.Moments.Names
	for _, to := range names[1:] {
		list[1].Config.Knowledge.Forbid = append(list[1].Config.Knowledge.Forbid, names[0]+"->"+to, to+"->"+names[0])
	}
	s := DefaultCompareSettings()
	s.Splits = 0
	c := must.Get(Compare(t.Context(), table, list, nil, s, nil))
	for k, e := range c.Methods {
		alone := !slices.ContainsFunc(e.Result.Edges, func(e polydag.Edge) bool { return e.From == names[0] || e.To == names[0] })
		if alone != (k == 1) {
			t.Errorf("method %d: edges %v", k, e.Result.Edges)
		}
	}
}
