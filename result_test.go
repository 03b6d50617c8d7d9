package polydag_test

import (
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/score"
)

// TestHasWeight checks that an edge has a weight if it is directed and its effect is a slope, even one of 0.
func TestHasWeight(t *testing.T) {
	edge := func(from, to string, weight float64, effect *polydag.Effect) polydag.Edge {
		return polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->", Weight: weight, EdgeFacts: polydag.EdgeFacts{Effect: effect}}
	}
	open := edge("x", "y", 0, nil)
	open.Mark = "---"
	for _, c := range []struct {
		name  string
		model score.Effects
		e     polydag.Edge
		want  bool
	}{
		{"slope", score.LinearEffects, edge("x", "y", 2, nil), true},
		{"slope of 0", score.LinearEffects, edge("x", "y", 0, nil), true},
		{"slope with a curve", score.SmoothEffects, edge("x", "y", 2, &polydag.Effect{}), true},
		{"table", score.MixedEffects, edge("x", "y", 0, &polydag.Effect{}), false},
		{"discrete model", score.TableEffects, edge("x", "y", 0, nil), false},
		{"from categories", score.MixedEffects, edge("k", "y", 0, nil), false},
		{"to categories", score.MixedEffects, edge("x", "k", 0, nil), false},
		{"undirected", score.LinearEffects, open, false},
	} {
		r := &polydag.Result{Model: c.model, Nodes: []polydag.Node{{Name: "x", Kind: dataset.Continuous}, {Name: "y", Kind: dataset.Binary}, {Name: "k", Kind: dataset.Categorical}}}
		if got := r.HasWeight(c.e); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
