package order

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// table returns the input of n rows of d columns, all of which are in the sample.
func table(t *testing.T, n, d int, row func(rng *rand.Rand, x []float64)) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 6))
	own := &drawn{x: matrix.New[float64](n, d), of: make([]int, n), targets: [][]int{nil}, levels: make([]bool, d)}
	for i := range n {
		row(rng, own.x.Row(i))
	}
	in := own.input(t, false, func(int) bool { return true })
	in.Sample = &dataset.Sample{Columns: d, Values: own.x.Data, Index: make([]int, n)}
	for i := range n {
		in.Sample.Index[i] = i
	}
	return in
}

// steps learns under the flexible model and returns the names of its searches, without the name of the stage, and the edges that each found.
func steps(t *testing.T, ctx context.Context, in *method.Input, seen func(step string)) (a *method.Answer, names []string, edges []int) {
	t.Helper()
	run, err := stage.New(stage.Key{}, stage.Settings{Observe: func(p stage.Progress) {
		name, part, _ := strings.Cut(p.Stage, ": ")
		if _, step, _ := strings.Cut(name, "/"); part == "descent" {
			names, edges = append(names, step), append(edges, p.Edges)
			if seen != nil {
				seen(step)
			}
		}
	}})
	must.Succeed(t, err)
	m := New()
	m.Model, m.Restarts.Word, m.Restarts.N = Flexible, "", 0
	if a, err = m.Learn(ctx, in, run); err != nil {
		t.Fatal(err)
	}
	return a, names, edges
}

func straightRow(rng *rand.Rand, x []float64) {
	for v := range x {
		if x[v] = rng.NormFloat64(); v > 0 {
			x[v] += x[v-1]
		}
	}
}

func curvedRow(rng *rand.Rand, x []float64) {
	for v := range x {
		if x[v] = rng.NormFloat64(); v > 0 {
			x[v] = math.Sin(2*x[v-1]) + 0.4*x[v]
		}
	}
}

// unevenRow has noise whose size depends on the cause.
func unevenRow(rng *rand.Rand, x []float64) {
	for v := range x {
		if x[v] = rng.NormFloat64(); v > 0 {
			c := x[v-1]
			x[v] = c + 0.3*c*c + (0.1+math.Abs(c))*x[v]
		}
	}
}

// partlyUnevenRow has noise whose size depends on the cause in the last of six columns.
func partlyUnevenRow(rng *rand.Rand, x []float64) {
	for v := range 5 {
		if x[v] = rng.NormFloat64(); v > 0 {
			x[v] = math.Tanh(3*x[v-1]) + 0.2*x[v-1] + 0.3*x[v]
		}
	}
	x[5] = x[0] + math.Sin(2*x[0]) + (0.1+math.Abs(x[0]))*rng.NormFloat64()
}

// productRow has a product of two causes, without which the noise looks uneven.
func productRow(rng *rand.Rand, x []float64) {
	for v := range x {
		x[v] = rng.NormFloat64()
	}
	x[2] = x[0]*x[1] + math.Sin(2*x[0]) + 0.3*x[2]
}

// TestStepsOfTheFlexibleModel checks the sequence of searches: lines, descents with curves from two orders, descents with products where
// the noise is uneven, again after some effects became linear, and the search itself. Only linear effects need a single search, and a
// bootstrap sample needs one descent of each kind.
func TestStepsOfTheFlexibleModel(t *testing.T) {
	for _, c := range []struct {
		what        string
		columns     int
		row         func(rng *rand.Rand, x []float64)
		want, graph string // searches; searches if only the graph is needed
		curved      bool   // curves remain
	}{
		{"linear effects", 3, straightRow, "whole", "whole", false},
		{"nonlinear effects", 3, curvedRow, "lines descent descent whole", "lines descent whole", true},
		{"uneven noise of all columns", 3, unevenRow, "lines descent descent products products", "lines descent products", false},
		{"uneven noise of one column", 6, partlyUnevenRow, "lines descent descent products products descent whole", "lines descent products descent whole", true},
		{"a product of two causes", 4, productRow, "lines descent descent products products whole", "lines descent products whole", true},
	} {
		for _, only := range []bool{false, true} {
			in := table(t, 600, c.columns, c.row)
			in.GraphOnly = only
			a, names, _ := steps(t, t.Context(), in, nil)
			for i := range names {
				names[i] = cmp.Or(names[i], "whole")
			}
			want := c.want
			if only {
				want = c.graph
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s, only the graph: %v: searches %s, want %s", c.what, only, got, want)
			}
			if terms := choiceOf(a, "terms"); terms == nil || strings.Contains(terms.Chosen, "nonlinear") != c.curved {
				t.Errorf("%s: terms %+v, want curves: %v", c.what, terms, c.curved)
			}
		}
	}
}

// TestStopBetweenFlexibleSteps stops each search after its descent: no further search begins, and the answer says that the run was stopped.
func TestStopBetweenFlexibleSteps(t *testing.T) {
	in := table(t, 600, 6, partlyUnevenRow)
	_, all, _ := steps(t, t.Context(), in, nil)
	for k := range all {
		ctx, cancel := context.WithCancel(t.Context())
		left := k
		a, names, _ := steps(t, ctx, in, func(string) {
			if left--; left < 0 {
				cancel()
			}
		})
		cancel()
		if len(names) != k+1 || a.Status != method.Canceled {
			t.Errorf("stopped in search %d of %v: searches %v, status %v", k+1, all, names, a.Status)
		}
	}
}

// TestParentsInDescents checks that descents with curves have at most seven parents if there are more than twelve columns.
func TestParentsInDescents(t *testing.T) {
	for columns, want := range map[int]int{12: 8, 13: 7} {
		in := table(t, 200, columns, func(rng *rand.Rand, x []float64) {
			for v := range x {
				x[v] = 2*rng.Float64() - 1
			}
			x[8] *= 0.1
			for v := range 8 {
				x[8] += math.Sin(2 * x[v])
			}
		})
		in.GraphOnly = true
		var spec knowledge.Spec // only column 8 has parents
		for v, name := range in.Names() {
			if v != 8 {
				spec.Forbid = append(spec.Forbid, "*->"+name)
			}
		}
		var err error
		if in.Knowledge, err = spec.Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
		_, names, edges := steps(t, t.Context(), in, nil)
		if i := slices.Index(names, "descent"); i < 0 || edges[i] != want {
			t.Errorf("%d columns: searches %v with %v edges, want a descent with %d", columns, names, edges, want)
		}
		if last := edges[len(edges)-1]; last != 8 {
			t.Errorf("%d columns: the search finds %d edges, want 8", columns, last)
		}
	}
}
