package posterior

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	local "github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
)

// Start returns the answer before any graph was drawn: the required edges.
func Start(in *method.Input, total func(*graph.Graph) float64) *method.Answer {
	g := in.RequiredGraph()
	return &method.Answer{Graph: g.Mixed(), Status: method.Completed, Score: total(g)}
}

// Total returns the function that computes minus twice the log of prior and marginal likelihood of a graph.
func Total(bge *score.BGe) func(*graph.Graph) float64 {
	return func(g *graph.Graph) float64 { return local.Total(bge.Evaluator(), g) }
}

// Complete adds drawn DAGs to the answer of the named stage. total returns minus twice the log posterior of a DAG. The answer gets the DAG
// for which it is least, and all of them as the posterior. The weights are proportional to exp(-total/2), or equal.
func Complete(a *method.Answer, name string, graphs []*graph.Graph, total func(*graph.Graph) float64, equal bool, p method.Posterior) {
	scores := make([]float64, len(graphs))
	for i, g := range graphs {
		scores[i] = total(g)
	}
	a.Score = slices.Min(scores)
	g := graphs[slices.Index(scores, a.Score)]
	a.Graph, a.Stages = g.Mixed(), []method.Stage{{Name: name, Graph: g}}
	sum := 0.0
	for i, s := range scores {
		w := 1.0
		if !equal {
			w = math.Exp((a.Score - s) / 2)
		}
		p.Graphs, p.Weights = append(p.Graphs, graphs[i].Edges()), append(p.Weights, w)
		sum += w
	}
	for i := range p.Weights {
		p.Weights[i] /= sum
	}
	if n := effective(p.Weights); n < fewGraphs {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the edge probabilities are those of effectively %.1f graphs and too extreme; draw more, or use the posterior of another method", n))
	}
	a.Posterior = &p
}

// fewGraphs is the effective number of graphs below which a warning says that there are few.
const fewGraphs = 10

// effective returns the number of equal weights with the same variance.
func effective(weights []float64) float64 {
	squares := 0.0
	for _, w := range weights {
		squares += w * w
	}
	return 1 / squares
}

// Ended sets the status of an answer whose steps may have been interrupted.
func Ended(ctx context.Context, a *method.Answer, s steps.State, steps int) *method.Answer {
	if s.Done() < steps {
		a.Cancel(ctx)
	}
	return a
}
