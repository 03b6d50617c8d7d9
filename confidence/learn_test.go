package confidence_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// settings returns the settings of the tests, with few replicates.
func settings(replicates int) confidence.Settings {
	s := confidence.DefaultSettings()
	s.Replicates = replicates
	return s
}

func learned(t testing.TB, table *polydag.Table, s confidence.Settings, threads int, how polydag.Run) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads = threads
	res := must.Get(confidence.Learn(context.Background(), table, cfg, s, how))
	return res
}

// text is a result as JSON, without what differs between two runs.
func text(t testing.TB, res *polydag.Result) string {
	t.Helper()
	copied := *res
	copied.Timing = polydag.Timing{}
	b := must.Get(json.Marshal(&copied))
	return string(b)
}

// tables has one of each model.
func tables(t testing.TB) map[string]*polydag.Table {
	_, linear := simulated(t, 200, 1, func(c *sim.Settings) { c.Standardize = true })
	_, discrete := simulated(t, 300, 2, func(c *sim.Settings) { c.Nodes, c.Mechanism = 6, sim.Discrete })
	_, mixed := simulated(t, 200, 4, func(c *sim.Settings) { c.Nodes, c.Mechanism = 5, sim.Mixed })
	_, smooth := simulated(t, 250, 5, func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism, c.SDLow, c.SDHigh = 4, 4, sim.Additive, 0.5, 0.5 })
	return map[string]*polydag.Table{"linear": linear, "discrete": discrete, "mixed": mixed, "smooth": smooth}
}

// TestSameBytesOnAnyThreads checks that results have the same bytes on any number of threads and in every form,
// and survive a round trip. Every edge has a confidence, and replicates use the model of the whole table. Mixed
// and smooth tables are slow and have one form.
func TestSameBytesOnAnyThreads(t *testing.T) {
	for model, table := range tables(t) {
		forms := []trust.ConsensusForm{trust.ConsensusDAG, trust.NoConsensus, trust.ConsensusClass}
		if model == "mixed" || model == "smooth" {
			forms = forms[:1]
		}
		for _, form := range forms {
			s := settings(6)
			s.Graph = form
			one := learned(t, table, s, 1, polydag.Run{})
			if string(one.Model) != model {
				t.Errorf("the model is %s, want %s", one.Model, model)
			}
			if other := text(t, learned(t, table, s, 3, polydag.Run{})); other != text(t, one) {
				t.Errorf("%s, %s: other bytes on three threads", model, form)
			}
			for _, e := range one.Edges {
				if e.Confidence == 0 {
					t.Errorf("%s, %s: %s → %s has no confidence", model, form, e.From, e.To)
				}
			}
			if c := one.Confidence; c.Replicates+len(c.Failed) != 6 || c.Graph != form {
				t.Errorf("%s: %+v", model, c)
			}
			var b bytes.Buffer
			must.Succeed(t, json.NewEncoder(&b).Encode(one))
			back, err := polydag.ReadResult(&b)
			if err != nil {
				t.Fatalf("%s, %s: %v", model, form, err)
			}
			if text(t, back) != text(t, one) {
				t.Errorf("%s, %s: another result when it is read again", model, form)
			}
		}
	}
}

// TestUnitsArePlainValues checks that a unit survives encoding and gives the outcome of the pool.
func TestUnitsArePlainValues(t *testing.T) {
	table := tables(t)["discrete"]
	cfg := polydag.DefaultConfig()
	full := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	plan := must.Get(confidence.NewPlan(cfg, full))
	from := must.Get(table.Resampler(context.Background(), 0))
	unit := confidence.Unit{Plan: plan, Draw: polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: 4}}
	there := must.Get(json.Marshal(unit))
	var other confidence.Unit
	must.Succeed(t, json.Unmarshal(there, &other))
	want := must.Get(unit.Do(context.Background(), from))
	got := must.Get(other.Do(context.Background(), from))
	a, err1 := json.Marshal(want)
	b, err2 := json.Marshal(got)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) || len(want.Edges) == 0 {
		t.Errorf("%s\n%s", a, b)
	}
	var back confidence.Outcome
	if err := json.Unmarshal(b, &back); err != nil || !slices.Equal(back.Edges, want.Edges) {
		t.Errorf("%+v, %v", back, err)
	}
	pool := confidence.Pool{From: from, Workers: 2}
	if err := pool.Run(context.Background(), []confidence.Unit{other}, func(o confidence.Outcome) {
		if !slices.Equal(o.Edges, want.Edges) {
			t.Error("the pool has another outcome")
		}
	}); err != nil {
		t.Error(err)
	}
}

