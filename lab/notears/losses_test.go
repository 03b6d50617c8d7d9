package notears

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
)

// drawn is a table whose columns are made by the losses of their kinds: zeros and ones by a logistic function of a weighted sum of the
// parents, numbers by that sum and noise of variance 1. Weights are ±[0.5, 2], as in the published simulations.
func drawn(t *testing.T, seed uint64, kinds []kind.Kind, edges, rows int) (*method.Input, *graph.Graph) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0x6c6f676974))
	d := len(kinds)
	order, truth := rng.Perm(d), graph.New(d)
	w := matrix.New[float64](d, d)
	for truth.NumEdges() < edges {
		a, b := rng.IntN(d), rng.IntN(d)
		if a < b && !truth.HasEdge(order[a], order[b]) {
			truth.AddEdge(order[a], order[b])
			w.Set(order[a], order[b], (0.5+1.5*rng.Float64())*float64(2*rng.IntN(2)-1))
		}
	}
	x, names, columns := matrix.New[float64](rows, d), make([]string, d), make([]kind.Column, d)
	for i := range rows {
		for _, v := range order {
			sum := 0.0
			for u := range d {
				sum += x.At(i, u) * w.At(u, v)
			}
			switch {
			case kinds[v] == kind.Continuous:
				sum += rng.NormFloat64()
			case rng.Float64() < 1/(1+math.Exp(-sum)):
				sum = 1
			default:
				sum = 0
			}
			x.Set(i, v, sum)
		}
	}
	for v := range names {
		names[v] = fmt.Sprint("x", v)
		columns[v] = kind.Column{Name: names[v], Kind: kinds[v], Levels: 2}
	}
	in := inputtest.Of(t, names, x)
	in.Kinds = columns
	return in, truth
}

// repeated returns n kinds, alternating between two.
func repeated(n int, a, b kind.Kind) []kind.Kind {
	out := make([]kind.Kind, n)
	for i := range out {
		out[i] = a
		if i%2 == 1 {
			out[i] = b
		}
	}
	return out
}

func learned(t *testing.T, in *method.Input, loss lagrangian.Loss, l1 float64, path int) *method.Answer {
	t.Helper()
	m := New()
	m.Loss, m.L1, m.Path = loss, l1, path
	a := must.Get(m.Learn(context.Background(), in, nil))
	return a
}

// TestStudyLosses checks that the losses by column find more than least squares on binary tables and on mixed
// ones, for any of the usual penalty weights. lab/docs/evidence.md has the figures of POLYDAG_STUDY=1.
func TestStudyLosses(t *testing.T) {
	type penalty struct {
		l1   float64
		path int
	}
	d, edges, rows, tables, penalties := 6, 8, 500, 1, []penalty{{0.03, 1}}
	if os.Getenv("POLYDAG_STUDY") != "" {
		d, edges, rows, tables, penalties = 10, 20, 2000, 5, []penalty{{0.1, 1}, {0.03, 1}, {0.01, 1}, {0.1, 5}}
	}
	for _, c := range []struct {
		name string
		a, b kind.Kind
	}{{"zeros and ones", kind.Binary, kind.Binary}, {"half numbers", kind.Binary, kind.Continuous}} {
		best := map[lagrangian.Loss]float64{}
		for _, loss := range []lagrangian.Loss{lagrangian.Squares, lagrangian.ByColumn} {
			for _, p := range penalties {
				shd, f1 := 0.0, 0.0
				for table := range tables {
					in, truth := drawn(t, uint64(table+1), repeated(d, c.a, c.b), edges, rows)
					r := metric.Compare(truth, learned(t, in, loss, p.l1, p.path).Graph.Directed())
					shd, f1 = shd+float64(r.SHD)/float64(tables), f1+r.F1/float64(tables)
				}
				t.Logf("%s, %s, λ = %g, path %d: SHD %.1f, F1 %.2f", c.name, loss, p.l1, p.path, shd, f1)
				best[loss] = max(best[loss], f1)
			}
		}
		if best[lagrangian.ByColumn] < best[lagrangian.Squares]+0.1 {
			t.Errorf("%s: F1 %.2f by column, %.2f by squares", c.name, best[lagrangian.ByColumn], best[lagrangian.Squares])
		}
	}
}

