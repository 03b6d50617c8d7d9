package continuous

import (
	"context"
	"math"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/search"
)

// learner is the state of one call of Learn after the relaxation.
type learner struct {
	*Method
	*relaxed
	in       *method.Input
	run      *stage.Run
	p        search.Problem
	required []graph.Edge
	answer   method.Answer
}

// found is the result of the swaps. Its fields are exported for gob.
type found struct {
	Order   []int
	Parents [][]int
	Cut     bool // the context ended first
	Cause   string
}

func (l *learner) learn(ctx context.Context) (*method.Answer, error) {
	l.answer.Status, l.answer.Cause = l.Status, l.Cause
	if l.Warning != "" {
		l.answer.Warnings = []string{l.Warning}
	}
	l.required = l.in.Required()
	kept := l.continuous()
	order, err := kept.Order()
	if err != nil {
		return nil, err
	}
	first := &found{Order: order, Parents: gaussian.Parents(l.in.RequiredGraph())}
	chosen := method.Choice{Setting: "variance", Requested: string(l.Variance), Chosen: string(l.Variance)}
	if l.Variance == Auto {
		chosen.Chosen = string(Unequal)
	}
	if l.Status == method.Canceled {
		return l.finish(&found{Parents: gaussian.Parents(kept)}, chosen)
	}
	var best *found
	if best, err = l.improve(ctx, first, false); err != nil {
		return nil, err
	}
	if !best.Cut && l.Variance != Unequal {
		if best, err = l.chooseVariance(ctx, best, &chosen); err != nil {
			return nil, err
		}
	}
	return l.finish(best, chosen)
}

// continuous records the result of the relaxation and returns its graph without cycles. If the relaxation was
// stopped early, it uses the smallest threshold that gives a DAG, because there are too many edges to test.
func (l *learner) continuous() *graph.Graph {
	w := inUnits(l.W, l.in.Moments.Std())
	c := &method.Continuous{W: w, Steps: l.Steps, H: l.H, Thresholded: support(l.W, l.required)}
	l.answer.Continuous = c
	kept := c.Thresholded
	switch {
	case l.Status == method.Canceled:
		must := l.in.RequiredGraph()
		_, kept = graph.SmallestAcyclicThreshold(w.Rows, func(i, j int) float64 {
			if must.HasEdge(i, j) {
				return math.Inf(1)
			}
			return l.W.At(i, j)
		})
		c.Thresholded = kept
	case !kept.IsAcyclic():
		kept, c.Cut = cut(c.Thresholded, l.W, l.required)
	}
	c.HThreshold = weighted.Restricted(&acyclic.LogDet[float64]{Threads: l.in.Threads}, l.W, c.Thresholded)
	l.answer.Stages = []method.Stage{l.stage(name, kept)}
	l.answer.Stages[0].H = &c.H
	return kept
}

// stage describes a graph, with its BIC unless its parents are collinear.
func (l *learner) stage(name string, g *graph.Graph) method.Stage {
	st := method.Stage{Name: name, Graph: g}
	if bic, err := gaussian.BIC(l.p, l.searchSettings(), g); err == nil {
		st.Score = &bic
	}
	return st
}

// searchSettings pass the penalty per edge to the functions of the order search.
func (l *learner) searchSettings() search.Settings { return l.Price.Apply(search.DefaultSettings()) }

// fits returns the cache of regressions.
func (l *learner) fits() *fits {
	f := newFits(l.p.R, l.p.N, l.searchSettings().EdgePenalty(l.p.N, l.p.R.Rows))
	f.forbidden, f.required = l.in.ForbiddenMask(), gaussian.Parents(l.in.RequiredGraph())
	return f
}

// improve refits every column along the order and makes swaps, as a resumable stage.
func (l *learner) improve(ctx context.Context, from *found, equal bool) (*found, error) {
	stageName := name + "-" + string(l.End)
	if equal {
		stageName += "-equal"
	}
	out, err := stage.Do(ctx, l.run, stageName, func(at stage.Point) (*found, bool, error) {
		s, err := l.open(from, equal, at.Resume)
		if err != nil {
			return nil, false, err
		}
		between := func() {
			l.run.Tell(stage.Progress{Stage: stageName, Kind: stage.Search, Step: s.moves, Score: s.objective(), Edges: s.edges()})
			if at.Pause != nil && s.resumable {
				at.Pause(s.encode)
			}
		}
		whole := true
		if at.Resume == nil || equal {
			s.refit(ctx)
			whole = ctx.Err() == nil
		}
		if whole && equal {
			s.assumeEqual(l.p.Scale)
		}
		switch {
		case whole && l.End == Swaps:
			whole = s.improve(ctx, l.in.Seed, between)
		case whole && equal:
			s.refit(ctx)
			whole = ctx.Err() == nil
		}
		out := &found{Order: s.order, Parents: s.parents(), Cut: !whole}
		if !whole {
			out.Cause = method.Why(ctx.Err())
		}
		return out, whole, nil
	})
	if err != nil {
		return nil, err
	}
	if out.Cut {
		l.answer.Status, l.answer.Cause = method.Canceled, out.Cause
	}
	l.answer.Stages = append(l.answer.Stages, l.stage(stageName, graph.FromParents(out.Parents)))
	return out, nil
}

// open starts at the given graph, or at the state of an interrupted run.
func (l *learner) open(from *found, equal bool, resume []byte) (*swaps, error) {
	f := l.fits()
	if resume != nil && !equal {
		return decode(f, resume)
	}
	return newSwaps(f, from.Order, from.Parents), nil
}

// finish returns the answer for the graph.
func (l *learner) finish(f *found, variance method.Choice) (*method.Answer, error) {
	scores, _, err := search.Evaluate(l.p, l.searchSettings(), f.Parents)
	if err != nil {
		return nil, err
	}
	a := &l.answer
	a.Score, a.Identified = scores.Unequal, variance.Chosen == string(Equal)
	if a.Identified {
		a.Score = scores.Equal
	}
	a.Graph = graph.FromParents(f.Parents).Mixed()
	a.Choices = []method.Choice{variance}
	a.Price = l.searchSettings().EdgePenalty(l.p.N, l.p.R.Rows)
	return a, nil
}