// TestConfidencesMeanSomething checks that a true edge of a clear table is found in nearly every replicate, one
// between independent columns in few, and that a reversible edge has a direction frequency of one half.
func TestConfidencesMeanSomething(t *testing.T) {
	x := matrix.New[float64](400, 4)
	rng := sim.Stream(1, sim.StreamNoise)
	for i := range x.Rows {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		c := a + b + rng.NormFloat64()
		copy(x.Row(i), []float64{a, b, c / 2, 3 * rng.NormFloat64()})
	}
	res := learned(t, prepared(t, []string{"a", "b", "c", "d"}, x, nil), settings(60), 2, polydag.Run{})
	of := map[polydag.Link]trust.Pair{}
	for _, p := range res.Confidence.Pairs {
		of[p.Link] = p
	}
	for _, from := range []string{"a", "b"} {
		if p := of[polydag.Link{From: from, To: "c"}]; p.Frequency < 0.9 || p.Adjacency < 0.99 || p.Ancestor < 0.9 {
			t.Errorf("%s → c: %+v", from, p)
		}
		if p := of[polydag.Link{From: from, To: "d"}]; p.Adjacency > 0.3 {
			t.Errorf("%s and d: %+v", from, p)
		}
	}
	two := matrix.New[float64](200, 2)
	for i := range two.Rows {
		a := rng.NormFloat64()
		copy(two.Row(i), []float64{a, a + rng.NormFloat64()})
	}
	cfg := polydag.DefaultConfig()
	cfg.Standardize = true
	open := must.Get(confidence.Learn(context.Background(), prepared(t, []string{"a", "b"}, two, nil), cfg, settings(20), polydag.Run{}))
	if len(open.Edges) != 1 || open.Confidence.Pairs[0].Frequency != 0.5 || open.Confidence.Pairs[0].Adjacency != 1 || open.Edges[0].Verdict != polydag.Undirected || open.Edges[0].Confidence < 0.95 || !(math.Abs(open.Edges[0].PDirection-0.5) <= 0.2) {
		t.Errorf("%+v, %+v", open.Edges, open.Confidence.Pairs)
	}
	// If one direction is forbidden, the other has the probability of an edge in either direction.
	cfg.Knowledge = knowledge.Spec{Forbid: []string{"b->a"}}
	known := must.Get(confidence.Learn(context.Background(), prepared(t, []string{"a", "b"}, two, nil), cfg, settings(20), polydag.Run{}))
	either := open.Confidence.Pairs[0].Confidence + open.Confidence.Pairs[1].Confidence
	if p := known.Confidence.Pairs[0]; p.From != "a" || !(math.Abs(p.Confidence-either) <= 1e-12) {
		t.Errorf("b → a is forbidden: %+v, want the confidence %v", p, either)
	}
	// Only the evidence of an open direction includes its share of the equivalence class.
	for _, e := range slices.Concat(res.Edges, open.Edges) {
		shares := slices.ContainsFunc(e.Evidence, func(r trust.Reason) bool {
			return strings.Contains(r.Text, "share of the graphs of the equivalence class")
		})
		if shares == e.Compelled {
			t.Errorf("%s → %s, compelled %v: %+v", e.From, e.To, e.Compelled, e.Evidence)
		}
	}
}

