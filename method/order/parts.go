package order

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// The equivalence class fixes some directions of a discrete model. With tens of thousands of rows, every small
// dependence counts, even those due to hidden columns. Some fixed directions are then an accident of the
// sample: of the pairs directed in both halves of CelebA-HQ, 10 % to 33 % have opposite directions. So the rows
// are split into up to mostParts parts, and each part is learned by one descent. If a part directs an edge the
// other way, its direction is not stated. A part has at least leastPart rows, because fewer rows reverse
// directions by chance.
//
// docs/explanation/models.md gives results on CelebA-HQ and on samples of networks, and the choice of the rule.
// Requiring the same direction in every part is stricter and leaves too few directions.
const (
	mostParts = 4
	leastPart = 1000
	mostPart  = 1 << 20 // rows of a part; more cost time and change little
)

// reversedInPart returns the directed edges of g that some part of the rows directs the other way. full lists
// the parents in the graph without a budget, or is nil. A budget omits dependences, which can fix directions by
// omission. So an edge that full does not direct also counts as reversed, and the parts are also learned
// without the budget. It returns nil if the parts were not learned: for scores other than counts, with
// interventions, for few rows, and after the context has ended.
func (l *searcher) reversedInPart(ctx context.Context, p search.Problem, s search.Settings, g *graph.Graph, full [][]int, stageName string) (map[graph.Edge]bool, error) {
	whole, ok := p.Score.(*score.Discrete)
	if !ok || !whole.Equivalent() || ctx.Err() != nil {
		return nil, nil
	}
	parts := min(mostParts, int(whole.Rows())/leastPart)
	if parts < 2 {
		return nil, nil
	}
	s.Restarts = 0
	class, err := graph.CPDAG(g)
	if err != nil {
		return nil, err
	}
	var fixed []graph.Edge // directed by the data, not by prior knowledge
	for _, e := range g.Edges() {
		if class.HasDirected(e.From, e.To) {
			fixed = append(fixed, e)
		}
	}
	reversed := map[graph.Edge]bool{}
	if full != nil {
		if class, err = graph.CPDAG(graph.FromParents(full)); err != nil {
			return nil, err
		}
		for _, e := range fixed {
			reversed[e] = !class.HasDirected(e.From, e.To)
		}
	}
	of := max(parts, whole.Rows()/mostPart)
	charges := []float64{s.Charge / float64(of)} // the same charge per row
	if full != nil {
		charges = append(charges, 0) // also learn the parts without a budget
	}
	for i := range parts * len(charges) {
		k := i % parts
		part, err := whole.Part(k, of)
		if err != nil || part == nil {
			return nil, err
		}
		name := fmt.Sprintf("%s/part-%d", stageName, i+1)
		p.Score, s.Charge = part, charges[i/parts]
		if p.Validate() != nil { // a part may have too few rows for the required parents
			return nil, nil
		}
		found, err := scores.Search(ctx, l.run, name, p, s, func(pr search.Progress) {
			l.run.Tell(stage.Progress{Stage: name, Score: pr.Score, Edges: pr.Edges, Untraced: true})
		})
		if err != nil {
			return nil, err
		}
		if found.Status == search.Stopped {
			l.note(found)
			return nil, nil
		}
		if class, err = graph.CPDAG(graph.FromParents(found.Parents)); err != nil {
			return nil, err
		}
		for _, e := range fixed {
			reversed[e] = reversed[e] || class.HasDirected(e.To, e.From)
		}
	}
	return reversed, nil
}
