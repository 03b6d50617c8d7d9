package order

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/internal/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Equivalence says which directions follow from the independences of a discrete model. With tens of thousands of rows every small
// dependence counts, also those that are there only because no table of attributes is a DAG without hidden columns, and
// then directions that the class fixes are an accident of these rows: of the pairs with a fixed direction in both halves of
// CelebA-HQ, a tenth to a third have opposite ones. So a direction has to be earned: the rows are dealt into four
// parts, each part is learned by itself, by one descent, and a direction that a part fixes the other way round is called doubtful.
// A part has at least leastPart rows: fewer rows of a model that holds turn directions by chance.
//
// docs/explanation/models.md has what it does to halves of CelebA-HQ and to samples of networks, and how the rule was chosen. That every part must
// fix the same direction is stricter, and leaves too few.
const (
	mostParts = 4
	leastPart = 1000
)

// reversedInPart returns the edges of g that the data direct, and direct the other way in some part of the rows. full lists the
// parents in the graph without a budget, nil where there is none: a graph that must leave dependences out has
// directions that follow from what it leaves out, so a direction that full does not fix counts as reversed too, and the parts are
// learned without the budget besides. It returns nil if the
// parts were not learned: for other scores than counts, where interventions fix directions, of few rows, and after the
// context has ended.
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
	var fixed []graph.Edge // by the data; prior knowledge fixes others
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
	charges := []float64{s.Charge / float64(parts)} // as much a row
	if full != nil {
		charges = append(charges, 0) // and the parts without a budget
	}
	for i := range parts * len(charges) {
		k := i % parts
		part, err := whole.Part(k, parts)
		if err != nil || part == nil {
			return nil, err
		}
		name := fmt.Sprintf("%s/part-%d", stageName, i+1)
		p.Score, s.Charge = part, charges[i/parts]
		if p.Validate() != nil { // the rows of a part may be too few for the parents that are required
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
