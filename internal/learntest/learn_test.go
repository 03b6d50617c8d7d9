// Package learntest checks what polydag.Table.Learn returns: graphs, effects, certificates, checkpoints and memory. It uses the
// public interface only.
package learntest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
)

// using returns a method with settings in the form "name=value". It ignores settings that the method does not have, so that
// one list serves all methods.
func using(t testing.TB, name string, settings ...string) method.Method {
	t.Helper()
	m := must.Get(lab.Find(name))
	set := param.Of(m)
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if set.Lookup(key) == nil {
			continue
		}
		must.Succeed(t, set.Set(key, value))
	}
	must.Succeed(t, set.Finish())
	return m
}

// sample draws a model and a table from it.
func sample(t testing.TB, seed uint64, d, n int, change func(*sim.Settings)) (*sim.Model, *matrix.Dense[float64]) {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Seed = d, seed
	c.Degree = min(c.Degree, float64(d-1))
	if change != nil {
		change(&c)
	}
	m := must.Get(sim.New(c))
	return m, m.Sample(sim.Stream(seed, sim.StreamNoise), n)
}

func moments(t testing.TB, names []string, x *matrix.Dense[float64]) *dataset.Moments {
	t.Helper()
	m := must.Get(dataset.MomentsOf(names, x, 1))
	return m
}

func learn(t testing.TB, data *dataset.Moments, change func(*polydag.Config)) *polydag.Result {
	t.Helper()
	c := polydag.DefaultConfig()
	if change != nil {
		change(&c)
	}
	res := must.Get(polydag.FromMoments(data).Learn(context.Background(), c, polydag.Run{}))
	verify(t, res)
	return res
}

// verify checks the receipt without trusting it, and that the answer survives JSON: no NaN, no Inf.
func verify(t testing.TB, res *polydag.Result) {
	t.Helper()
	var edges []polydag.Link
	for _, e := range res.Edges {
		if e.Directed() {
			edges = append(edges, e.Link)
		}
	}
	// A PAG that was cut short may be none, and its certificate says so.
	if cut := res.Certificate.Kind == graph.KindPAG && !res.Status.Finished(); !res.Certificate.Holds && !cut {
		t.Fatalf("edges are called no DAG: %v", res.Certificate)
	}
	must.Succeed(t, res.Certificate.Verify(res.Names, edges))
	must.Get(json.Marshal(res))
}

// short makes continuous methods quick.
const short = "stage-steps=60"

// TestAutoRecoversTheGraph checks that the graph is recovered exactly on raw data with equal noise variances,
// and up to its equivalence class on standardized data.
func TestAutoRecoversTheGraph(t *testing.T) {
	m, x := sample(t, 3, 30, 1000, nil)
	res := learn(t, moments(t, m.Names(), x), nil)
	if v := res.Choice("variance"); v.Chosen != "equal" || *v.Margin <= 0 {
		t.Errorf("raw data: variance %+v", v)
	}
	if rep := metric.Compare(m.Graph(), res.Graph); rep.SHD != 0 {
		t.Errorf("raw data: SHD %d, want 0", rep.SHD)
	}
	m, x = sample(t, 3, 30, 1000, func(c *sim.Settings) { c.Standardize = true })
	res = learn(t, moments(t, m.Names(), x), nil)
	if v := res.Choice("variance"); v.Chosen != "unequal" || !strings.Contains(v.Reason, "the columns are standardized") {
		t.Errorf("standardized data: variance %+v", v)
	}
	if rep := metric.Compare(m.Graph(), res.Graph); rep.SkeletonF1 < 0.99 || *rep.CPDAGSHD > 2 {
		t.Errorf("standardized data: skeleton F1 %v, CPDAG SHD %d", rep.SkeletonF1, *rep.CPDAGSHD)
	}
}

