// Package enco is ENCO: it learns a graph from interventions, with a probability for each edge and for each direction and no acyclicity
// constraint.
//
// Experimental: the API of this package may change before 1.0.
package enco

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "enco"

// Method has the settings. The defaults are those of the authors' program.
type Method struct {
	Epochs     int
	FitSteps   int
	GraphSteps int
	Graphs     int
	Batch      int
	Hidden     int
	Sparsity   float64
	Rate       float64
	EdgeRate   float64
	OrderRate  float64
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Epochs: 30, FitSteps: 1000, GraphSteps: 100, Graphs: 100, Batch: 128, Hidden: 64, Sparsity: 0.004, Rate: 0.005, EdgeRate: 0.02, OrderRate: 0.1}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "ENCO: edge and direction probabilities from interventions, one neural network per column",
		About:     "For tables with interventions on most columns (targets), categorical or numeric. Networks are fitted to rows without interventions; an edge is kept if it predicts the rows with interventions. Directions between columns without interventions are not identified. The order search with targets is faster (lab/docs/methods.md).",
		Reference: "Lippe, Cohen and Gavves (2022), Efficient neural causal discovery without acyclicity constraints",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: true, Knowledge: true, Categories: true, Environments: true,
		Unweighted: "its networks are fitted to batches of rows",
	}
}

func (m *Method) Params(s *param.Set) {
	s.Int(&m.Epochs, "epochs", "number of times that networks and graph are fitted in turn", param.AtLeast(1), param.AtMost(100000))
	s.Int(&m.FitSteps, "fit-steps", "steps of the networks per epoch", param.AtLeast(1))
	s.Int(&m.GraphSteps, "graph-steps", "steps of the edge probabilities per epoch", param.AtLeast(1))
	s.Int(&m.Graphs, "graphs", "random graphs per step of the edge probabilities", param.AtLeast(2), param.AtMost(1<<16))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Hidden, "hidden", "hidden units of the network of a column", param.AtLeast(1), param.AtMost(1000))
	s.Float(&m.Sparsity, "sparsity", "penalty per edge: how much an edge must raise the mean log-likelihood of a row", param.AtLeast(0))
	s.Float(&m.Rate, "rate", "learning rate of the networks", param.Above(0))
	s.Float(&m.EdgeRate, "edge-rate", "learning rate of the edges", param.Above(0))
	s.Float(&m.OrderRate, "order-rate", "learning rate of the directions", param.Above(0))
}

// Cost assumes four values per column. The steps of the edge probabilities take most of the time.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d, h := float64(columns), float64(m.Hidden)
	inputs := int64(columns) * 4
	networks := 4 * 4 * int64(columns) * inputs * int64(m.Hidden)
	return method.Cost{
		Bytes: networks + 8*min(int64(rows)*int64(columns), keptValues) + int64(threads)*int64(m.Graphs+columns)*rowsAtOnce*int64(m.Hidden)*8,
		State: 3 * networks / 4,
		Flops: float64(m.Epochs) * float64(m.Batch) * d * d * h * (2*float64(m.GraphSteps)*float64(m.Graphs) + 6*float64(m.FitSteps)), Columns: 200,
	}
}

// found is the saved result of the epochs.
type found struct {
	Edge, Order []float64
	Epoch       int
	Score       float64
}

// Learn fits networks and edge probabilities in turn and returns the graph of the probable edges.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	l, err := newLearner(ctx, m, in)
	switch {
	case err != nil && ctx.Err() != nil:
		return m.answer(ctx, in, &found{})
	case err != nil:
		return nil, err
	}
	f, err := stage.Do(ctx, run, name, func(at stage.Point) (*found, bool, error) {
		var last []byte
		if at.Resume != nil {
			if err := l.decode(at.Resume); err != nil {
				return nil, false, err
			}
		}
		for l.epoch < m.Epochs && ctx.Err() == nil {
			if at.Pause != nil {
				last = l.encode() // an epoch that is interrupted is made again
				at.Pause(func() []byte { return last })
			}
			run.Tell(stage.Progress{Stage: name, Kind: stage.Solve, Step: l.epoch, Steps: m.Epochs, Score: l.value})
			l.advance(ctx)
		}
		if at.Pause != nil && ctx.Err() == nil {
			last = l.encode()
		}
		if last != nil {
			at.Pause(func() []byte { return last })
		}
		return &found{l.edge.w, l.order.w, l.epoch, l.value}, l.epoch == m.Epochs, nil
	})
	if err != nil {
		return nil, err
	}
	return m.answer(ctx, in, f)
}

// answer returns the graph of the edges that are more probable than not, both to exist and in their direction. Where neither end of an
// edge has interventions the two directions are equally probable, and the edge goes where its own probability is larger. An edge that
// would close a cycle of more probable ones is omitted.
func (m *Method) answer(ctx context.Context, in *method.Input, f *found) (*method.Answer, error) {
	d := len(in.Names())
	g := in.RequiredGraph()
	a := &method.Answer{Status: method.Completed, Score: f.Score}
	if f.Epoch < m.Epochs {
		a.Cancel(ctx)
	}
	var likely []graph.Edge
	p := func(e graph.Edge) float64 { return sigmoid(f.Edge[e.From*d+e.To]) * sigmoid(f.Order[e.From*d+e.To]) }
	for i := range d {
		for j := range d {
			if f.Edge == nil || i == j || !(f.Edge[i*d+j] > 0) || in.Forbidden(i, j) {
				continue
			}
			forward := f.Order[i*d+j]
			if forward > 0 || forward == 0 && f.Edge[i*d+j] >= f.Edge[j*d+i] {
				likely = append(likely, graph.Edge{From: i, To: j})
			}
		}
	}
	slices.SortStableFunc(likely, func(a, b graph.Edge) int { return cmp.Compare(p(b), p(a)) })
	for _, e := range likely {
		if !g.Descendants([]int{e.To})[e.From] {
			g.AddEdge(e.From, e.To)
		}
	}
	a.Graph, a.Stages = g.Mixed(), []method.Stage{{Name: name, Graph: g}}
	if a.Status == method.Canceled {
		return a, nil
	}
	return curves.Explain(ctx, in, model(in), a, func(e graph.Edge) bool { return f.Order != nil && sigmoid(f.Order[e.From*d+e.To]) >= settled })
}

// settled is the probability of a direction from which on interventions identify it.
const settled = 0.9

// model returns the model that describes the edges: probability tables, linear effects, or both kinds of columns.
func model(in *method.Input) scores.Model {
	categories := 0
	for _, k := range in.Kinds {
		if discrete(k.Kind) {
			categories++
		}
	}
	switch categories {
	case 0:
		return scores.Linear
	case len(in.Kinds):
		return scores.Discrete
	}
	return scores.Mixed
}

// discrete reports whether the values of a column are categories to the networks.
func discrete(k kind.Kind) bool {
	return k == kind.Categorical || k == kind.Binary || k == kind.Ordinal
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
