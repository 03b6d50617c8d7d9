package describe

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// TestRegressOnAPart checks that a regression on the part of the correlation matrix that it reads is the one on the whole, to the bit, and names the same
// columns where it has no answer.
func TestRegressOnAPart(t *testing.T) {
	const d, n = 9, 60
	rng := rand.New(rand.NewPCG(3, 4))
	x := matrix.New[float64](n, d)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64() + 0.5*row[max(j-1, 0)]
		}
		row[8] = row[2] - row[5] // determined
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	data, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(&method.Answer{Graph: graph.NewMixed(graph.KindDAG, d)}, Data{Moments: data})
	if err != nil {
		t.Fatal(err)
	}
	whole := data.Correlation()
	failed := 0
	for range 200 {
		perm := rng.Perm(d)
		v, parents := perm[0], perm[1:1+rng.IntN(d-1)]
		want, wantErr := score.Regress(whole, v, parents)
		got, gotErr := a.regress(v, parents)
		var c, e *score.CollinearError
		if errors.As(wantErr, &c) != errors.As(gotErr, &e) || c != nil && *c != *e {
			t.Fatalf("%d on %v: %v, want %v", v, parents, gotErr, wantErr)
		}
		if c != nil {
			failed++
			continue
		}
		for k := range parents {
			if math.Float64bits(got.Beta[k]) != math.Float64bits(want.Beta[k]) || got.Drop[k] != want.Drop[k] || got.Residual != want.Residual {
				t.Fatalf("%d on %v: %+v, want %+v", v, parents, got, want)
			}
		}
	}
	if failed == 0 || failed == 200 {
		t.Errorf("%d of 200 regressions have no answer", failed)
	}
}

// answerOf returns an answer with a DAG over the columns of a table.
func answerOf(t *testing.T, x *matrix.Dense[float64], edges []graph.Edge, a method.Answer, data Data) *Answer {
	t.Helper()
	g := graph.New(x.Cols)
	for _, e := range edges {
		g.AddEdge(e.From, e.To)
	}
	order := make([]int, x.Cols)
	for j := range order {
		order[j] = j
	}
	return answerWith(t, x, g.Mixed(), order, a, data)
}

// answerWith returns an answer with a graph over the columns of a table, and their canonical order.
func answerWith(t *testing.T, x *matrix.Dense[float64], g *graph.Mixed, order []int, a method.Answer, data Data) *Answer {
	t.Helper()
	names := []string{"a", "b", "c", "d"}[:x.Cols]
	moments, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	a.Graph, data.Moments, data.Order, data.Place = g, moments, order, make([]int, x.Cols)
	for at, j := range order {
		data.Place[j] = at
	}
	if data.Known == nil {
		data.Known = known(t, knowledge.Spec{}, x.Cols)
	}
	out, err := New(&a, data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// known resolves prior knowledge about the columns of a table.
func known(t *testing.T, spec knowledge.Spec, columns int) *knowledge.Knowledge {
	t.Helper()
	k, err := spec.Resolve([]string{"a", "b", "c", "d"}[:columns])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// chain draws rows of a → b → c.
func chain(n int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(5, 6))
	x := matrix.New[float64](n, 3)
	for i := range n {
		row := x.Row(i)
		row[0] = rng.NormFloat64()
		row[1] = 0.5*row[0] + rng.NormFloat64()
		row[2] = 2*row[1] + rng.NormFloat64()
	}
	return x
}

// TestGainsByHand compares score gains of a chain with n·ln(variance without / with the edge), and with equal noise variances with
// n·d·ln(total without / with the edge).
func TestGainsByHand(t *testing.T) {
	const n = 200
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}
	x := chain(n)
	for _, price := range []float64{0, 3} {
		for _, equal := range []bool{false, true} {
			given := method.Answer{Price: price}
			if equal {
				given.Choices = []method.Choice{{Setting: "variance", Chosen: "equal"}}
			}
			a := answerOf(t, x, edges, given, Data{})
			r, std := a.Moments.Correlation(), a.Moments.Std()
			penalty := price
			if price == 0 {
				penalty = math.Log(n)
			}
			total := std[0] * std[0]
			for _, e := range edges {
				total += std[e.To] * std[e.To] * (1 - r.At(e.From, e.To)*r.At(e.From, e.To))
			}
			got := a.gains(a.Directed)
			for _, e := range edges {
				square := r.At(e.From, e.To) * r.At(e.From, e.To)
				gain := -n * math.Log(1-square)
				if equal {
					gain = 3 * n * math.Log((total+std[e.To]*std[e.To]*square)/total)
				}
				if want := (gain - penalty) / (2 * n * math.Ln2); math.Abs(got[e]-want) > 1e-9 {
					t.Errorf("equal variances %v, penalty %v: %v has %v, want %v", equal, price, e, got[e], want)
				}
			}
		}
	}
}

// TestKnownByAPath forbids the reverse of two edges of a triangle. These determine the third one, because a graph has no cycle.
func TestKnownByAPath(t *testing.T) {
	known, err := knowledge.Spec{Forbid: []string{"b->a", "c->b"}}.Resolve([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	edges := []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}}
	a := answerOf(t, chain(50), edges, method.Answer{}, Data{Known: known, Informed: true})
	c, err := a.compelled()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.Graph.Edges() {
		if !c.known(e) || c.derived(e) || !c.compelled(e) {
			t.Errorf("%v: known %v, derived %v, compelled %v", e.Edge, c.known(e), c.derived(e), c.compelled(e))
		}
	}
}

// TestSignOfATurningCurve checks the limit of half of the height.
func TestSignOfATurningCurve(t *testing.T) {
	for last, want := range map[float64]int{3.9: 0, 4.1: 1} {
		f := &method.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2}, Y: []float64{0, 8, last}}
		if got := Sign(1, 0, f); got != want {
			t.Errorf("a curve from 0 over 8 to %v: sign %d, want %d", last, got, want)
		}
	}
}
