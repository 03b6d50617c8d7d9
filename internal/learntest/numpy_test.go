package learntest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/must"
)

// twister is the generator of numpy.random.seed, the Mersenne Twister of Matsumoto and Nishimura (1998). Published examples draw their data with it.
type twister struct {
	state [624]uint32
	at    int
	kept  []float64 // the second number of a pair
}

func numpySeed(seed uint32) *twister {
	t := &twister{at: 624}
	t.state[0] = seed
	for i := 1; i < 624; i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	return t
}

func (t *twister) word() uint32 {
	s := &t.state
	if t.at == 624 {
		for i := range s {
			y := s[i]&0x80000000 | s[(i+1)%624]&0x7fffffff
			s[i] = s[(i+397)%624] ^ y>>1 ^ y&1*0x9908b0df
		}
		t.at = 0
	}
	y := s[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// uniform is numpy.random.uniform(0, 1).
func (t *twister) uniform() float64 {
	high := t.word() >> 5
	return (float64(high)*(1<<26) + float64(t.word()>>6)) / (1 << 53)
}

// normal is numpy.random.normal(0, 1), by the polar method.
func (t *twister) normal() float64 {
	if len(t.kept) > 0 {
		x := t.kept[0]
		t.kept = nil
		return x
	}
	for {
		a, b := 2*t.uniform()-1, 2*t.uniform()-1
		if r := a*a + b*b; r < 1 && r > 0 {
			f := math.Sqrt(-2 * math.Log(r) / r)
			t.kept = []float64{f * a}
			return f * b
		}
	}
}

// draws calls next n times.
func draws(n int, next func() float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = next()
	}
	return out
}

// row compares the first row with the published one.
func row(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	for v := range want {
		must.Near(t, got[v], want[v], 1e-6, "column %d of the first row", v)
	}
}

// learnRows learns from rows with columns x0, x1, …
func learnRows(t *testing.T, rows [][]float64, method string, settings ...string) (*polydag.Table, *polydag.Result) {
	t.Helper()
	var names []string
	for v := range rows[0] {
		names = append(names, fmt.Sprint("x", v))
	}
	table := must.Get(polydag.FromRows(names, rows))
	cfg := polydag.DefaultConfig()
	cfg.Method = using(t, method, settings...)
	return table, must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
}

// marked lists the edges with their marks.
func marked(res *polydag.Result) string {
	var out []string
	for _, e := range res.Edges {
		out = append(out, e.From+e.Mark+e.To)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// lingamRows draws the rows of the examples of the LiNGAM package.
func lingamRows(seed uint32, n int) [][]float64 {
	rng := numpySeed(seed)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, 6)
	}
	for _, v := range []int{3, 0, 2, 1, 5, 4} {
		for i, x := range draws(n, rng.uniform) {
			r := rows[i]
			r[v] = x + [6]float64{3 * r[3], 3*r[0] + 2*r[2], 6 * r[3], 0, 8*r[0] - r[2], 4 * r[0]}[v]
		}
	}
	return rows
}

// TestLiNGAMExample compares with the output of DirectLiNGAM in examples/DirectLiNGAM.ipynb (cdt15/lingam 36d9e866b1de, version 1.5.1). Its
// weights are those of an adaptive lasso, and so they are up to a tenth smaller than least squares.
func TestLiNGAMExample(t *testing.T) {
	rows := lingamRows(100, 1000)
	row(t, rows[0], 1.657947, 12.090323, 3.519873, 0.543405, 10.182785, 7.401408)
	want := map[string]float64{"x3 x0": 2.994, "x0 x1": 2.995, "x2 x1": 1.993, "x3 x2": 5.586, "x0 x4": 7.981, "x2 x4": -0.996, "x0 x5": 3.795}
	for _, variant := range []string{"variant=direct", "variant=ica"} {
		_, res := learnRows(t, rows, "lingam", variant)
		must.Same(t, len(res.Edges), len(want), variant, marked(res))
		for _, e := range res.Edges {
			if ratio := want[e.From+" "+e.To] / e.Weight; !(ratio >= 0.9 && ratio <= 1.001) {
				t.Errorf("%s: %v has the weight %v, the example has %v times that", variant, e.Link, e.Weight, ratio)
			}
		}
	}
}

// TestTotalEffectExample compares with the total effects in examples/TotalEffect.ipynb (cdt15/lingam 22392392109f, version 1.3.1), 21.002
// and 2.007. They are those of a regression on the cause and its parents, which ignores that the graph has no edge x3 → x1. Here the
// weights along the paths are multiplied.
func TestTotalEffectExample(t *testing.T) {
	rows := lingamRows(0, 10000)
	row(t, rows[0], 2.394708, 15.312359, 3.685054, 0.548814, 15.780259, 9.948090)
	table, res := learnRows(t, rows, "lingam")
	for of, want := range map[string]float64{"x3": 21.002, "x2": 2.007} {
		q := effect.NewQuestion(of, "x1")
		q.GivenGraph, q.Replicates = true, 0
		must.Near(t, must.Get(effect.Ask(t.Context(), res, table, q)).Effects[0].Total.Value, want, 0.012, "total effect of %s", of)
	}
}

// TestCausalLearnSimulated compares with causal-learn on the simulated tables of tests/TestPC.py and tests/TestGES.py (py-why/causal-learn
// 0aae7e2eee4c): its PC with Fisher's z at 0.05 and its GES with BIC find the true class. Its GES sets the penalty to twice that of BIC;
// with the penalty of BIC the edge x0 — x2, which is not in the true graph, improves the score by 3.9. The weights follow from the same
// seed, after which 80 words were drawn.
func TestCausalLearnSimulated(t *testing.T) {
	rng := numpySeed(42)
	for range 80 {
		rng.word()
	}
	rows := make([][]float64, 10000)
	for i := range rows {
		rows[i] = make([]float64, 5)
	}
	for v := range 5 {
		for i, x := range draws(len(rows), rng.normal) {
			rows[i][v] = x
		}
	}
	for _, x := range rows {
		x[1] -= 0.56239781 * x[0]
		x[2] += 0.88796394 * x[1]
		x[3] += -0.5733618*x[0] + 0.6216969*x[1] + 0.70990257*x[2]
		x[4] += -0.61685786*x[2] + 0.64654474*x[3]
	}
	row(t, rows[0], -0.01349722473793392, 0.5119558753269223, -0.8573631887619408, 1.4565159846588267, 1.5355301570703579)
	for _, method := range []string{"pc", "ges", "fges"} {
		_, res := learnRows(t, rows, method, "alpha=0.05", "collider=sepset", "penalty=2", "gamma=0")
		must.Same(t, marked(res), "x0---x1 x0-->x3 x1---x2 x1-->x3 x2-->x3 x2-->x4 x3-->x4", method)
	}
}

// TestDagmaExample checks the example of the DAGMA repository, dagma_linear.py (kevinsbello/dagma 3892955580bb): 500 rows of a random DAG
// with 20 nodes and edges and
// λ = 0.02. README.md has the output, a distance of 0 and 20 edges. The DAG, its weights and the order of the nodes are those of its seed 1
// with numpy 1.24.2 and igraph 0.10.2, after which 2047 words were drawn.
func TestDagmaExample(t *testing.T) {
	weights := [20]map[int]float64{
		1: {2: -1.9930050299762079, 9: 1.3407192705780449, 10: 1.3062695418140529, 14: -1.8469885317952959}, 3: {2: -1.298934048590728, 5: 1.2233711078890441},
		8: {14: 0.8793079811814337, 16: 0.9566702366350412}, 9: {11: -1.167410962395871, 14: 0.9954029207779878, 18: 1.5605476275766272},
		12: {13: -0.6702507704101313}, 15: {8: 0.6086973345505791, 9: 0.7571552771997558}, 16: {6: -1.3308507394017839, 12: -1.541302636347825},
		17: {2: -0.59769169721184, 12: -0.6696193010417077}, 19: {5: -1.0623326094361158, 12: -1.2271750082422659},
	}
	rng := numpySeed(1)
	for range 2047 {
		rng.word()
	}
	rows := make([][]float64, 500)
	for i := range rows {
		rows[i] = make([]float64, 20)
	}
	for _, v := range []int{0, 2, 4, 5, 6, 7, 10, 11, 13, 14, 18, 3, 12, 9, 16, 17, 19, 1, 8, 15} {
		for i, x := range draws(len(rows), rng.normal) {
			for u, w := range weights[v] {
				x += w * rows[i][u]
			}
			rows[i][v] = x
		}
	}
	row(t, rows[0], -1.650467, 7.36873934, -0.41234605)
	var want []string
	for v, from := range weights {
		for u := range from {
			want = append(want, fmt.Sprintf("x%d-->x%d", u, v))
		}
	}
	slices.Sort(want)
	_, res := learnRows(t, rows, "dagma", "l1=0.02")
	must.Same(t, marked(res), strings.Join(want, " "))
}