// TestLowConfidenceIsNotDirected checks that a direction with a low bootstrap probability is not stated,
// whatever the model.
func TestLowConfidenceIsNotDirected(t *testing.T) {
	_, table := simulated(t, 60, 7, func(c *sim.Settings) { c.WeightLow, c.WeightHigh = 0.2, 0.5 })
	res := learned(t, table, settings(30), 2, polydag.Run{})
	low := 0
	for _, e := range res.Edges {
		if e.PAdjacent*e.PDirection >= trust.StatedLevel {
			continue
		}
		low++
		if e.Verdict == polydag.Directed {
			t.Errorf("%s → %s: %+v", e.From, e.To, e.Judgement)
		}
	}
	if low == 0 {
		t.Error("every edge is sure: the test tells nothing")
	}
}

// store is a Store in memory.
type store struct{ state []byte }

func (s *store) Save(state []byte) error {
	s.state = bytes.Clone(state)
	return nil
}
func (s *store) Load() ([]byte, error) { return s.state, nil }

// TestStoppedRunsStateWhatIsKnown checks that a run that was stopped after its search states the directions of prior knowledge only.
func TestStoppedRunsStateWhatIsKnown(t *testing.T) {
	table, cfg := tables(t)["linear"], polydag.DefaultConfig()
	whole := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	cfg.Knowledge.Require = []string{knowledge.EdgeBetween(whole.Edges[0].From, whole.Edges[0].To)}
	directed := func(r *polydag.Result) (n int) {
		for _, e := range r.Edges {
			if e.Verdict == polydag.Directed {
				n++
			}
		}
		return n
	}
	full := must.Get(confidence.Learn(t.Context(), table, cfg, settings(6), polydag.Run{}))
	for _, last := range []int{0, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res := must.Get(polydag.BestSoFar(confidence.Learn(ctx, table, cfg, settings(6), polydag.Run{Observe: func(p polydag.Progress) {
			if p.Stage == "bootstrap" && p.Step >= last {
				cancel()
			}
		}})))
		if res.Status != method.Canceled || len(res.Edges) != len(full.Edges) || directed(res) != 1 || directed(full) <= 1 {
			t.Errorf("stopped after %d samples: status %s, %d directed edges of %d; all samples: %d of %d", last, res.Status, directed(res), len(res.Edges), directed(full), len(full.Edges))
		}
	}
}

// TestStopAndGoOn checks that a stopped run has the finished replicates and their number, and that a resumed
// run gives the bytes of an uninterrupted one without repeating a replicate.
func TestStopAndGoOn(t *testing.T) {
	table := tables(t)["linear"]
	const all = 16
	want := text(t, learned(t, table, settings(all), 2, polydag.Run{}))
	kept := &store{}
	ctx, cancel := context.WithCancelCause(context.Background())
	seen := 0
	watch := func(p polydag.Progress) {
		if p.Stage == "bootstrap" {
			if seen = p.Step; p.Step == 5 {
				cancel(errors.New("enough"))
			}
		}
	}
	cfg := polydag.DefaultConfig()
	res, err := confidence.Learn(ctx, table, cfg, settings(all), polydag.Run{Observe: watch, Store: kept})
	if !errors.Is(err, context.Canceled) || res.Status != method.Canceled || res.Confidence.Replicates < 5 || res.Confidence.Replicates >= all || res.Confidence.Asked != all || !strings.Contains(res.Cause, "of 16 bootstrap samples") {
		t.Fatalf("status %s, cause %s, %+v", res.Status, res.Cause, res.Confidence)
	}
	first := -1
	again := learned(t, table, settings(all), 1, polydag.Run{Store: kept, Observe: func(p polydag.Progress) {
		if p.Stage == "bootstrap" && first < 0 {
			first = p.Step
		}
	}})
	if text(t, again) != want {
		t.Error("other bytes after going on")
	}
	if first < 5 {
		t.Errorf("it went on from %d replicates, %d were done", first, seen)
	}
	done, stop := context.WithCancel(context.Background())
	stop()
	early, err := confidence.Learn(done, table, cfg, settings(all), polydag.Run{})
	if !errors.Is(err, context.Canceled) || early.Status != method.Canceled || early.Confidence != nil {
		t.Errorf("stopped before it began: %v, %v", early, err)
	}
}

// failing is a runner whose units do not come back.
type failing struct{ err error }

func (f failing) Run(_ context.Context, units []confidence.Unit, each func(confidence.Outcome)) error {
	for _, u := range units {
		each(confidence.Outcome{Draw: u.Draw, Failed: "it has one value"})
	}
	return f.err
}