// TestByColumn combines columns of every kind with arbitrary category values. Forbidden edges must be absent
// and required ones present.
func TestByColumn(t *testing.T) {
	in, _ := drawn(t, 3, repeated(5, kind.Binary, kind.Continuous), 4, 300)
	rows, d := 300, 5
	x := matrix.New[float64](rows, d)
	at := 0
	must.Succeed(t, in.Rows(t.Context(), func(b dataset.RowBatch) error { at += copy(x.Data[at:], b.Values); return nil }))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		x.Set(i, 0, 3+4*x.At(i, 0))                    // two values that are not 0 and 1
		x.Set(i, 2, 2*float64(rng.IntN(3))-x.At(i, 4)) // levels that depend on column 4
		x.Set(i, 3, float64(rng.IntN(4))+2*x.At(i, 4))
	}
	in.Rows = dataset.RowBatch{Values: x.Data}.Rows(x.Cols)
	var err error
	if in.Moments, err = dataset.MomentsOf(in.Names(), x, 1); err != nil {
		t.Fatal(err)
	}
	in.Kinds[2].Kind, in.Kinds[3].Kind = kind.Categorical, kind.Count
	spec := knowledge.Spec{Forbid: []string{"x4->x2"}, Require: []string{"x1->x3"}}
	if in.Knowledge, err = spec.Resolve(in.Names()); err != nil {
		t.Fatal(err)
	}
	m := New()
	m.Loss, m.L1 = lagrangian.ByColumn, 0.02
	if info := m.Info(); info.Needs != method.Rows || !info.Categories {
		t.Errorf("%+v", info)
	}
	for _, bits := range []int{64, 32} {
		m.Precision = bits
		a := must.Get(m.Learn(t.Context(), in, nil))
		g := a.Graph.Directed()
		if g.HasEdge(4, 2) || !g.HasEdge(1, 3) || !g.HasEdge(2, 4) || !g.IsAcyclic() {
			t.Errorf("%d bits: %v", bits, g.Edges())
		}
		if a.Effects != "mixed" || a.Continuous.W.At(4, 2) != 0 {
			t.Errorf("%d bits: effects %q, W %v", bits, a.Effects, a.Continuous.W.Data)
		}
	}
	in.Rows = nil
	if _, err := m.Learn(t.Context(), in, nil); err == nil {
		t.Error("it learns without rows")
	}
}

// TestInterceptsAreNotPenalized checks that independent columns have no edge under a large penalty, however far their means are from 0: a
// penalized intercept would be replaced by the slope on a column of large values.
func TestInterceptsAreNotPenalized(t *testing.T) {
	const rows = 240
	x := matrix.New[float64](rows, 2)
	for i := range rows {
		if i%20 == 0 {
			x.Set(i, 0, 1) // rare
		}
		x.Set(i, 1, float64(9+i%3)) // independent of the first column: all pairs of values are equally frequent
	}
	in := inputtest.Of(t, []string{"a", "b"}, x)
	in.Kinds = []kind.Column{{Name: "a", Kind: kind.Binary, Levels: 2}, {Name: "b", Kind: kind.Count, Levels: 3}}
	m := New()
	m.Loss, m.L1, m.Threshold = lagrangian.ByColumn, 0.4, 0
	a := must.Get(m.Learn(t.Context(), in, nil))
	if a.Graph.Directed().NumEdges() != 0 {
		t.Errorf("edges %v, W %v", a.Graph.Directed().Edges(), a.Continuous.W.Data)
	}
}

// TestByColumnStopped checks that an ended context gives the required edges and the status.
func TestByColumnStopped(t *testing.T) {
	in, _ := drawn(t, 1, repeated(4, kind.Binary, kind.Binary), 3, 50)
	ctx, cancel := context.WithCancel(context.Background())
	in.Rows = func(ctx context.Context, _ func(dataset.RowBatch) error) error { cancel(); return ctx.Err() }
	m := New()
	m.Loss = lagrangian.ByColumn
	a, err := m.Learn(ctx, in, nil)
	if err != nil || a.Status != method.Canceled || a.Graph.Directed().NumEdges() != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestPath checks that the graph with the best score along a path is the answer, with its weight in the result.
// The first weight of the path finds nothing here.
func TestPath(t *testing.T) {
	for _, c := range []struct {
		loss lagrangian.Loss
		kind kind.Kind
		l1   float64
	}{{lagrangian.ByColumn, kind.Binary, 0.1}, {lagrangian.Squares, kind.Continuous, 2}} {
		in, truth := drawn(t, 1, repeated(5, c.kind, c.kind), 6, 300)
		alone, a := learned(t, in, c.loss, c.l1, 1), learned(t, in, c.loss, c.l1, 4)
		choice := a.Choices[len(a.Choices)-1]
		if choice.Setting != "l1" || len(choice.Scores) != 4 || len(alone.Choices) != 0 {
			t.Fatalf("%s: %+v", c.loss, choice)
		}
		for word, v := range choice.Scores {
			if v < choice.Scores[choice.Chosen] {
				t.Errorf("%s: %s was chosen, %s has a better score: %v", c.loss, choice.Chosen, word, choice.Scores)
			}
		}
		before, after := metric.Compare(truth, alone.Graph.Directed()), metric.Compare(truth, a.Graph.Directed())
		if after.F1 <= before.F1 || choice.Chosen == choice.Requested {
			t.Errorf("%s: F1 %v with λ = %v alone, %v with %s", c.loss, before.F1, c.l1, after.F1, choice.Chosen)
		}
	}
}
