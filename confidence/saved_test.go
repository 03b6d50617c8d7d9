package confidence

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// runnerFunc is a runner of one function.
type runnerFunc func(ctx context.Context, units []Unit, each func(Outcome)) error

func (f runnerFunc) Run(ctx context.Context, units []Unit, each func(Outcome)) error {
	return f(ctx, units, each)
}

// TestSavedOutcomes checks that saved replicates are not learned again, except those of another seed, and that replicates beyond the
// number asked for and repeated ones do not count.
func TestSavedOutcomes(t *testing.T) {
	l, outcomes := replicates(t, 0, 0)
	l.set.Replicates = 4
	other := *outcomes[2]
	other.Draw.Seed++
	l.saver = &saver{store: &memory{}, outcomes: []Outcome{*outcomes[0], *outcomes[0], *outcomes[9], other}}
	var steps, learned []int
	l.how.Observe = func(p polydag.Progress) { steps = append(steps, p.Step) }
	res, err := l.run(t.Context(), runnerFunc(func(_ context.Context, units []Unit, each func(Outcome)) error {
		for _, u := range units {
			learned = append(learned, u.Draw.Replicate)
			each(*outcomes[u.Draw.Replicate])
		}
		return nil
	}))
	if err != nil || !slices.Equal(learned, []int{1, 2, 3}) || !slices.Equal(steps, []int{1, 2, 3, 4}) || res.Confidence.Replicates != 4 {
		t.Errorf("replicates %v are learned, with the progress %v, %v; want 1, 2, 3 and the progress from 1 to 4", learned, steps, err)
	}
}

// TestCanceledReplicates checks that a run is canceled only if replicates are missing.
func TestCanceledReplicates(t *testing.T) {
	for done, cause := range map[int]string{2: "after 2 of 4 bootstrap samples", 4: ""} {
		l, outcomes := replicates(t, 0, 0)
		l.set.Replicates = 4
		ctx, cancel := context.WithCancel(t.Context())
		res, err := l.run(ctx, runnerFunc(func(ctx context.Context, _ []Unit, each func(Outcome)) error {
			for _, o := range outcomes[:done] {
				each(*o)
			}
			cancel()
			return ctx.Err()
		}))
		if err != nil || (res.Status == method.Canceled) != (cause != "") || !strings.HasSuffix(res.Cause, cause) {
			t.Errorf("%d of 4 replicates: status %s, cause %q, %v; want the cause %q", done, res.Status, res.Cause, err, cause)
		}
		cancel()
	}
}

// TestUnturnedGraphs checks that edges are reversed only in a DAG, and not if environments have unknown targets.
func TestUnturnedGraphs(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         graph.Kind
		environments *dataset.Environments
		turned       int
	}{
		{"a DAG", graph.KindDAG, nil, 1},
		{"known targets", graph.KindDAG, &dataset.Environments{}, 1},
		{"unknown targets", graph.KindDAG, &dataset.Environments{Unknown: true}, 0},
		{"a class", graph.KindCPDAG, nil, 0},
	} {
		l, _ := replicates(t, 0, 0)
		l.set.Graph = trust.TurnedGraph
		l.full.Kind = c.kind
		var err error
		if l.full.Graph, err = graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}}); err != nil {
			t.Fatal(err)
		}
		back := graph.NewMixed(graph.KindDAG, 4)
		back.Set(graph.MarkedEdge{Edge: graph.Edge{From: 1, To: 0}, AtFrom: graph.Tail, AtTo: graph.Arrow})
		votes := graph.NewVotes(4)
		votes.Add(back)
		said := &trust.Confidence{}
		l.table.Environments = c.environments
		if c.environments != nil && !c.environments.Unknown {
			c.environments.Targets = [][]int{nil}
		}
		_, _ = l.chosen(t.Context(), votes, said)
		if len(said.Turned) != c.turned {
			t.Errorf("%s: %v is reversed, want %d edges", c.name, said.Turned, c.turned)
		}
	}
}

