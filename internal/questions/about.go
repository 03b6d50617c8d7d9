package questions

import (
	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/knowledge"
)

// About returns the dialogue about a result, and the prior knowledge it was learned with.
func About(res *polydag.Result) (*Dialogue, knowledge.Spec, error) {
	cfg, err := confidence.Restore(res)
	if err != nil {
		return nil, knowledge.Spec{}, err
	}
	same := cfg.Knowledge
	if res.Time != nil {
		same = polydag.SameTime(same)
	}
	known, err := same.Resolve(res.Names)
	if err != nil {
		return nil, knowledge.Spec{}, err
	}
	place := names.Index(res.Names)
	var edges []Edge
	for _, e := range res.Edges {
		own := Edge{Edge: graph.Edge{From: place[e.From], To: place[e.To]}, Adjacent: e.PAdjacent, Direction: e.PDirection}
		if e.Verdict == "" { // a graph without probabilities
			own.Adjacent, own.Direction = 1, 0.5
		}
		edges = append(edges, own)
	}
	q, err := New(res.Names, edges, known)
	if err == nil {
		q.likely = likelyRoots(Columns(res))
	}
	return q, cfg.Knowledge, err
}