// TestScaleAndSignChangeNothing checks that the scale and sign of columns change only the weights of unit-free
// methods.
func TestScaleAndSignChangeNothing(t *testing.T) {
	m, x := sample(t, 5, 20, 500, func(c *sim.Settings) { c.SDLow, c.SDHigh = 0.5, 2 })
	y := x.Clone()
	rng := rand.New(rand.NewPCG(1, 1))
	factor := make([]float64, 20)
	for j := range factor {
		factor[j] = math.Exp(3 * rng.NormFloat64())
		if rng.IntN(2) == 0 {
			factor[j] = -factor[j]
		}
		for i := range y.Rows {
			y.Set(i, j, y.At(i, j)*factor[j])
		}
	}
	for _, method := range []string{"polydag", "order", "auto"} {
		set := func(c *polydag.Config) { c.Method = using(t, method, short, "variance=unequal") }
		a := learn(t, moments(t, m.Names(), x), set)
		b := learn(t, moments(t, m.Names(), y), set)
		if !a.Graph.Equal(b.Graph) {
			t.Fatalf("%s: the graph changed with the units", method)
		}
		if a.Graph.NumEdges() < 15 {
			t.Fatalf("%s: only %d edges", method, a.Graph.NumEdges())
		}
		for i, e := range a.Graph.Edges() {
			want := a.Edges[i].Weight * factor[e.To] / factor[e.From]
			if !(math.Abs(b.Edges[i].Weight-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("%s: weight of %v is %v, want %v", method, e, b.Edges[i].Weight, want)
			}
		}
	}
}

// TestNeverACycle makes a thousand random runs and checks that no method, data or knowledge gives a cycle.
func TestNeverACycle(t *testing.T) {
	runs := 300
	if v, err := strconv.Atoi(os.Getenv("RUNS")); err == nil { // RUNS=10000 for longer
		runs = v
	}
	rng := rand.New(rand.NewPCG(4, 4))
	cuts := 0
	for i := range runs {
		d := 2 + rng.IntN(6)
		n := d + 3 + rng.IntN(40)
		x := matrix.New[float64](n, d)
		mix := matrix.New[float64](d, d)
		for j := range mix.Data {
			mix.Data[j] = rng.NormFloat64()
		}
		for r := range n { // strongly dependent columns, no DAG behind them
			e := make([]float64, d)
			for j := range d {
				e[j] = rng.NormFloat64()
			}
			for j := range d {
				for k := range d {
					x.Data[r*d+j] += mix.At(k, j) * e[k]
				}
				x.Data[r*d+j] += 0.05 * rng.NormFloat64()
			}
		}
		names := make([]string, d)
		for j := range names {
			names[j] = fmt.Sprint("v", j)
		}
		method := "order"
		switch i % 20 {
		case 0:
			method = "polydag"
		case 1:
			method = "auto"
		case 2, 3, 4:
			method = []string{"polydag-geo", "notears-exp", "polydag-poly"}[i%3]
		}
		c := polydag.DefaultConfig()
		c.Method, c.Seed = using(t, method, "restarts=1", "steps=40", "threshold=0.01", "stage-steps=10"), uint64(i)
		if i%4 == 3 && !(i%20 >= 2 && i%20 <= 4) {
			a, b := rng.IntN(d), rng.IntN(d)
			if a != b {
				c.Knowledge = knowledge.Spec{Require: []string{names[a] + "->" + names[b]}}
			}
		}
		res, err := polydag.FromMoments(moments(t, names, x)).Learn(context.Background(), c, polydag.Run{})
		if err != nil {
			t.Fatalf("run %d, %s: %v", i, method, err)
		}
		verify(t, res)
		if k := res.Continuous; k != nil && len(k.Cut) > 0 {
			cuts++
			if len(k.Thresholded) != len(res.Edges)+len(k.Cut) || k.Cycle == nil || k.CyclicComponents == 0 {
				t.Fatalf("run %d: cut without its record: %+v", i, k)
			}
		}
		for _, r := range c.Knowledge.Require {
			if !slices.ContainsFunc(res.Edges, func(e polydag.Edge) bool { return e.From+"->"+e.To == r }) {
				t.Fatalf("run %d, %s: required %s is missing", i, method, r)
			}
		}
	}
	if cuts == 0 {
		t.Error("no run had cycles to cut: the test does not reach that path")
	}
}

// TestDegenerateData checks that the order search warns of collinear columns and of fewer rows than columns.
func TestDegenerateData(t *testing.T) {
	m, x := sample(t, 2, 10, 300, nil)
	y := matrix.New[float64](300, 12)
	for i := range 300 {
		copy(y.Row(i), x.Row(i))
		y.Set(i, 10, 2*x.At(i, 3))            // a copy in other units
		y.Set(i, 11, x.At(i, 0)-3*x.At(i, 1)) // a linear combination
	}
	names := append(m.Names(), "copy", "sum")
	for _, method := range []string{"auto", "order"} {
		if res := learn(t, moments(t, names, y), func(c *polydag.Config) { c.Method = using(t, method, short) }); len(res.Warnings) == 0 {
			t.Errorf("%s: collinear columns and no warning", method)
		}
	}
	m, x = sample(t, 2, 40, 25, nil)
	for _, method := range []string{"auto", "order"} {
		res := learn(t, moments(t, m.Names(), x), func(c *polydag.Config) { c.Method = using(t, method) })
		if len(res.Warnings) == 0 {
			t.Errorf("%s: 25 rows for 40 columns and no warning", method)
		}
		if res.Graph.NumEdges() > 40*10 {
			t.Errorf("%s: %d edges from 25 rows", method, res.Graph.NumEdges())
		}
	}
}

// TestExtremeUnits checks that units whose squares overflow give an answer under unequal variances without a
// panic.
func TestExtremeUnits(t *testing.T) {
	m, x := sample(t, 4, 6, 200, nil)
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)*1e100)
		x.Set(i, 5, x.At(i, 5)*1e-100)
	}
	for _, method := range []string{"auto", "order"} {
		res := learn(t, moments(t, m.Names(), x), func(c *polydag.Config) { c.Method = using(t, method) })
		if v := res.Choice("variance"); v.Chosen != "unequal" || len(res.Warnings) == 0 {
			t.Errorf("%s: variance %+v, warnings %q", method, v, res.Warnings)
		}
	}
	c := polydag.DefaultConfig()
	c.Method = using(t, "order", "variance=equal")
	if _, err := polydag.FromMoments(moments(t, m.Names(), x)).Learn(context.Background(), c, polydag.Run{}); err == nil {
		t.Error("equal variances were taken seriously")
	}
}
