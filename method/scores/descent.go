package scores

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/search"
)

// Descent returns the graph that one descent over orders finds, in the order of the score. It enforces prior knowledge even if the context
// ends.
func (t *ScoredTable) Descent(ctx context.Context, run *stage.Run, name string) (*graph.Graph, error) {
	return t.descent(ctx, run, name, nil)
}

// Along is Descent with the order of the columns given, causes first: it selects the parents of each column among earlier ones.
func (t *ScoredTable) Along(ctx context.Context, run *stage.Run, name string, order []int) (*graph.Graph, error) {
	tiers := make([]int, len(order))
	for i, v := range order {
		tiers[v] = i
	}
	return t.descent(ctx, run, name, tiers)
}

func (t *ScoredTable) descent(ctx context.Context, run *stage.Run, name string, tiers []int) (*graph.Graph, error) {
	p, s := search.Problem{Score: t.Score}, search.DefaultSettings()
	if t.Model == Linear { // the same scores with less work
		p = gaussian.Problem(t.In.Moments)
		s = t.price(s)
	}
	p.Knowledge = t.Knowledge()
	p.Knowledge.Tiers = tiers
	s.Restarts, s.Exact, s.Adapt, s.Seed, s.Threads, s.CacheBytes = 0, 0, false, t.In.Seed, t.In.Threads, CacheBytes(len(t.Order))
	found, err := Search(ctx, run, name, p, s, Tell(run, name, 0))
	if err != nil {
		return nil, err
	}
	return graph.FromParents(found.Parents), nil
}

// Search is one search over orders as a stage of a run.
func Search(ctx context.Context, run *stage.Run, name string, p search.Problem, s search.Settings, tell func(search.Progress)) (*search.Result, error) {
	return stage.Do(ctx, run, name, func(at stage.Point) (*search.Result, bool, error) {
		s.Pause, s.Resume = at.Pause, at.Resume
		found, err := search.Search(ctx, p, s, tell)
		return found, err == nil && found.Status != search.Stopped, err
	})
}

// Tell returns a function that reports the progress of a search with the given number of restarts.
func Tell(run *stage.Run, name string, restarts int) func(search.Progress) {
	return func(pr search.Progress) {
		run.Tell(stage.Progress{
			Stage: name + ": " + pr.Stage.String(), Step: pr.Round, Steps: max(0, restarts), Score: pr.Score, Edges: pr.Edges,
			Untraced: pr.Stage < search.Descent, // earlier stages have another penalty
		})
	}
}

// CacheBytes limits the memory of a search's cache of parent sets. A full cache is emptied, which changes no result. For a dense
// graph (d = 1000, 4d edges) an unbounded search keeps 361 MB, and this limit makes it evaluate 15 % more parent sets. A sparse
// graph (2d edges) does not reach the limit.
func CacheBytes(columns int) int64 {
	return min(search.DefaultSettings().CacheBytes, 16<<20+int64(columns)<<16)
}

// Knowledge returns the prior knowledge in the order of the score. Contexts have no parents.
func (t *ScoredTable) Knowledge() (k search.Knowledge) {
	in := t.In.Knowledge
	if t.Contexts != nil {
		k.Forbidden = func(_, j int) bool { return t.IsContext(j) }
	}
	if in == nil {
		return k
	}
	place := t.Place()
	k.Forbidden = func(i, j int) bool {
		if t.IsContext(i) || t.IsContext(j) {
			return t.IsContext(j)
		}
		return in.Forbidden(t.Order[i], t.Order[j])
	}
	if cost := in.Cost(); cost != nil {
		k.Prior = func(i, j int) float64 {
			if t.IsContext(i) || t.IsContext(j) {
				return 0
			}
			return cost(t.Order[i], t.Order[j])
		}
	}
	for _, e := range in.Required() {
		k.Required = append(k.Required, [2]int{place[e.From], place[e.To]})
	}
	return k
}

// inputs has the inputs of the table in the order of the score.
func (t *ScoredTable) inputs() (out []bool) {
	if inputs := t.In.Inputs(); inputs != nil {
		for _, v := range t.Order {
			out = append(out, v < len(inputs) && inputs[v])
		}
	}
	return out
}
