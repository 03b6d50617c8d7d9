package tests

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
)

// inputOf returns a table.
func inputOf(t *testing.T, x *matrix.Dense[float64], names []string, kinds []kind.Kind) *method.Input {
	t.Helper()
	in := inputtest.Of(t, names, x)
	for j, name := range names {
		in.Kinds = append(in.Kinds, dataset.Variable{Name: name, Kind: kinds[j]})
	}
	return in
}

// TestHiddenOfAnEdge checks the three answers about a hidden common cause of z and y in a → z ← b, with a gain where there is a test. The
// edges into z have no test, so that a hidden cause is possible.
func TestHiddenOfAnEdge(t *testing.T) {
	const a, b, c, z, y = 0, 1, 2, 3, 4
	for _, k := range []struct {
		hidden, effect float64
		dag            []graph.Edge // found by a search without hidden causes
		want           method.HiddenCause
	}{
		{0, 1, []graph.Edge{{From: a, To: z}, {From: b, To: z}, {From: z, To: y}, {From: c, To: y}}, method.HiddenExcluded},
		{1.2, 0, []graph.Edge{{From: a, To: z}, {From: b, To: z}, {From: z, To: y}, {From: c, To: y}, {From: a, To: y}, {From: b, To: y}}, method.HiddenImplied},
	} {
		rng := rand.New(rand.NewPCG(32, 5))
		x := matrix.New[float64](2000, 5)
		for i := range x.Rows {
			row, h := x.Row(i), k.hidden*rng.NormFloat64()
			row[a], row[b], row[c] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			row[z] = row[a] + 0.8*row[b] + h + rng.NormFloat64()
			row[y] = k.effect*row[z] + 0.9*row[c] + h + 0.8*rng.NormFloat64()
		}
		in := inputOf(t, x, []string{"a", "b", "c", "z", "y"}, []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous, kind.Continuous, kind.Continuous})
		g := must.Get(graph.FromEdges(5, k.dag))
		for _, model := range []scores.Model{scores.Linear, ""} {
			if model == "" { // an answer without effects, of moments alone
				in.Rows, in.Kinds = nil, nil
			}
			answer := &method.Answer{Graph: g.Mixed(), Effects: score.Effects(model)}
			must.Succeed(t, AddHiddenCauses(t.Context(), in, answer, nil))
			if len(answer.Edges) != len(k.dag) {
				t.Fatalf("%d edges, want %d", len(answer.Edges), len(k.dag))
			}
			for _, e := range answer.Edges {
				want := method.HiddenPossible
				if e.From == z {
					want = k.want
					if e.HiddenDeltaBIC == nil || (*e.HiddenDeltaBIC > 0) != (want == method.HiddenImplied) {
						t.Errorf("%s: gain %v", want, e.HiddenDeltaBIC)
					}
				}
				if e.To == z && e.HiddenDeltaBIC != nil {
					t.Errorf("%v has a gain of %v", e.Edge, *e.HiddenDeltaBIC)
				}
				if e.To == y && e.From < c {
					continue // the hidden cause of z and y replaces these edges
				}
				if e.HiddenCause != want {
					t.Errorf("a hidden cause of %v is %s, want %s", e.Edge, e.HiddenCause, want)
				}
			}
		}
	}
}

// TestTestOfAModel checks that each model has its own test, on the columns in the order of the table: only a and d depend on each other, and
// only in their squares under a model with curves. The order of the columns in a score is not its own inverse.
func TestTestOfAModel(t *testing.T) {
	const a, d = 0, 3
	for _, k := range []struct {
		model scores.Model
		kinds []kind.Kind
		dear  bool
	}{
		{scores.Linear, []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous, kind.Continuous}, false},
		{scores.Discrete, []kind.Kind{kind.Categorical, kind.Categorical, kind.Categorical, kind.Categorical}, true},
		{scores.Mixed, []kind.Kind{kind.Continuous, kind.Continuous, kind.Categorical, kind.Categorical}, true},
		{scores.Smooth, []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous, kind.Continuous}, true},
	} {
		rng := rand.New(rand.NewPCG(7, 3))
		x := matrix.New[float64](900, 4)
		for i := range x.Rows {
			row := x.Row(i)
			for j, kind := range k.kinds {
				row[j] = rng.NormFloat64()
				if kind.Discrete() {
					row[j] = float64(rng.IntN(3))
				}
			}
			switch k.model {
			case scores.Linear:
				row[d] += 0.5 * row[a]
			case scores.Smooth:
				row[d] += row[a] * row[a]
			case scores.Discrete: // the levels 0 and 2 of a have the same effect, so that the two are uncorrelated
				if row[a] == 1 && rng.IntN(2) == 0 {
					row[d] = 1
				}
			case scores.Mixed:
				if row[d] == 1 {
					row[a]++
				}
			}
		}
		tester := must.Get(ofModel(t.Context(), inputOf(t, x, []string{"a", "b", "c", "d"}, k.kinds), k.model, nil))
		if tester.Model != k.model || tester.Dear != k.dear {
			t.Errorf("%s: %+v", k.model, tester)
		}
		for i := range 4 {
			for j := range i {
				got := must.Get(tester.Test.Independent(j, i, nil))
				if dependent := j == a && i == d; dependent != (got.P < 1e-6) {
					t.Errorf("%s: columns %d and %d have p = %v", k.model, j, i, got.P)
				}
			}
		}
	}
}
