package confidence_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// verdicts learns from a table with the given columns, and returns the result.
func verdicts(t *testing.T, names []string, x *matrix.Dense[float64]) *polydag.Result {
	t.Helper()
	res := must.Get(prepared(t, names, x, nil).Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
	return res
}

// TestUnrelatedColumnsChangeNoVerdict adds five unrelated counts that fail the checks. The verdicts,
// probabilities and directions of the other edges must not change.
func TestUnrelatedColumnsChangeNoVerdict(t *testing.T) {
	for model, change := range map[string]func(*sim.Settings){
		"linear": func(c *sim.Settings) { c.Nodes, c.Degree, c.Standardize = 12, 3, true },
		"mixed":  func(c *sim.Settings) { c.Nodes, c.Degree, c.Mechanism = 10, 3, sim.Mixed },
	} {
		cfg := sim.Default()
		cfg.Seed = 11
		change(&cfg)
		m := must.Get(sim.New(cfg))
		x := m.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000)
		rng := rand.New(rand.NewPCG(11, 11))
		names, wide := slices.Clone(m.Names()), matrix.New[float64](x.Rows, x.Cols+5)
		for j := range 5 {
			names = append(names, fmt.Sprintf("visits%d", j))
		}
		for i := range x.Rows {
			copy(wide.Row(i), x.Row(i))
			for j := range 5 {
				wide.Set(i, x.Cols+j, poisson(1.5, rng))
			}
		}
		before, after := verdicts(t, m.Names(), x), verdicts(t, names, wide)
		of := map[polydag.Link]polydag.Edge{}
		for _, e := range after.Edges {
			of[e.Link] = e
		}
		if len(before.Edges) < 8 {
			t.Fatalf("%s: %d edges", model, len(before.Edges))
		}
		for _, e := range before.Edges {
			o, ok := of[e.Link]
			if !ok {
				t.Errorf("%s: %s → %s is gone or reversed", model, e.From, e.To)
				continue
			}
			if o.Verdict != e.Verdict || !(math.Abs(o.Confidence-e.Confidence) <= 0.02) || !(math.Abs(o.PDirection-e.PDirection) <= 0.02) {
				t.Errorf("%s: %s → %s: %+v, was %+v", model, e.From, e.To, o.Judgement, e.Judgement)
			}
		}
	}
}

// TestMonthsHaveNoSquare uses a table like airquality, whose months are numbers without an order. The model
// must treat them as categories, and no check may mention the square of the month.
func TestMonthsHaveNoSquare(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	x := matrix.New[float64](400, 4)
	heat := []float64{-1, 1.5, -2, 2, 0}
	for i := range x.Rows {
		month := rng.IntN(5)
		temperature := 75 + 6*heat[month] + 3*rng.NormFloat64()
		wind := 10 + 3*rng.NormFloat64()
		copy(x.Row(i), []float64{40 + 2*(temperature-75) - 2*wind + 8*rng.NormFloat64(), wind, temperature, float64(5 + month)})
	}
	res := verdicts(t, []string{"Ozone", "Wind", "Temp", "Month"}, x)
	at := false
	for _, e := range res.Edges {
		at = at || e.From == "Month" || e.To == "Month"
	}
	if !at {
		t.Fatalf("Month has no edge: %+v", res.Edges)
	}
	for _, a := range res.Assumptions {
		if strings.Contains(a.Sentence, "of Month explains") {
			t.Errorf("%s", a.Sentence)
		}
	}
}

// TestKnownDirectionIsCertain checks that prior knowledge gives a direction the probability 1, even if checks
// fail.
func TestKnownDirectionIsCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	x := matrix.New[float64](500, 2)
	for i := range x.Rows {
		a := rng.NormFloat64()
		copy(x.Row(i), []float64{a, a + 0.5*a*a + rng.NormFloat64()})
	}
	table := prepared(t, []string{"a", "b"}, x, nil)
	cfg := polydag.DefaultConfig()
	cfg.Knowledge = knowledge.Spec{Tiers: [][]string{{"a"}, {"b"}}}
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	if len(res.Edges) != 1 || res.Edges[0].From != "a" || res.Edges[0].PDirection != 1 || res.Edges[0].Evidence[0].Source != trust.FromKnowledge || res.Edges[0].Verdict != polydag.Directed {
		t.Errorf("%+v", res.Edges)
	}
}

// TestDerivedDirectionIsNotCertain checks that a direction between two columns of one tier, which follows from a tier and the
// other edges, is not attributed to prior knowledge alone and has a probability below 1.
func TestDerivedDirectionIsNotCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	x := matrix.New[float64](800, 3)
	for i := range x.Rows {
		a := rng.NormFloat64()
		b := 2*a + rng.NormFloat64()
		copy(x.Row(i), []float64{a, b, b + 3*rng.NormFloat64()})
	}
	table := prepared(t, []string{"a", "b", "c"}, x, nil)
	cfg := polydag.DefaultConfig()
	cfg.Knowledge = knowledge.Spec{Tiers: [][]string{{"a"}, {"b", "c"}}}
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	want := map[string]trust.Basis{"a b": trust.ByKnowledge, "b c": trust.ByKnowledgeAndModel}
	for _, e := range res.Edges {
		if e.Basis != want[e.From+" "+e.To] || (e.PDirection == 1) != (e.Basis == trust.ByKnowledge) {
			t.Errorf("%+v", e)
		}
	}
	if len(res.Edges) != 2 {
		t.Errorf("%+v", res.Edges)
	}
}

// TestConsensusKeepsTheGains checks that the score gain of an edge is the same in the consensus graph as in the learned one if
// both have the same parents.
func TestConsensusKeepsTheGains(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	x := matrix.New[float64](300, 3)
	for i := range x.Rows {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		copy(x.Row(i), []float64{a, b, b + rng.NormFloat64()})
	}
	table := prepared(t, []string{"a", "b", "c"}, x, nil)
	set := confidence.DefaultSettings()
	set.Replicates = 5
	gains := func(form trust.ConsensusForm) map[polydag.Link]float64 {
		set.Graph = form
		res := must.Get(confidence.Learn(context.Background(), table, polydag.DefaultConfig(), set, polydag.Run{}))
		out := map[polydag.Link]float64{}
		for _, e := range res.Edges {
			out[e.Link] = e.Gain
		}
		return out
	}
	learned, consensus := gains(trust.NoConsensus), gains(trust.ConsensusDAG)
	if len(learned) == 0 || len(consensus) != len(learned) {
		t.Fatalf("%v and %v", learned, consensus)
	}
	for e, gain := range learned {
		if got, ok := consensus[e]; !ok || !(math.Abs(got-gain) <= 1e-6) {
			t.Errorf("%v: gain %v, and %v in the consensus", e, gain, got)
		}
	}
}
