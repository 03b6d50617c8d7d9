package describe

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// TestRegressOnAPart checks that a regression on the part of the correlation matrix that it reads is the one on the whole, to the bit, and
// names the same columns where it has no answer.
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
	data := must.Get(dataset.MomentsOf(names, x, 1))
	a := must.Get(New(&method.Answer{Graph: graph.NewMixed(graph.KindDAG, d)}, Data{Moments: data}))
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
	moments := must.Get(dataset.MomentsOf(names, x, 1))
	a.Graph, data.Moments, data.Order, data.Place = g, moments, order, make([]int, x.Cols)
	for at, j := range order {
		data.Place[j] = at
	}
	if data.Known == nil {
		data.Known = known(t, knowledge.Spec{}, x.Cols)
	}
	out := must.Get(New(&a, data))
	return out
}

// known resolves prior knowledge about the columns of a table.
func known(t *testing.T, spec knowledge.Spec, columns int) *knowledge.Knowledge {
	t.Helper()
	k := must.Get(spec.Resolve([]string{"a", "b", "c", "d"}[:columns]))
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
	data := Data{Known: known(t, knowledge.Spec{Forbid: []string{"b->a", "c->b"}}, 3), Informed: true}
	edges := []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}}
	for e, got := range reasonsOf(t, answerOf(t, chain(50), edges, method.Answer{}, data)) {
		if got != "compelled known " {
			t.Errorf("%v: %s", e, got)
		}
	}
}

// TestLeastSquaresPerEnvironment checks that the slope of a target comes from the rows without an intervention on it, and that a parent that
// is constant in these rows has no weight.
func TestLeastSquaresPerEnvironment(t *testing.T) {
	ab := graph.Edge{From: 0, To: 1}
	part := func(rows ...float64) *dataset.Moments {
		m := must.Get(dataset.MomentsOf([]string{"a", "b"}, &matrix.Dense[float64]{Rows: len(rows) / 2, Cols: 2, Stride: 2, Data: rows}, 1))
		return m
	}
	changed := part(0, 9, 1, -9, 2, 9, 3, -9)
	for _, c := range []struct {
		name     string
		observed *dataset.Moments
		weight   float64
		stated   bool
	}{
		{"a slope of 3", part(0, 1, 1, 4, 2, 7), 3, true},
		{"a constant parent", part(5, 1, 5, 4, 5, 7), 0, false},
	} {
		all := part(0, 9, 1, -9, 2, 9, 3, -9)
		must.Succeed(t, all.Merge(c.observed))
		g := graph.New(2)
		g.AddEdge(0, 1)
		r := &dataset.Environments{Names: []string{"none", "changed"}, Targets: [][]int{nil, {1}}, Moments: []*dataset.Moments{c.observed, changed}}
		a := must.Get(New(&method.Answer{Graph: g.Mixed()}, Data{Moments: all, Environments: r, Order: []int{0, 1}, Place: []int{0, 1}}))
		weights, err := a.leastSquares()
		got, stated := weights[ab]
		if err != nil || math.Abs(got-c.weight) > 1e-9 || stated != c.stated {
			t.Errorf("%s: weight %v (stated: %v, error %v), want %v", c.name, got, stated, err, c.weight)
		}
		if a.rows(0) != 7 || a.rows(1) != 3 {
			t.Errorf("%v and %v rows count, want 7 and 3", a.rows(0), a.rows(1))
		}
	}
}

// TestRowsOfATargetOfAllEnvironments checks that at least one row counts for a column.
func TestRowsOfATargetOfAllEnvironments(t *testing.T) {
	r := environments(t, 2, 1)
	r.Targets[0] = []int{1}
	if a := answerOf(t, noise(40, 2), nil, method.Answer{}, Data{Environments: r}); a.rows(0) != 40 || a.rows(1) != 1 {
		t.Errorf("%v and %v rows count, want 40 and 1", a.rows(0), a.rows(1))
	}
}

