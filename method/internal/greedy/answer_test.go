package greedy

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

type plainTable struct{}

func (plainTable) Describe(a *method.Answer, g *graph.Graph) { a.Edges = method.EdgeRecords(g) }

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
		s := gaussian(t, rand.New(rand.NewPCG(seed, 9)), 8)
		var phases []string
		tell := func(p Progress) { phases = append(phases, p.Phase) }
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
