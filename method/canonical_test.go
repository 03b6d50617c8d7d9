package method_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
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
	m, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Whatever the order of the columns, their signs, their names and (by powers of two) their units, the canonical order is
// the same.
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
		if d > 2 { // of two columns the name alone decides
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

// An answer on permuted columns is turned back to the columns as they were.
func TestRelabel(t *testing.T) {
	order := []int{2, 0, 1} // column 0 of the answer is column 2
	g, err := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	w := matrix.Of(3, 3, []float64{0, 5, 0, 0, 0, 7, 9, 0, 0})
	a := &method.Answer{
		Graph: g.Mixed(), Weight: w.At, Stages: []method.Stage{{Graph: g}, {}},
		Continuous: &method.Continuous{W: w, Thresholded: g, Cut: []graph.Edge{{From: 2, To: 0}}},
	}
	a.Relabel(order)
	want := []graph.Edge{{From: 0, To: 1}, {From: 2, To: 0}}
	for what, got := range map[string]*graph.Graph{"graph": a.Graph.Directed(), "stage": a.Stages[0].Graph, "thresholded": a.Continuous.Thresholded} {
		if !slices.Equal(got.Edges(), want) {
			t.Errorf("%s: %v, want %v", what, got.Edges(), want)
		}
	}
	if a.Weight(2, 0) != 5 || a.Weight(0, 1) != 7 || a.Continuous.W.At(1, 2) != 9 || a.Continuous.Cut[0] != (graph.Edge{From: 1, To: 2}) {
		t.Errorf("weights %v, cut %v", a.Continuous.W.Data, a.Continuous.Cut)
	}
}
