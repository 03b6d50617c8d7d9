package method_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

func table(t testing.TB, rng *rand.Rand, n, d int) *dataset.Moments {
	x := matrix.New[float64](n, d)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if j > 0 {
				v += x.At(i, rng.IntN(j)) / 2
			}
			x.Set(i, j, v)
		}
	}
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprint("c", j)
	}
	m := must.Get(dataset.MomentsOf(names, x, 1))
	return m
}

// TestCanonical checks that the canonical order does not depend on the order, signs, names and (by powers of
// two) units of the columns.
func TestCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		d := 2 + rng.IntN(12)
		m := table(t, rng, 40, d)
		var want []string
		for _, v := range method.Canonical(m) {
			want = append(want, m.Names[v])
		}
		perm := rng.Perm(d)
		p := m.Arranged(perm)
		factor := []float64{0.5, -2, 8, -1}
		for i := range d {
			for j := range d {
				p.Scatter[i*d+j] *= factor[i%4] * factor[j%4]
			}
		}
		renamed := slices.Clone(p.Names)
		if d > 2 { // with two columns the names alone decide
			for i := range p.Names {
				p.Names[i] = fmt.Sprint("other", (7*i)%13)
			}
		}
		var got []string
		for _, v := range method.Canonical(p) {
			got = append(got, renamed[v])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d columns: %v, shuffled %v", d, want, got)
		}
	}
}

// TestRelabel checks that Relabel renumbers every field of an answer that holds columns. It fills records by
// reflection, so that later fields are covered, and fails for an unknown field of Answer.
func TestRelabel(t *testing.T) {
	order := []int{2, 0, 1} // column 0 becomes column 2
	g := must.Get(graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	w := matrix.Of(3, 3, []float64{0, 5, 0, 0, 0, 7, 9, 0, 0})
	a := &method.Answer{
		Graph: g.Mixed(), Stages: []method.Stage{{Graph: g}, {}}, Edges: method.EdgeRecords(g), Nodes: make([]method.NodeFacts, 3),
		Categories: []bool{true, false, false}, Additive: []bool{true, false, false}, Scales: []dataset.Scale{dataset.LogScale, "", ""}, Straight: []bool{true, false, false}, Changes: []method.Change{{Environment: 1, Column: 0}},
		Posterior:  &method.Posterior{Graphs: [][]graph.Edge{{{From: 0, To: 1}}}},
		Continuous: &method.Continuous{W: w, Thresholded: g, Cut: []graph.Edge{{From: 2, To: 0}}},
	}
	seed := 0
	for i := range a.Edges {
		fill(t, reflect.ValueOf(&a.Edges[i]).Elem(), &seed, "From", "To")
	}
	for i := range a.Nodes {
		fill(t, reflect.ValueOf(&a.Nodes[i]).Elem(), &seed)
	}
	edges, nodes := slices.Clone(a.Edges), slices.Clone(a.Nodes)
	a.Relabel(order)

	want := []graph.Edge{{From: 0, To: 1}, {From: 2, To: 0}}
	checks := map[string]func() bool{
		"Graph":      func() bool { return slices.Equal(a.Graph.Directed().Edges(), want) },
		"Stages":     func() bool { return slices.Equal(a.Stages[0].Graph.Edges(), want) && a.Stages[1].Graph == nil },
		"Categories": func() bool { return slices.Equal(a.Categories, []bool{false, false, true}) },
		"Additive":   func() bool { return slices.Equal(a.Additive, []bool{false, false, true}) },
		"Scales":     func() bool { return slices.Equal(a.Scales, []dataset.Scale{"", "", dataset.LogScale}) },
		"Straight":   func() bool { return slices.Equal(a.Straight, []bool{false, false, true}) },
		"Changes":    func() bool { return a.Changes[0] == method.Change{Environment: 1, Column: 2} },
		"Posterior":  func() bool { return a.Posterior.Graphs[0][0] == graph.Edge{From: 2, To: 0} },
		"Edges": func() bool {
			for i := range edges {
				edges[i].From, edges[i].To = order[edges[i].From], order[edges[i].To]
			}
			return reflect.DeepEqual(a.Edges, edges)
		},
		"Nodes": func() bool { return reflect.DeepEqual(a.Nodes, []method.NodeFacts{nodes[1], nodes[2], nodes[0]}) },
		"Continuous": func() bool {
			c := a.Continuous
			return slices.Equal(c.Thresholded.Edges(), want) && c.W.At(2, 0) == 5 && c.W.At(0, 1) == 7 && c.W.At(1, 2) == 9 && c.Cut[0] == graph.Edge{From: 1, To: 2}
		},
	}
	for f := range reflect.TypeFor[method.Answer]().Fields() {
		check, ok := checks[f.Name]
		switch {
		case ok && !check():
			t.Errorf("%s is not relabelled", f.Name)
		case !ok && !slices.Contains([]string{"Status", "Cause", "Score", "Optimal", "Identified", "FreeNoise", "Price", "Budget", "Effects", "Choices", "Warnings"}, f.Name):
			t.Errorf("the test does not say how Answer.%s is relabelled", f.Name)
		}
	}
}

// fill sets every field of a struct to a distinct value, except the named ones.
func fill(t *testing.T, v reflect.Value, seed *int, but ...string) {
	t.Helper()
	for f, field := range v.Fields() {
		if slices.Contains(but, f.Name) {
			continue
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		*seed++
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(*seed%2 == 1)
		case reflect.Int:
			field.SetInt(int64(*seed))
		case reflect.Float64:
			field.SetFloat(float64(*seed))
		case reflect.String:
			field.SetString(fmt.Sprint(*seed))
		case reflect.Struct: // an effect, which is known by its pointer
		default:
			t.Fatalf("%s: cannot fill a %s", f.Name, field.Kind())
		}
	}
}
