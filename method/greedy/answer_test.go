package greedy

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

type plainTable struct{}

func (plainTable) Describe(_ context.Context, a *method.Answer, g *graph.Graph) {
	a.Edges = method.EdgeRecords(g)
}

// TestAnswerOfASearch checks the status and the warning of an answer: a search that was stopped, and columns with omitted operators.
func TestAnswerOfASearch(t *testing.T) {
	class := classOf(t, graph.FromParents([][]int{nil, nil, {0, 1}}))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx    context.Context
		result Result
		status method.Status
		warned string
	}{
		{t.Context(), Result{Whole: true}, method.Converged, ""},
		{stopped, Result{}, method.Canceled, ""},
		{t.Context(), Result{Whole: true, Cut: 1}, method.Converged, "only 4096 sets of neighbors were tried for 1 column with"},
		{t.Context(), Result{Whole: true, Cut: 2}, method.Converged, "only 4096 sets of neighbors were tried for 2 columns with"},
	} {
		c.result.Class, c.result.Score = class, 7
		a := Answer(c.ctx, &c.result, plainTable{})
		if a.Status != c.status || a.Score != 7 || len(a.Edges) != 2 || (a.Cause != "") != (c.status == method.Canceled) {
			t.Errorf("%+v: status %v with cause %q, score %v and %d edges", c.result, a.Status, a.Cause, a.Score, len(a.Edges))
		}
		if (len(a.Warnings) == 1) != (c.warned != "") || c.warned != "" && !strings.HasPrefix(a.Warnings[0], c.warned) {
			t.Errorf("%+v: warnings %q, want %q", c.result, a.Warnings, c.warned)
		}
	}
}

// TestPhases checks that edges are turned only on request, and that turning improves the score of some search.
func TestPhases(t *testing.T) {
	better := 0
	for seed := range uint64(30) {
		s := gaussianScore(t, rand.New(rand.NewPCG(seed, 9)), 8)
		var phases []string
		tell := func(p stage.Progress) { phases = append(phases, p.Stage) }
		plain := found(t, Problem{Score: s}, Settings{Tell: tell})
		if slices.Contains(phases, "turning edges") || !slices.Contains(phases, "adding edges") || !slices.Contains(phases, "deleting edges") {
			t.Fatalf("seed %d: phases %v without turning", seed, slices.Compact(phases))
		}
		phases = nil
		turned := found(t, Problem{Score: s}, Settings{Turning: true, Tell: tell})
		if !slices.Contains(phases, "turning edges") || turned.Score > plain.Score+1e-6 {
			t.Errorf("seed %d: score %v with turning, %v without", seed, turned.Score, plain.Score)
		}
		if turned.Score < plain.Score-1e-6 {
			better++
		}
	}
	if better == 0 {
		t.Error("turning improves no score: the test is too narrow")
	}
}

// TestMarginalDependences checks which pairs depend on each other without other columns, and that only these are joined with Marginal. In the
// chain 1 — 2, column 0 gains given column 1, although 0 and 2 are uncorrelated.
func TestMarginalDependences(t *testing.T) {
	s := canceling(t)
	for _, marginal := range []bool{false, true} {
		w := must.Get(newWalk(Problem{Score: s}, Settings{Marginal: marginal}))
		if (w.dependent != nil) != marginal {
			t.Fatalf("marginal %v: dependences %v", marginal, w.dependent)
		}
		if marginal && (!w.dependent[0][1] || !w.dependent[2][1] || w.dependent[0][2] || w.dependent[2][0]) {
			t.Errorf("dependences %v, want those of 0 and 1, and of 1 and 2", w.dependent)
		}
		w.class = classOf(t, graph.FromParents([][]int{nil, nil, {1}}))
		l := &lister{walk: w, eval: w.evals[0], with: make([]float64, 3)}
		l.additions(2)
		if joined := slices.ContainsFunc(l.out, func(op operator) bool { return op.x == 0 }); joined == marginal {
			t.Errorf("marginal %v: an edge from 0 to 2 is an operator: %v", marginal, joined)
		}
	}
}
