package effect

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestShareOfZeros checks both effects on an amount that is often 0: under a known graph with one binary cause they are the differences of
// the two means and of the two shares. A count has the mean alone.
func TestShareOfZeros(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(3, 8))
	x := matrix.New[float64](n, 4)
	var rows, sum, zeros [2]float64
	for i := range n {
		offer := i % 2
		spend, visits := 0.0, 0.0
		for rng.Float64() < 0.8 {
			visits++
		}
		if rng.Float64() < 0.4+0.2*float64(offer) {
			spend = math.Exp(1 + 0.3*float64(offer) + 0.5*rng.NormFloat64())
		} else {
			zeros[offer]++
		}
		rows[offer]++
		sum[offer] += spend
		for j, v := range []float64{float64(offer), spend, visits, rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	table := tableOf(t, []string{"offer", "spend", "visits", "age"}, nil, x)
	g := graph.New(4)
	g.AddEdge(0, 1)
	g.AddEdge(0, 2)
	for _, model := range []score.Effects{score.MixedEffects, score.FlexibleEffects} {
		res := known(t, table, g, model)
		a := ask(t, res, table, "offer", "spend", func(q *Question) { q.Replicates = 20 })
		if len(a.Effects) != 2 || a.Effects[0].Outcome != "mean" || a.Effects[1].Outcome != "0" {
			t.Fatalf("%s: %+v", model, a.Effects)
		}
		near(t, "mean", a.Effects[0].Total.Value, sum[1]/rows[1]-sum[0]/rows[0], 0.02) // a curve shrinks
		e := a.Effects[1].Total
		near(t, "share of zeros", e.Value, zeros[1]/rows[1]-zeros[0]/rows[0], 1e-3) // the prior of the logit
		if !(*e.Low < e.Value && e.Value < *e.High && *e.High-*e.Low < 0.2) {
			t.Errorf("%s: interval %+v", model, e)
		}
		if a := ask(t, res, table, "offer", "visits", func(q *Question) { q.Replicates = 0 }); len(a.Effects) != 1 {
			t.Errorf("%s: a count has %+v", model, a.Effects)
		}
		if a := ask(t, res, table, "age", "spend", func(q *Question) { q.Replicates = 5 }); a.Effects[1].Total.Value != 0 {
			t.Errorf("%s: without a path %+v", model, a.Effects)
		}
		q := NewQuestion("", "spend")
		q.GivenGraph, q.Replicates, q.Threads = true, 20, 2
		d := must.Get(RankDrivers(context.Background(), res, table, q))
		if len(d.Drivers) != 1 || d.Drivers[0].Outcome != "mean" || d.Drivers[0].Zeros == nil || d.Drivers[0].Zeros.Value != e.Value {
			t.Fatalf("%s: %+v", model, d)
		}
		var text bytes.Buffer
		if must.Succeed(t, d.WriteBrief(&text)); !strings.Contains(text.String(), "share of zeros, pp") {
			t.Error(text.String())
		}
	}
	if res := known(t, table, g, score.LinearEffects); len(must.Get(Ask(context.Background(), res, nil, NewQuestion("offer", "spend"))).Effects) != 1 {
		t.Error("a linear model has no share of zeros")
	}
}

// TestMeanOf checks what the mean of a censored time is called.
func TestMeanOf(t *testing.T) {
	for censored, want := range map[string]string{
		"t:dead": "the restricted mean of t", "t:dead:8": "the restricted mean of t up to 8", "t:dead:8:survival": "the probability of no event until t = 8", "u:dead": "", "": "",
	} {
		res := &polydag.Result{Table: polydag.Provenance{Reading: map[string][]string{"censored": {censored}}}}
		must.Same(t, meanOf(res, "t"), want, censored)
	}
	must.Same(t, meanOf(&polydag.Result{}, "t"), "", "without censored times")
}