// TestClassOfAResult checks that open directions become undirected edges without an effect, and that the other edges stay.
func TestClassOfAResult(t *testing.T) {
	res := &polydag.Result{Names: []string{"a", "b", "c"}, Kind: graph.KindDAG, Edges: []polydag.Edge{
		{Link: polydag.Link{From: "c", To: "a"}, Mark: "-->", Weight: 2, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
		{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 3},
	}}
	got := classOf(res)
	if got.Edges[0].Mark != "-->" || got.Edges[0].Weight != 2 || got.Edges[1].Mark != "---" || got.Edges[1].Weight != 0 || got.Edges[1].Link != (polydag.Link{From: "a", To: "b"}) {
		t.Errorf("%+v, want c → a and a — b", got.Edges)
	}
	if !slices.Equal(got.Graph.Edges(), []graph.Edge{{From: 2, To: 0}}) || got.Marked.NumEdges() != 2 || got.Kind != graph.KindCPDAG {
		t.Errorf("the directed edges are %v of %d, want c → a of 2", got.Graph.Edges(), got.Marked.NumEdges())
	}
}

// TestLeastFrequencies checks the limit of 0.01 for listed pairs, of bootstrap samples and of a posterior.
func TestLeastFrequencies(t *testing.T) {
	for n, want := range map[int]int{4: 5, 5: 9} { // the expected counts of 400 samples, as in TestListedPairs
		l, outcomes := replicates(t, n, 0)
		_, more := replicates(t, 0, 0)
		res, err := l.result(t.Context(), append(outcomes, more...), nil)
		if err != nil || len(res.Confidence.Pairs) != want {
			t.Errorf("d → a in %d of 400 samples: %v, %v; want %d pairs", n, res.Confidence.Pairs, err, want)
		}
	}
	for _, c := range []struct {
		edge, back, path float64
		want             int
	}{{0.006, 0.004, 0.01, 0}, {0.006, 0.005, 0, 2}, {0, 0, 0.011, 1}, {0.011, 0, 0.011, 2}} {
		l, _ := replicates(t, 0, 0)
		found := &sample.Result{Exact: true, Chains: 1, RHat: 1, ESS: 10, Graphs: make([][]graph.Edge, 10), Edge: matrix.New[float64](4, 4), Ancestor: matrix.New[float64](4, 4)}
		found.Edge.Set(0, 1, c.edge)
		found.Edge.Set(1, 0, c.back)
		found.Ancestor.Set(0, 1, c.path)
		res, err := l.drawn(t.Context(), found, []int{3, 1, 0, 2}, nil)
		if err != nil || len(res.Confidence.Pairs) != c.want {
			t.Errorf("edges with %v and %v, a path with %v: %v, %v; want %d pairs", c.edge, c.back, c.path, res.Confidence.Pairs, err, c.want)
			continue
		}
		if c.want > 0 && res.Confidence.Pairs[0].Link != (polydag.Link{From: "d", To: "b"}) {
			t.Errorf("the first pair is %+v, want d → b", res.Confidence.Pairs[0])
		}
	}
}

// rare returns a learner of a table whose second column has one value that differs from the others.
func rare(t *testing.T, calibrate int) *learner {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}}
	for i := range 60 {
		columns[0].Numbers = append(columns[0].Numbers, rng.NormFloat64())
		columns[1].Numbers = append(columns[1].Numbers, number(i == 7))
	}
	table := must.Get(polydag.Prepare(t.Context(), columns, polydag.DefaultPreparation()))
	set := DefaultSettings()
	set.Calibrate = calibrate
	l := must.Get(start(t.Context(), table, polydag.DefaultConfig(), set, polydag.Run{}))
	return l
}

// TestConstantSimulatedTables checks that simulated tables with a constant column do not count.
func TestConstantSimulatedTables(t *testing.T) {
	l, calls := rare(t, 12), 0
	r, err := l.recalibrate(t.Context(), 8, newCurve(NoCalibration, 0), []*graph.Graph{graph.New(2)}, func(*SimulatedTable, *polydag.Table, func()) (func(i, j int) float64, error) {
		calls++
		return func(i, j int) float64 { return 0 }, nil
	})
	if err != nil || r.report.Tables != calls || calls < 2 || calls > 11 {
		t.Errorf("%+v of %d tables, %v; want some without a constant column", r, calls, err)
	}
}

// TestFailedSimulatedReplicates checks that replicates of simulated tables that could not be learned do not count.
func TestFailedSimulatedReplicates(t *testing.T) {
	said := map[bool]trust.Recalibration{}
	for _, fails := range []bool{false, true} {
		l := rare(t, 12)
		l.remote = runnerFunc(func(_ context.Context, units []Unit, each func(Outcome)) error {
			for k, u := range units {
				o := Outcome{Draw: u.Draw, Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}, Mark: "-->"}}}
				if fails && k%2 == 0 {
					o.Edges, o.Failed = nil, "constant"
				}
				each(o)
			}
			return nil
		})
		r := must.Get(l.replicated(t.Context(), &Plan{}, []*Outcome{{}}))
		said[fails] = *r.report
	}
	if said[false] != said[true] || said[true].Pairs == 0 {
		t.Errorf("%+v with failed replicates, %+v without", said[true], said[false])
	}
}

