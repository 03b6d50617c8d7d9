package confidence_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/trust"
)

// TestTurnedGraph checks that by default the result has the adjacencies of the graph of the whole table, and
// that only edges with a more frequent opposite direction are reversed. It survives a round trip.
func TestTurnedGraph(t *testing.T) {
	_, table := simulated(t, 600, 0, func(c *sim.Settings) {
		c.Nodes, c.Edges, c.Mechanism, c.LevelsHigh, c.Concentration = 10, 16, sim.Discrete, 3, 1
	})
	s := settings(40)
	res := learned(t, table, s, 2, polydag.Run{})
	s.Graph, s.Replicates = trust.NoConsensus, 2
	full := learned(t, table, s, 2, polydag.Run{})
	c := res.Confidence
	if c.Graph != trust.TurnedGraph || len(c.Turned) == 0 || full.Confidence.Graph != trust.NoConsensus || full.Confidence.Turned != nil {
		t.Fatalf("graph %s with %d turned edges, and %s", c.Graph, len(c.Turned), full.Confidence.Graph)
	}
	if len(res.Edges) != len(full.Edges) || !res.Certificate.Holds {
		t.Fatalf("%d edges, %d of the whole table; holds %v", len(res.Edges), len(full.Edges), res.Certificate.Holds)
	}
	frequency := map[polydag.Link]float64{}
	for _, p := range c.Pairs {
		frequency[p.Link] = p.Frequency
	}
	was, is := map[polydag.Link]bool{}, map[polydag.Link]bool{}
	for _, e := range full.Edges {
		was[e.Link] = true
	}
	for _, e := range res.Edges {
		is[e.Link] = true
		if e.Confidence == 0 {
			t.Errorf("%s → %s has no confidence", e.From, e.To)
		}
	}
	turned := map[polydag.Link]bool{}
	for _, e := range c.Turned {
		back := polydag.Link{From: e.To, To: e.From}
		turned[back] = true
		if !is[e] || !was[back] || frequency[e] <= frequency[back] {
			t.Errorf("%s → %s: %v of the replicates, and %v the other way", e.From, e.To, frequency[e], frequency[back])
		}
	}
	for e := range was {
		if is[e] == turned[e] {
			t.Errorf("%s → %s: turned %v, there %v", e.From, e.To, turned[e], is[e])
		}
	}
	var b bytes.Buffer
	must.Succeed(t, json.NewEncoder(&b).Encode(res))
	back, err := polydag.ReadResult(&b)
	if err != nil || text(t, back) != text(t, res) {
		t.Errorf("another result when it is read again: %v", err)
	}
	if err := errors.Join(confidence.SameGraph(full, res), confidence.SameGraph(res, full), confidence.SameGraph(res, res)); err != nil {
		t.Error(err)
	}
	fewer := *full
	fewer.Edges = fewer.Edges[1:]
	if err := confidence.SameGraph(&fewer, res); !errors.Is(err, confidence.ErrOtherGraph) {
		t.Errorf("a graph with one edge less is the same: %v", err)
	}
}
