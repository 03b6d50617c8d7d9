package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
)

// A record of confidences is valid, and every change below makes it invalid.
func TestCheckOfConfidences(t *testing.T) {
	index := map[string]int{"a": 0, "b": 1, "c": 2}
	whole := func() *Confidence {
		return &Confidence{
			Resampling: Bootstrap, Replicates: 8, Asked: 10, Failed: []Failure{{Replicate: 3}, {Replicate: 5}}, Graph: TurnedGraph, Level: 1,
			Turned:        []graph.Link{{From: "a", To: "b"}},
			Recalibration: &Recalibration{Tables: 1, Before: 1, After: 0},
			Stability:     &Stability{Threshold: 1, Selected: 2, Pairs: 2},
			Pairs: []Pair{
				{Link: graph.Link{From: "a", To: "b"}, Frequency: 1, Confidence: 1, Adjacency: 1, Ancestor: 1},
				{Link: graph.Link{From: "b", To: "a"}},
			},
		}
	}
	posterior := func() *Confidence {
		c := whole()
		c.Resampling, c.Recalibration = PosteriorGraphs, nil
		c.Posterior = &PosteriorSummary{RHat: 1, Chains: 1, Samples: 1}
		return c
	}
	low := whole()
	low.Stability.Threshold = 0.51
	valid := []*Confidence{whole(), posterior(), low}
	for _, form := range []ConsensusForm{NoConsensus, ConsensusDAG, ConsensusClass} {
		c := whole()
		c.Graph, c.Turned = form, nil
		valid = append(valid, c)
	}
	for _, c := range valid {
		if err := c.Check(index); err != nil {
			t.Fatalf("a valid record: %v", err)
		}
	}
	for what, change := range map[string]func(*Confidence){
		"unknown resampling":       func(c *Confidence) { c.Resampling = "jackknife" },
		"no posterior":             func(c *Confidence) { c.Resampling = PosteriorGraphs },
		"a posterior of samples":   func(c *Confidence) { c.Posterior = &PosteriorSummary{RHat: 1, Chains: 1, Samples: 1} },
		"unknown graph":            func(c *Confidence) { c.Graph = "tree" },
		"no reversed edges":        func(c *Confidence) { c.Turned = nil },
		"reversed edges":           func(c *Confidence) { c.Graph = ConsensusDAG },
		"no simulated table":       func(c *Confidence) { c.Recalibration.Tables = 0 },
		"negative pairs":           func(c *Confidence) { c.Recalibration.Pairs = -1 },
		"error before":             func(c *Confidence) { c.Recalibration.Before = 1.01 },
		"error after":              func(c *Confidence) { c.Recalibration.After = -0.01 },
		"negative replicates":      func(c *Confidence) { c.Replicates = -1 },
		"more than asked":          func(c *Confidence) { c.Asked = 9 },
		"level":                    func(c *Confidence) { c.Level = 1.01 },
		"unknown column":           func(c *Confidence) { c.Pairs[1].From, c.Pairs[1].To = "x", "b" },
		"unknown second column":    func(c *Confidence) { c.Pairs[1].To = "x" },
		"a column with itself":     func(c *Confidence) { c.Pairs[1].To = "b" },
		"a pair twice":             func(c *Confidence) { c.Pairs[1].Link = c.Pairs[0].Link },
		"frequency":                func(c *Confidence) { c.Pairs[1].Frequency = 1.01 },
		"confidence":               func(c *Confidence) { c.Pairs[1].Confidence = -0.01 },
		"adjacency":                func(c *Confidence) { c.Pairs[1].Adjacency = 1.01 },
		"ancestor":                 func(c *Confidence) { c.Pairs[1].Ancestor = 1.01 },
		"unknown reversed edge":    func(c *Confidence) { c.Turned[0].From = "x" },
		"reversed edge not a pair": func(c *Confidence) { c.Turned[0].To = "c" },
		"threshold of a half":      func(c *Confidence) { c.Stability.Threshold = 0.5 },
		"threshold":                func(c *Confidence) { c.Stability.Threshold = 1.01 },
		"negative edges":           func(c *Confidence) { c.Stability.Edges = -0.1 },
		"negative bound":           func(c *Confidence) { c.Stability.Bound = -0.1 },
		"negative selection":       func(c *Confidence) { c.Stability.Selected = -1 },
		"more selected than pairs": func(c *Confidence) { c.Stability.Pairs = 1 },
	} {
		c := whole()
		if change(c); c.Check(index) == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, change := range map[string]func(*PosteriorSummary){
		"R-hat":          func(p *PosteriorSummary) { p.RHat = 0.99 },
		"effective size": func(p *PosteriorSummary) { p.ESS = -1 },
		"edge odds":      func(p *PosteriorSummary) { p.EdgeOdds = -1 },
		"no chain":       func(p *PosteriorSummary) { p.Chains = 0 },
		"no sample":      func(p *PosteriorSummary) { p.Samples = 0 },
	} {
		c := posterior()
		if change(c.Posterior); c.Check(index) == nil {
			t.Errorf("posterior, %s: no error", what)
		}
	}
}

// TestPosteriorConfidence checks the shares of edges, adjacencies and paths in weighted graphs.
func TestPosteriorConfidence(t *testing.T) {
	p := &method.Posterior{
		Graphs:  [][]graph.Edge{{{From: 0, To: 1}, {From: 1, To: 2}}, {{From: 1, To: 0}}, {}},
		Weights: []float64{0.5, 0.25, 0.25}, Score: "BGe", EdgeOdds: 1. / 3,
	}
	columns := []string{"a", "b", "c"}
	c := OfPosterior(p, columns, 7)
	must.Succeed(t, c.Check(names.Index(columns)))
	if ess := 1 / (0.25 + 2*0.0625); !(math.Abs(c.Posterior.ESS-ess) <= 1e-12) || c.Posterior.Chains != 1 || c.Posterior.Samples != 3 || c.Posterior.RHat != 1 || c.Replicates != 3 || c.Seed != 7 || c.Posterior.Converged {
		t.Errorf("%+v, want an effective number of %v", c.Posterior, ess)
	}
	want := map[graph.Link][3]float64{{From: "a", To: "b"}: {0.5, 0.75, 0.5}, {From: "b", To: "a"}: {0.25, 0.75, 0.25}, {From: "b", To: "c"}: {0.5, 0.5, 0.5}, {From: "c", To: "b"}: {0, 0.5, 0}, {From: "a", To: "c"}: {0, 0, 0.5}}
	for _, q := range c.Pairs {
		if got := [3]float64{q.Frequency, q.Adjacency, q.Ancestor}; got != want[q.Link] || q.Confidence != q.Frequency {
			t.Errorf("%v: %v, want %v", q.Link, got, want[q.Link])
		}
		delete(want, q.Link)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestPairsOfAPosterior checks that pairs are listed from a share of more than 0.01, and that no share exceeds 1.
func TestPairsOfAPosterior(t *testing.T) {
	for weight, want := range map[float64]int{0.009: 0, 0.0101: 2, 0.012: 2} {
		p := &method.Posterior{Graphs: [][]graph.Edge{{{From: 0, To: 1}}, {}}, Weights: []float64{weight, 1 - weight}}
		if got := len(OfPosterior(p, []string{"a", "b"}, 1).Pairs); got != want {
			t.Errorf("an edge with a share of %v: %d pairs, want %d", weight, got, want)
		}
	}
	p := &method.Posterior{Graphs: [][]graph.Edge{{{From: 0, To: 1}}, {{From: 0, To: 1}}}, Weights: []float64{0.5 + 1e-12, 0.5}}
	if q := OfPosterior(p, []string{"a", "b"}, 1).Pairs[0]; q.Frequency != 1 || q.Adjacency != 1 || q.Ancestor != 1 {
		t.Errorf("weights that add up to more than 1 by rounding: %+v, want shares of 1", q)
	}
}
