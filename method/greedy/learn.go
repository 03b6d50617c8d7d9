package greedy

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/stage"
)

// A Describer is a table under a local score that describes the edges of a graph.
type Describer interface {
	// Describe adds the facts of the directed edges g to an answer and reorders it to the columns of the input.
	Describe(ctx context.Context, a *method.Answer, g *graph.Graph)
}

// Answer converts the result of a search to the answer of a method, described by the table.
func Answer(ctx context.Context, found *Result, t Describer) *method.Answer {
	a := &method.Answer{Graph: found.Class.Mixed(), Score: found.Score, Status: method.Converged}
	if !found.Whole {
		a.Cancel(ctx)
	}
	if found.Cut > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("only %d sets of neighbors were tried for %s with many undirected edges; limit the number of neighbors with max-degree for a complete search", mostSets, names.Count(found.Cut, "column")))
	}
	t.Describe(ctx, a, a.Graph.Directed())
	return a
}

// Unread returns the empty answer of a run that was stopped before the rows were read, or err if the run was not stopped.
func Unread(ctx context.Context, in *method.Input, kind graph.Kind, err error) (*method.Answer, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	return &method.Answer{Graph: graph.NewMixed(kind, len(in.Names())), Status: method.Canceled, Cause: method.Why(context.Cause(ctx))}, nil
}

// kept is a Result in a form that gob can encode.
type kept struct {
	Columns              int
	Directed, Undirected []graph.Edge
	Parents              [][]int
	Score                float64
	Steps, Cut           int
	Whole                bool
}

// Stage is Search as a stage of a run.
func Stage(ctx context.Context, run *stage.Run, name string, p Problem, s Settings) (*Result, error) {
	s.Tell = func(pr stage.Progress) {
		pr.Stage = name + ": " + pr.Stage
		run.Tell(pr)
	}
	k, err := stage.Do(ctx, run, name, func(stage.Point) (*kept, bool, error) {
		found, err := Search(ctx, p, s)
		if err != nil {
			return nil, false, err
		}
		k := &kept{
			Columns: found.Class.N(), Directed: found.Class.DirectedEdges(), Undirected: found.Class.UndirectedEdges(), Parents: gaussian.Parents(found.Member),
			Score: found.Score, Steps: found.Steps, Cut: found.Cut, Whole: found.Whole,
		}
		return k, found.Whole, nil
	})
	if err != nil {
		return nil, err
	}
	out := &Result{Class: graph.NewPDAG(k.Columns), Member: graph.FromParents(k.Parents), Score: k.Score, Steps: k.Steps, Cut: k.Cut, Whole: k.Whole}
	for _, e := range k.Directed {
		out.Class.SetDirected(e.From, e.To)
	}
	for _, e := range k.Undirected {
		out.Class.SetUndirected(e.From, e.To)
	}
	return out, nil
}