// TestFailures checks that failed replicates are named. If all fail, that is an error, and so is an error of
// the runner.
func TestFailures(t *testing.T) {
	table := tables(t)["linear"]
	for _, want := range []string{"it has one value", "no network"} {
		f := failing{}
		if want == "no network" {
			f.err = errors.New(want)
		}
		if _, err := confidence.LearnWith(context.Background(), table, polydag.DefaultConfig(), settings(4), polydag.Run{}, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// A binary column with three rows of one value is constant in some replicates.
	x := matrix.New[float64](60, 3)
	rng := sim.Stream(2, sim.StreamNoise)
	for i := range x.Rows {
		rare := 0.0
		if i < 3 {
			rare = 1
		}
		copy(x.Row(i), []float64{rng.NormFloat64(), rng.NormFloat64(), rare})
	}
	res := learned(t, prepared(t, []string{"a", "b", "rare"}, x, nil), settings(80), 2, polydag.Run{})
	if c := res.Confidence; len(c.Failed) == 0 || c.Replicates+len(c.Failed) != 80 || !strings.Contains(c.Failed[0].Why, "rare") {
		t.Errorf("%+v", c)
	}
}

// TestStabilityBound checks the bound on false edges from half samples.
func TestStabilityBound(t *testing.T) {
	_, table := simulated(t, 300, 3, func(c *sim.Settings) { c.Standardize = true })
	s := settings(20)
	s.Resampling = polydag.Halves
	res := learned(t, table, s, 2, polydag.Run{})
	b := res.Confidence.Stability
	if b == nil || b.Pairs != 45 || b.Selected == 0 || b.Selected > 45 {
		t.Fatalf("%+v", b)
	}
	if want := b.Edges * b.Edges / (0.8 * 45); b.Bound-want > 1e-12 || want-b.Bound > 1e-12 {
		t.Errorf("the bound is %v, want %v", b.Bound, want)
	}
}

// TestConsensusForms checks the form of a consensus: a DAG or a class, with weights of the whole table.
func TestConsensusForms(t *testing.T) {
	table := tables(t)["linear"]
	s := settings(20)
	s.Graph = trust.ConsensusDAG
	dag := learned(t, table, s, 2, polydag.Run{})
	if dag.Kind != graph.KindDAG || !dag.Certificate.Holds || len(dag.Edges) == 0 || len(dag.Assumptions) == 0 || len(dag.Nodes) != len(dag.Names) {
		t.Errorf("%s, %d edges", dag.Kind, len(dag.Edges))
	}
	full := learned(t, table, settings(20), 2, polydag.Run{})
	weight := map[polydag.Link]float64{}
	for _, e := range full.Edges {
		weight[e.Link] = e.Weight
	}
	parents := func(r *polydag.Result, of string) (out []string) {
		for _, e := range r.Edges {
			if e.To == of {
				out = append(out, e.From)
			}
		}
		slices.Sort(out)
		return out
	}
	same := 0
	for _, e := range dag.Edges {
		if slices.Equal(parents(dag, e.To), parents(full, e.To)) {
			if same++; e.Weight != weight[e.Link] {
				t.Errorf("%s → %s has weight %v, learned from the whole table %v", e.From, e.To, e.Weight, weight[e.Link])
			}
		}
	}
	if same == 0 {
		t.Error("no column has the same parents: the test tells nothing")
	}
	s.Graph = trust.ConsensusClass
	class := learned(t, table, s, 2, polydag.Run{})
	if class.Kind != graph.KindCPDAG || !class.Certificate.Holds || len(class.Edges) != len(dag.Edges) {
		t.Errorf("%s, holds %v, %d edges", class.Kind, class.Certificate.Holds, len(class.Edges))
	}
}

// TestSettings checks that all invalid settings are reported at once.
func TestSettings(t *testing.T) {
	err := confidence.Settings{Resampling: "thirds", Graph: "tree", Level: 2}.Validate()
	for _, want := range []string{"thirds", "0 replicates", "tree", "level 2", "threshold of 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := confidence.DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
}
