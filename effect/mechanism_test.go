package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// A curve with products of two causes is the sum over all functions that Expand writes, weight by weight, and its mean over the rows is
// the mean of the column.
func TestCurveAgainstAllFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 2, To: 0}})
	d := &data{n: 800, columns: make([][]float64, 3), levels: make([][]float64, 3)}
	for range d.n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		d.columns[0] = append(d.columns[0], math.Sin(2*x)+x*y+0.1*rng.NormFloat64())
		d.columns[1], d.columns[2] = append(d.columns[1], x), append(d.columns[2], y)
	}
	f, err := fitCurve(g, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := f.(*curve)
	if len(c.pairs) == 0 {
		t.Fatal("no products: the test looks at too little")
	}
	all := make([]float64, len(c.weights))
	mean, left := 0.0, 0.0
	for i := range d.n {
		x, y := d.columns[1][i], d.columns[2][i]
		if err := c.functions.Expand(all, []float64{0.5, x, y}); err != nil {
			t.Fatal(err)
		}
		want := c.constant
		for k, w := range c.weights {
			if w != 0 {
				want += w * all[k]
			}
		}
		got := c.at([]float64{x, y})[0]
		near(t, "curve", got, want, 1e-9)
		mean += (got - d.columns[0][i]) / float64(d.n)
		left += (got - d.columns[0][i]) * (got - d.columns[0][i]) / float64(d.n)
	}
	near(t, "mean of the noise", mean, 0, 1e-9)
	if left > 0.4 {
		t.Errorf("variance %v is left, of about 1.5", left)
	}
}

// A logit of levels without causes of numbers has the shares of the rows, up to its prior.
func TestLogitHasTheSharesOfTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 1, To: 0}})
	d := &data{n: 3000, columns: make([][]float64, 2), levels: [][]float64{{0, 1, 2}, {0, 1}}}
	counts := [2][3]float64{}
	for range d.n {
		p := rng.IntN(2)
		c := pick([]float64{0.2 + 0.3*float64(p), 0.3, 0.5 - 0.3*float64(p)}, rng.Float64())
		d.columns[0], d.columns[1] = append(d.columns[0], float64(c)), append(d.columns[1], float64(p))
		counts[p][c]++
	}
	f, err := fitLogit(g, d, []bool{true, true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for p := range 2 {
		n := counts[p][0] + counts[p][1] + counts[p][2]
		for c, share := range f.at([]float64{float64(p)}) {
			near(t, "share", share, counts[p][c]/n, 2e-3)
		}
	}
}

// The answer has the same bytes on any number of threads, and none when the context has ended.
func TestThreadsAndContexts(t *testing.T) {
	k := levelsTrial(t, 5, 300)
	cfg := polydag.DefaultConfig()
	cfg.Method = k.method
	res, err := k.table.Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(threads int) string {
		told := 0
		a := ask(t, res, k.table, k.of, k.on, func(q *Question) {
			q.GivenGraph, q.Replicates, q.Threads, q.Do = false, 12, threads, []string{"l1"}
			q.Observe = func(done, of int) {
				if told++; done != told || of != 12 {
					t.Errorf("told %d of %d after %d", done, of, told)
				}
			}
		})
		if told != 12 || a.Interval.Method != OverGraphs {
			t.Errorf("%d replicates were told of, %+v", told, a.Interval)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if one, three := answer(1), answer(3); one != three {
		t.Errorf("on one thread\n%s\non three\n%s", one, three)
	}
	ctx, cancel := context.WithCancel(context.Background())
	q := NewQuestion(k.of, k.on)
	q.Observe = func(int, int) { cancel() }
	if a, err := Ask(ctx, res, k.table, q); a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", a, err)
	}
}

// A replicate is learned as the result records that it was: the same table gives the same graph, and what is known is kept.
func TestLearnsAgainAsRecorded(t *testing.T) {
	k := linearTrial(t, 4, false, 300)
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Seed = k.method, 7
	cfg.Knowledge.Forbid = append(cfg.Knowledge.Forbid, k.truth.Edges()[0].Named(k.table.Moments.Names).From+"->"+k.truth.Edges()[0].Named(k.table.Moments.Names).To)
	res, err := k.table.Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	read, err := polydag.ReadResult(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	learn, err := relearner(read)
	if err != nil {
		t.Fatal(err)
	}
	again, err := learn(context.Background(), k.table)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Graph.Equal(res.Graph) || res.Model != score.LinearEffects {
		t.Errorf("%v, then %v", res.Graph.Edges(), again.Graph.Edges())
	}
}
