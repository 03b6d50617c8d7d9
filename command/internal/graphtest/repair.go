package graphtest

import (
	"context"

	"github.com/polydag/polydag/graph"
)

// A Change is a proposed change of one edge: "add From → To", or "reverse From → To".
type Change struct {
	Do string `json:"do"` // add or reverse
	graph.Link
	// Refuted is the number of refuted conditions after this change and those before it.
	Refuted int `json:"refuted"`
}

// mostChanges bounds the number of proposed changes.
const mostChanges = 20

// repair returns changes that remove the refuted conditions. Each is the single change that leaves the fewest: adding an edge
// between the two columns of a refuted condition, or reversing an edge at one of them.
func (t *tester) repair(ctx context.Context, g *graph.Graph, level float64) ([]Change, error) {
	g = g.Clone()
	var out []Change
	now := refuted(t.conditions(g), level)
	for len(now) > 0 && len(out) < mostChanges {
		best, found := Change{Refuted: len(now)}, false
		var next *graph.Graph
		try := func(do string, from, to int, h *graph.Graph) {
			if left := len(refuted(t.conditions(h), level)); left < best.Refuted {
				best, next, found = Change{do, graph.Link{From: t.names[from], To: t.names[to]}, left}, h, true
			}
		}
		tried := map[graph.Edge]bool{}
		for _, c := range now[:min(len(now), 10)] {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			h := g.Clone()
			h.AddEdge(c.x, c.y)
			try("add", c.x, c.y, h)
			for _, e := range g.Edges() {
				if tried[e] || e.From != c.x && e.To != c.x && e.From != c.y && e.To != c.y {
					continue
				}
				tried[e] = true
				h := g.Clone()
				h.RemoveEdge(e.From, e.To)
				if h.HasPath(e.From, e.To) {
					continue // the reverse would close a cycle
				}
				h.AddEdge(e.To, e.From)
				try("reverse", e.From, e.To, h)
			}
		}
		if !found {
			break
		}
		out, g = append(out, best), next
		now = refuted(t.conditions(g), level)
	}
	return out, nil
}