// TestLearningFails checks that the error of the search is returned although a recalibration is asked for.
func TestLearningFails(t *testing.T) {
	l, _ := replicates(t, 0, 0)
	set := DefaultSettings()
	set.Calibrate = 2
	l.cfg.Knowledge = knowledge.Spec{Require: []string{"a -> unknown"}}
	if _, err := start(t.Context(), l.table, l.cfg, set, polydag.Run{}); err == nil || errors.Is(err, ErrCalibrate) {
		t.Errorf("%v, want an error on the unknown column", err)
	}
}

// TestErrorsOfTheSearch checks that an error of the search ends each way to confidences.
func TestErrorsOfTheSearch(t *testing.T) {
	l, _ := replicates(t, 0, 0)
	l.cfg.Knowledge = knowledge.Spec{Require: []string{"a -> unknown"}}
	if _, err := Posterior(t.Context(), l.table, l.cfg, DefaultPosterior(), polydag.Run{}); err == nil {
		t.Error("a posterior with an unknown column has no error")
	}
	if _, err := LearnWith(t.Context(), l.table, l.cfg, DefaultSettings(), polydag.Run{}, nil); err == nil {
		t.Error("replicates with an unknown column have no error")
	}
}

// TestConsensusOfEnvironments checks that a consensus is refused if the targets are unknown, and only then.
func TestConsensusOfEnvironments(t *testing.T) {
	for _, unknown := range []bool{true, false} {
		for form, want := range map[trust.ConsensusForm]bool{trust.ConsensusDAG: unknown, trust.ConsensusClass: unknown, trust.NoConsensus: false, trust.TurnedGraph: false} {
			l, _ := replicates(t, 0, 0)
			l.set.Graph = form
			l.table.Environments = &dataset.Environments{Column: "site", Unknown: unknown}
			if _, err := start(t.Context(), l.table, l.cfg, l.set, polydag.Run{}); errors.Is(err, ErrEnvironments) != want {
				t.Errorf("unknown targets %v, graph %s: %v, want a refusal: %v", unknown, form, err, want)
			}
		}
	}
}

// TestRowsOfSimulatedTables checks the limit of the memory, 8 bytes for each of 60 rows and 2 columns, and that a discrete column has no
// scale except for smooth effects.
func TestRowsOfSimulatedTables(t *testing.T) {
	l := rare(t, 2)
	for bytes, want := range map[int64]bool{960: true, 959: false} {
		if _, err := newLikeness(t.Context(), l.table, l.full, bytes); (err == nil) != want || err != nil && !errors.Is(err, ErrCalibrate) {
			t.Errorf("%d bytes: %v, want simulated tables: %v", bytes, err, want)
		}
	}
	for model, want := range map[score.Effects]bool{score.LinearEffects: false, score.SmoothEffects: true} {
		like, err := readLikeness(t.Context(), l.table, model, l.table.EachRow)
		if err != nil || like.scale[0] == 0 || (like.scale[1] > 0) != want {
			t.Errorf("%s: scales %v, %v; want a scale of the discrete column: %v", model, like.scale, err, want)
		}
	}
}

// TestProgressOfAPosterior checks the steps of the observed progress: one for each round, and one for each simulated table.
func TestProgressOfAPosterior(t *testing.T) {
	l, _ := replicates(t, 0, 0)
	s := DefaultPosterior()
	s.Samples, s.Rounds = 20, 3
	steps := map[string]int{}
	_, err := Posterior(t.Context(), l.table, l.cfg, s, polydag.Run{Observe: func(p polydag.Progress) { steps[p.Stage] = p.Steps }})
	if err != nil || steps["posterior"] != 4 {
		t.Errorf("steps %v, %v; want 4 of the posterior", steps, err)
	}
	l = rare(t, 12)
	l.how.Observe = func(p polydag.Progress) { steps[p.Stage] = p.Steps }
	for replicates, want := range map[int]int{0: 12, 1: 12, 5: 60} {
		_, _ = l.recalibrate(t.Context(), replicates, newCurve(NoCalibration, 0), []*graph.Graph{graph.New(2)}, func(*SimulatedTable, *polydag.Table, func()) (func(i, j int) float64, error) {
			return func(i, j int) float64 { return 0 }, nil
		})
		if steps["calibration"] != want {
			t.Errorf("%d replicates of 12 simulated tables: %d steps, want %d", replicates, steps["calibration"], want)
		}
	}
}

// TestEveryClassBoundary checks that a share at a boundary is in the upper class, and a share just below it in the lower one.
func TestEveryClassBoundary(t *testing.T) {
	prior := func(share float64) float64 { return 0.5 }
	for k, want := range []float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.995} {
		r := fitRising([]seen{{want - 1e-4, 0}, {want, 1}}, prior)
		if math.Abs(r.x[k]-(want-1e-4)) > 1e-9 || math.Abs(r.x[k+1]-want) > 1e-9 {
			t.Errorf("shares just below and at %v are in one class", want)
		}
	}
}
