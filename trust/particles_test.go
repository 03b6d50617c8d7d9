package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
)

// TestPosteriorConfidence checks the shares of edges, adjacencies and paths in weighted graphs.
func TestPosteriorConfidence(t *testing.T) {
	p := &method.Posterior{
		Graphs:  [][]graph.Edge{{{From: 0, To: 1}, {From: 1, To: 2}}, {{From: 1, To: 0}}, {}},
		Weights: []float64{0.5, 0.25, 0.25}, Score: "BGe", EdgeOdds: 1. / 3,
	}
	columns := []string{"a", "b", "c"}
	c := OfPosterior(p, columns, 7)
	if err := c.Check(names.Index(columns)); err != nil {
		t.Fatal(err)
	}
	if ess := 1 / (0.25 + 2*0.0625); !(math.Abs(c.Posterior.ESS-ess) <= 1e-12) || c.Posterior.Chains != 1 || c.Posterior.Samples != 3 || c.Posterior.RHat != 1 || c.Replicates != 3 || c.Seed != 7 || c.Posterior.Converged {
		t.Errorf("%+v, want an effective number of %v", c.Posterior, ess)
	}
	want := map[graph.Link][3]float64{{From: "a", To: "b"}: {0.5, 0.75, 0.5}, {From: "b", To: "a"}: {0.25, 0.75, 0.25}, {From: "b", To: "c"}: {0.5, 0.5, 0.5}, {From: "c", To: "b"}: {0, 0.5, 0}, {From: "a", To: "c"}: {0, 0, 0.5}}
	for _, q := range c.Pairs {
		if got := [3]float64{q.Frequency, q.Adjacency, q.Ancestor}; got != want[q.Link] || q.Confidence != q.Frequency {
			t.Errorf("%v: %v, want %v", q.Link, got, want[q.Link])
		}
		delete(want, q.Link)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestPairsOfAPosterior checks that pairs are listed from a share of more than 0.01, and that no share exceeds 1.
func TestPairsOfAPosterior(t *testing.T) {
	for weight, want := range map[float64]int{0.009: 0, 0.0101: 2, 0.012: 2} {
		p := &method.Posterior{Graphs: [][]graph.Edge{{{From: 0, To: 1}}, {}}, Weights: []float64{weight, 1 - weight}}
		if got := len(OfPosterior(p, []string{"a", "b"}, 1).Pairs); got != want {
			t.Errorf("an edge with a share of %v: %d pairs, want %d", weight, got, want)
		}
	}
	p := &method.Posterior{Graphs: [][]graph.Edge{{{From: 0, To: 1}}, {{From: 0, To: 1}}}, Weights: []float64{0.5 + 1e-12, 0.5}}
	if q := OfPosterior(p, []string{"a", "b"}, 1).Pairs[0]; q.Frequency != 1 || q.Adjacency != 1 || q.Ancestor != 1 {
		t.Errorf("weights that add up to more than 1 by rounding: %+v, want shares of 1", q)
	}
}
