package attribution_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/attribution"
	"github.com/polydag/polydag/internal/must"
)

// The rows leave the directions of the chain a → b → c open. Graphs in which a is no cause of c attribute the change to another variable, so that
// an interval over graphs includes 0 and the whole change of 2. It depends neither on threads nor on the order of the columns.
func TestIntervalsOverGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	draw := func(shift float64) (rows [][]float64) {
		for range 400 {
			a := shift + rng.NormFloat64()
			b := a + 0.7*rng.NormFloat64()
			rows = append(rows, []float64{a, b, 2*b + 1.5*rng.NormFloat64()})
		}
		return rows
	}
	before, after := draw(0), draw(1)
	turned := func(rows [][]float64) (out [][]float64) {
		for _, x := range rows {
			out = append(out, []float64{x[2], x[0], x[1]})
		}
		return out
	}
	said := ""
	for k, names := range [][]string{{"a", "b", "c"}, {"a", "b", "c"}, {"c", "a", "b"}} {
		first, second := before, after
		if k == 2 {
			first, second = turned(before), turned(after)
		}
		alone := prepared(t, names, first, false)
		res, err := alone.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
		must.Succeed(t, err)
		graphs := must.Get(attribution.NewGraphs(context.Background(), alone, res, 1))
		s := attribution.DefaultSettings()
		s.Replicates, s.Threads = 40, 1+k
		r := must.Get(attribution.Compare(context.Background(), prepared(t, names, two(first, second), true), attribution.Question{Names: names, Graph: res.Graph, Target: "c", Graphs: graphs}, s))
		target := r.Changes.Target
		text, err := json.Marshal(target.Contributions)
		if err != nil || target.GivenGraph || target.Replicates != 40 {
			t.Fatal(err, target)
		}
		if x := target.Contributions[0]; *x.Low > 0.1 || *x.High < 2 {
			t.Errorf("%s contributes %v to %v", x.Name, *x.Low, *x.High)
		}
		if said == "" {
			said = string(text)
		} else if said != string(text) {
			t.Errorf("%s, and before %s", text, said)
		}
	}
}
