package tests

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
)

// TestHiddenCausesOfAKnownTable checks that a table that a search has read gives the same facts as reading the rows again.
func TestHiddenCausesOfAKnownTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := matrix.New[float64](1500, 5)
	code := func(z float64) float64 { return float64(min(2, max(0, int(z+1.5)))) }
	for i := range x.Rows {
		row := x.Row(i)
		row[0], row[1], row[2] = code(rng.NormFloat64()), code(rng.NormFloat64()), code(rng.NormFloat64())
		row[3] = code(row[0] + row[1] - 2 + 0.5*rng.NormFloat64())
		row[4] = code(row[3] + row[2] - 2 + 0.5*rng.NormFloat64())
	}
	names, kinds := []string{"a", "b", "c", "z", "y"}, make([]kind.Kind, 5)
	for j := range kinds {
		kinds[j] = kind.Ordinal
	}
	g := must.Get(graph.FromEdges(5, []graph.Edge{{From: 0, To: 3}, {From: 1, To: 3}, {From: 3, To: 4}, {From: 2, To: 4}}))
	s := scores.Default()
	for _, model := range []scores.Model{scores.Discrete, scores.Mixed, scores.Smooth} {
		in := inputOf(t, x, names, kinds)
		var want []method.EdgeRecord
		for _, known := range []*scores.ScoredTable{nil, must.Get(s.Of(t.Context(), in, model))} {
			a := &method.Answer{Graph: g.Mixed(), Effects: score.Effects(model)}
			must.Succeed(t, AddHiddenCauses(t.Context(), in, a, known))
			if want == nil {
				want = a.Edges
			} else if !reflect.DeepEqual(a.Edges, want) {
				t.Errorf("%s: %+v with a known table, want %+v", model, a.Edges, want)
			}
		}
		if want[0].HiddenCause == "" {
			t.Errorf("%s: nothing was tested", model)
		}
	}
}
