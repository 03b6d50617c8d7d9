package trust

import (
	"testing"

	"github.com/polydag/polydag/graph"
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
