package acyclic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// drawn is a test graph with a name.
type drawn struct {
	name string
	w    *matrix.Dense[float64]
}

// supports returns matrices W of d nodes with about 2d edges: a DAG, a random digraph with its giant component,
// many small cycles, long cycles joined by edges, and a full matrix.
func supports(d int, seed uint64) []drawn {
	rng := rand.New(rand.NewPCG(seed, 31))
	weight := func() float64 { return (0.3 + 0.5*rng.Float64()) * float64(2*rng.IntN(2)-1) }
	random, dag, small, full := matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d)
	perm := rng.Perm(d)
	for range 2 * d {
		i, j := rng.IntN(d), rng.IntN(d)
		random.Set(i, j, weight())
		if i != j {
			dag.Set(perm[min(i, j)], perm[max(i, j)], weight())
			small.Set(perm[min(i, j)], perm[max(i, j)], weight())
		}
	}
	for i := 0; i+4 < d; i += 5 { // a cycle in each group of five nodes
		small.Set(perm[i+rng.IntN(4)+1], perm[i], weight())
	}
	for i := range full.Data {
		full.Data[i] = weight() / math.Sqrt(float64(d))
	}
	return []drawn{{"random", random}, {"dag", dag}, {"small cycles", small}, {"full", full}}
}

type twin interface {
	series[float64]
	Eval(grad, w *matrix.Dense[float64]) (float64, error)
}

// twins returns the constraints with a sparse form, and access to that form.
func twins() map[string]func(threads int) (twin, *sparse[float64]) {
	return map[string]func(threads int) (twin, *sparse[float64]){
		"Poly":      func(n int) (twin, *sparse[float64]) { c := &Poly[float64]{Threads: n}; return c, &c.sp },
		"Geometric": func(n int) (twin, *sparse[float64]) { c := &Geometric[float64]{Threads: n}; return c, &c.sp },
		"Geometric/16": func(n int) (twin, *sparse[float64]) {
			c := &Geometric[float64]{K: 16, Threads: n}
			return c, &c.sp
		},
		"Exp":      func(n int) (twin, *sparse[float64]) { c := &Exp[float64]{Threads: n}; return c, &c.sp },
		"LogDet":   func(n int) (twin, *sparse[float64]) { c := &LogDet[float64]{S: 5, Threads: n}; return c, &c.sp },
		"Binomial": func(n int) (twin, *sparse[float64]) { c := &Binomial[float64]{Threads: n}; return c, &c.sp },
	}
}

// TestSparseAgainstDense checks that the sparse form agrees with the dense one to 1e-10 of the largest entry,
// in value and gradient. The bytes must be the same on any number of threads, and every branch must run.
func TestSparseAgainstDense(t *testing.T) {
	ways := map[string]int{}
	for _, d := range []int{leastSparse, 150} {
		for _, g := range supports(d, uint64(d)) {
			for name, made := range twins() {
				c, s := made(1)
				grad, want := matrix.New[float64](d, d), matrix.New[float64](d, d)
				got, err := c.Eval(grad, g.w)
				if err != nil {
					t.Fatal(name, g.name, d, err)
				}
				h, err := c.block(want, g.w, d)
				if err != nil {
					t.Fatal(name, g.name, d, err)
				}
				if !(math.Abs(got-h) <= 1e-10*h) {
					t.Errorf("%s, %s, d = %d: sparse %v, dense %v", name, g.name, d, got, h)
				}
				most := largest(absolute(want.Data))
				for i, v := range grad.Data {
					if !(math.Abs(v-want.Data[i]) <= 1e-10*most) {
						t.Fatalf("%s, %s, d = %d: slope %v, dense %v", name, g.name, d, v, want.Data[i])
					}
				}
				if g.name == "dag" && (got != 0 || most != 0) {
					t.Errorf("%s: h = %v on a DAG", name, got)
				}
				way := "dense"
				switch {
				case g.name == "dag":
					way = "no cycle"
				case len(s.slope) > 0 && s.w != nil:
					way = "both"
				case len(s.slope) > 0:
					way = "panels"
				case s.w != nil:
					way = "blocks"
				}
				ways[way]++
				c3, _ := made(3)
				again := matrix.New[float64](d, d)
				if h3, _ := c3.Eval(again, g.w); h3 != got || !slices.Equal(again.Data, grad.Data) {
					t.Errorf("%s, %s: three threads give other bytes", name, g.name)
				}
				if none, _ := c.Eval(nil, g.w); none != got {
					t.Errorf("%s, %s: %v with a gradient, %v without", name, g.name, got, none)
				}
			}
		}
	}
	for _, way := range []string{"no cycle", "panels", "blocks", "dense"} {
		if ways[way] == 0 {
			t.Errorf("no graph went by %q: %v", way, ways)
		}
	}
}