// TestGainOfADeterminedColumn checks that the residual variance counts as at least 1e-12 of the column's variance.
func TestGainOfADeterminedColumn(t *testing.T) {
	const n = 100
	x := chain(n)
	for i := range n {
		x.Row(i)[1] = 3 * x.Row(i)[0]
	}
	ab := graph.Edge{From: 0, To: 1}
	a := answerOf(t, x, []graph.Edge{ab}, method.Answer{}, Data{})
	want := (n*12*math.Ln10 - math.Log(n)) / (2 * n * math.Ln2)
	if got := a.gains(a.Directed)[ab]; math.Abs(got-want) > 1e-9 {
		t.Errorf("gain %v, want %v bits per row", got, want)
	}
	// Two copies of a parent: the regression has no answer, and neither edge has a gain of its own.
	both := answerOf(t, x, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}}, method.Answer{}, Data{})
	if got := both.gains(both.Directed); len(got) != 0 {
		t.Errorf("gains %v of collinear parents, want none", got)
	}
	_, err := both.leastSquares()
	if err == nil || !strings.Contains(err.Error(), `is determined by other parents of "c"`) {
		t.Errorf("error %v, want one that names the collinear parents of c", err)
	}
}

// TestParentsInOrder checks that parents come in canonical order.
func TestParentsInOrder(t *testing.T) {
	g := graph.New(4)
	for _, p := range []int{0, 2, 3} {
		g.AddEdge(p, 1)
	}
	a := answerWith(t, noise(20, 4), g.Mixed(), []int{3, 0, 1, 2}, method.Answer{}, Data{})
	if got := a.parents(g, 1); !slices.Equal(got, []int{3, 0, 2}) {
		t.Errorf("parents %v, want 3, 0 and 2", got)
	}
}

// TestNodes compares the residual variance and R² of each column with the correlations. A copy of a parent changes neither.
func TestNodes(t *testing.T) {
	x := matrix.New[float64](200, 4)
	c := chain(x.Rows)
	for i := range x.Rows {
		row := x.Row(i)
		copy(row, c.Row(i))
		row[3] = -2 * row[1]
	}
	ab, bc, dc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}, graph.Edge{From: 3, To: 2}
	explained := 0.125
	for _, given := range []method.Answer{{}, {Nodes: []method.NodeFacts{{}, {Explained: &explained}, {}, {}}}} {
		a := answerOf(t, x, []graph.Edge{ab, bc, dc}, given, Data{})
		r, std := a.Moments.Correlation(), a.Moments.Std()
		got := must.Get(a.Nodes())
		for v, r2 := range []float64{0, r.At(0, 1) * r.At(0, 1), r.At(1, 2) * r.At(1, 2), 0} {
			want := Node{ResidualVariance: std[v] * std[v] * (1 - r2), R2: r2, Explained: r2}
			if given.Nodes != nil && v == 1 {
				want.Explained = explained
			}
			if math.Abs(got[v].ResidualVariance-want.ResidualVariance) > 1e-9 || math.Abs(got[v].R2-want.R2) > 1e-9 || math.Abs(got[v].Explained-want.Explained) > 1e-9 {
				t.Errorf("column %d: %+v, want %+v", v, got[v], want)
			}
		}
	}
}

// TestSortability sorts the chain a → b → c by variance, which increases along it, and by R², which needs more rows than columns.
func TestSortability(t *testing.T) {
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}
	for rows, stated := range map[int]bool{200: true, 4: true, 3: false} {
		a := answerOf(t, chain(rows), edges, method.Answer{}, Data{})
		variances := a.Moments.Std()
		for j, s := range variances {
			variances[j] = s * s
		}
		want, _ := trust.Varsortability(a.Directed, variances)
		variance, r2, ok := a.Sortability()
		if !ok || variance != want || (r2 != nil) != stated {
			t.Errorf("%d rows: %v by variance, by R² %v, want %v and R² stated: %v", rows, variance, r2, want, stated)
		}
		if by, _ := trust.R2Sortability(a.Directed, a.Moments.Correlation()); r2 != nil && *r2 != by {
			t.Errorf("%d rows: %v by R², want %v", rows, *r2, by)
		}
	}
	if variance, r2, ok := answerOf(t, chain(20), nil, method.Answer{}, Data{}).Sortability(); ok || variance != 0 || r2 != nil {
		t.Error("a graph without edges has a sortability, want none")
	}
}
