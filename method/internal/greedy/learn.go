package greedy

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// A Table is a table under a local score that describes the edges of a graph.
type Table interface {
	// Describe adds the facts of the directed edges g to an answer and reorders it to the columns of the input.
	Describe(a *method.Answer, g *graph.Graph)
}

// Answer converts the result of a search to the answer of a method, described by the table.
func Answer(ctx context.Context, found *Result, t Table) *method.Answer {
	a := &method.Answer{Graph: found.Class.Mixed(), Score: found.Score, Status: method.Converged}
	if !found.Whole {
		a.Status, a.Cause = method.Canceled, method.Why(context.Cause(ctx))
	}
	if found.Cut > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("only %d sets of neighbors were tried for %s with many undirected edges; limit the number of neighbors with max-degree for a complete search", mostSets, names.Count(found.Cut, "column")))
	}
	t.Describe(a, a.Graph.Directed())
	return a
}

// Unread returns the empty answer of a run that was stopped before the rows were read.
func Unread(ctx context.Context, kind graph.Kind, columns int) *method.Answer {
	return &method.Answer{Graph: graph.NewMixed(kind, columns), Status: method.Canceled, Cause: method.Why(context.Cause(ctx))}
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
	s.Tell = func(pr Progress) {
		run.Tell(stage.Progress{Stage: name + ": " + pr.Phase, Step: pr.Step, Score: pr.Score, Edges: pr.Edges})
	}
	k, err := stage.Do(ctx, run, name, func(stage.Point) (*kept, bool, error) {
		found, err := Search(ctx, p, s)
		if err != nil {
			return nil, false, err
		}
		k := &kept{
			Columns: found.Class.N(), Directed: found.Class.DirectedEdges(), Undirected: found.Class.UndirectedEdges(), Parents: make([][]int, found.Member.N()),
			Score: found.Score, Steps: found.Steps, Cut: found.Cut, Whole: found.Whole,
		}
		for v := range k.Parents {
			k.Parents[v] = found.Member.Parents(v)
		}
		return k, found.Whole, nil
	})
	if err != nil {
		return nil, err
	}
	out := &Result{Class: graph.NewPDAG(k.Columns), Member: graph.New(k.Columns), Score: k.Score, Steps: k.Steps, Cut: k.Cut, Whole: k.Whole}
	for _, e := range k.Directed {
		out.Class.SetDirected(e.From, e.To)
	}
	for _, e := range k.Undirected {
		out.Class.SetUndirected(e.From, e.To)
	}
	for v, parents := range k.Parents {
		for _, p := range parents {
			out.Member.AddEdge(p, v)
		}
	}
	return out, nil
}
