package network

import (
	"context"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/solve"
)

// Found is the result of a fit: a number for each possible edge. Its fields are exported for gob.
type Found struct {
	W        *matrix.Dense[float64]
	Status   method.Status
	Cause    string
	Steps    int
	H, Score float64
}

// Stopped returns the result if the context ends before the first step.
func Stopped(ctx context.Context, columns int) *Found {
	return &Found{W: matrix.New[float64](columns, columns), Status: solve.Canceled, Cause: method.Why(context.Cause(ctx))}
}

// Answer returns the graph of the entries of W above the threshold, or above the smallest larger one that gives
// a DAG. Required edges stay. h is the constraint of the fit, for the record.
func (f *Found) Answer(in *method.Input, name string, threshold float64, h tape.Constraint) *method.Answer {
	g, tau := Threshold(in, f.W, threshold)
	c := &method.Continuous{W: f.W, Steps: f.Steps, H: f.H, Threshold: tau, Thresholded: g}
	c.HThreshold = weighted.Restricted(h, f.W, g)
	return &method.Answer{
		Graph: g.Mixed(), Status: f.Status, Cause: f.Cause, Score: f.Score,
		Stages:     []method.Stage{{Name: name, Graph: g, H: &c.H}},
		Continuous: c,
	}
}

// Threshold returns the graph of the entries above the threshold, or above the smallest larger one that gives a
// DAG, plus the required edges.
func Threshold(in *method.Input, w *matrix.Dense[float64], threshold float64) (*graph.Graph, float64) {
	must := in.RequiredGraph()
	weight := func(i, j int) float64 {
		if must.HasEdge(i, j) {
			return math.Inf(1)
		}
		return w.At(i, j)
	}
	tau, _ := graph.SmallestAcyclicThreshold(w.Rows, weight)
	tau = max(tau, threshold)
	return graph.Threshold(w.Rows, weight, tau), tau
}

// Unread returns the answer if the context ended before the table was read, only the required edges, or err if it has not ended.
func Unread(ctx context.Context, in *method.Input, name string, h tape.Constraint, err error) (*method.Answer, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	return Stopped(ctx, len(in.Names())).Answer(in, name, 0, h), nil
}