// TestPanelsOfEveryConstraint checks that the panels agree with the dense form also where the cost model prefers the latter, and
// that the terms are planned with the largest row sum.
func TestPanelsOfEveryConstraint(t *testing.T) {
	const d = leastSparse + 5
	for name, made := range twins() {
		if name == "LogDet" { // which has no panels
			continue
		}
		for _, g := range supports(d, 3) {
			if g.name == "full" { // too dense for components
				continue
			}
			c, s := made(1)
			grad, want := matrix.New[float64](d, d), matrix.New[float64](d, d)
			if _, err := c.Eval(nil, g.w); err != nil { // sets the coefficients
				t.Fatal(name, g.name, err)
			}
			dense, err := c.block(want, g.w, d)
			if err != nil {
				t.Fatal(name, g.name, err)
			}
			if !load(&s.comps, g.w) {
				t.Fatalf("%s is too dense", g.name)
			}
			s.comps.find()
			h, first := 0.0, int32(0)
			for _, end := range s.comps.ends {
				nodes := s.comps.nodes[first:end]
				first = end
				norm, most := gather(s, g.w, nodes), 0.0
				for _, i := range nodes {
					sum := 0.0
					for _, j := range nodes {
						sum += g.w.At(int(i), int(j)) * g.w.At(int(i), int(j))
					}
					most = max(most, sum)
				}
				if !(math.Abs(norm-most) <= 1e-12*most) {
					t.Errorf("%s: largest row sum %v, want %v", g.name, norm, most)
				}
				terms, _ := c.plan(d, norm)
				h += inPanels(s, c, len(nodes), terms, 1)
				scatter(s, grad, g.w, nodes)
			}
			if !(math.Abs(h-dense) <= 1e-10*dense) {
				t.Errorf("%s, %s: panels %v, dense %v", name, g.name, h, dense)
			}
			most := largest(absolute(want.Data))
			for i, v := range grad.Data {
				if !(math.Abs(v-want.Data[i]) <= 1e-10*most) {
					t.Fatalf("%s, %s: slope %v, dense %v", name, g.name, v, want.Data[i])
				}
			}
			if (h > 0) != (g.name != "dag") {
				t.Errorf("%s, %s: h = %v", name, g.name, h)
			}
		}
	}
}

func absolute(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Abs(v)
	}
	return out
}

// TestSparseOverflow checks that overflowing weights give +Inf and an error in panels and blocks, but not for a
// DAG.
func TestSparseOverflow(t *testing.T) {
	for _, g := range supports(150, 7) {
		w := matrix.Convert[float32](g.w)
		for i := range w.Data {
			w.Data[i] *= 1e8
		}
		grad := matrix.New[float32](150, 150)
		h, err := (&Geometric[float32]{K: 16}).Eval(grad, w)
		if g.name == "dag" {
			if h != 0 || err != nil {
				t.Errorf("a DAG of large weights: %v, %v", h, err)
			}
			continue
		}
		if err == nil || !math.IsInf(h, 1) {
			t.Errorf("%s: h = %v, error %v", g.name, h, err)
		}
	}
}

func TestSparseNoAllocation(t *testing.T) {
	for _, g := range supports(150, 3) {
		for name, made := range twins() {
			c, _ := made(1)
			grad := matrix.New[float64](150, 150)
			c.Eval(grad, g.w)
			if n := testing.AllocsPerRun(3, func() { c.Eval(grad, g.w) }); n > 0 {
				t.Errorf("%s, %s: %v allocations a call after the first", name, g.name, n)
			}
		}
	}
}

// TestComponents compares the components with reachability.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 32))
	var c components
	for trial := range 300 {
		d := 1 + rng.IntN(12)
		w := matrix.New[float64](d, d)
		reach := make([][]bool, d)
		for i := range d {
			reach[i] = make([]bool, d)
			for j := range d {
				if rng.Float64() < 1.3/float64(d) {
					w.Set(i, j, 1)
					reach[i][j] = true
				}
			}
		}
		for k := range d {
			for i := range d {
				for j := range d {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		if !load(&c, w) {
			continue // too dense
		}
		c.find()
		var listed []string
		first := int32(0)
		for _, end := range c.ends {
			nodes := c.nodes[first:end]
			first = end
			if !slices.IsSorted(nodes) {
				t.Fatalf("trial %d: nodes %v", trial, nodes)
			}
			for p, v := range nodes {
				if int(c.place[v]) != p {
					t.Fatalf("trial %d: node %d has place %d of %v", trial, v, c.place[v], nodes)
				}
			}
			listed = append(listed, fmt.Sprint(nodes))
		}
		var want []string
		for i := range int32(d) {
			var nodes []int32
			for j := range int32(d) {
				if reach[i][j] && reach[j][i] {
					nodes = append(nodes, j)
				}
				if (i == j || reach[i][j] && reach[j][i]) != (c.of[i] == c.of[j]) {
					t.Fatalf("trial %d: nodes %d and %d are in components %d and %d", trial, i, j, c.of[i], c.of[j])
				}
			}
			if len(nodes) > 0 && nodes[0] == i {
				want = append(want, fmt.Sprint(nodes))
			}
		}
		slices.Sort(listed)
		slices.Sort(want)
		if !slices.Equal(listed, want) {
			t.Fatalf("trial %d: components %v, want %v", trial, listed, want)
		}
	}
}

// BenchmarkSparse measures sparse graphs: go test ./acyclic -bench Sparse -benchtime 3x. With d=5000 alone under /usr/bin/time -v it also
// shows the peak memory.
func BenchmarkSparse(b *testing.B) {
	for _, d := range []int{100, 1000, 5000} {
		for _, g := range supports(d, 1)[:2] {
			b.Run(fmt.Sprintf("d=%d/%s", d, g.name), func(b *testing.B) {
				c, grad := &Geometric[float64]{K: 16}, matrix.New[float64](d, d)
				for b.Loop() {
					must.Get(c.Eval(grad, g.w))
				}
			})
		}
	}
}
