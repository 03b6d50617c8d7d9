// Package grandag is GraN-DAG: it maximizes the likelihood of neural networks and reads edges from the paths
// through them.
//
// Experimental: the API of this package may change before 1.0.
package grandag

import (
	"context"
	"errors"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
	"github.com/polydag/polydag/solve"
)

const name = "gran-dag"

// level is the significance level of the pruning tests, as in the paper.
const level = 0.001

// Deviation is the model of the standard deviation of a column's noise.
type Deviation string

const (
	Network  Deviation = "network"  // a function of the parents, computed by the network: GraN-DAG
	Constant Deviation = "constant" // constant: GraN-DAG++
)

// Method has the settings. Networks, likelihood, constraint, schedule and optimizer are those of the authors'
// program. Two stages differ. Before the training, the smooth score of the order search selects candidates
// instead of random forests. After it, tests of curves of ranks prune edges instead of generalized
// additive models with splines.
type Method struct {
	Scale      network.Scale
	Deviation  Deviation
	Constraint constraint.Name
	Hidden     int
	Batch      int
	Steps      int
	Rate       float64
	HTol       float64
	Preselect  int
	Prune      bool
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{
		Scale: network.Unit, Deviation: Network, Constraint: constraint.Exponential, Hidden: 10, Batch: 64, Steps: 100000, Rate: 1e-3, HTol: 1e-8, Preselect: 50, Prune: true,
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "GraN-DAG: likelihood of one neural network per column; edges are network paths",
		About:     "For nonlinear effects with interactions and heteroscedastic noise, on tables of a few dozen columns. The order search with nonlinear effects is faster and usually more accurate (lab/docs/evidence.md).",
		Reference: "Lachapelle, Brouillard, Deleu and Lacoste-Julien (2020), Gradient-based neural DAG learning",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Knowledge: true, Continuous: true,
		Unweighted: "it stops by rows that it holds out, and a row with a large weight would be on both sides",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Scale, "scale", "scale of the columns: unit (standardized), or raw as published", network.Unit, network.Raw)
	param.Word(s, &m.Deviation, "deviation", "noise standard deviation: network (a function of the parents) or constant", Network, Constant)
	constraint.Param(s, &m.Constraint, constraint.Exponential)
	s.Int(&m.Hidden, "hidden", "units in each of the two hidden layers per column", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<20))
	s.Int(&m.Steps, "steps", "maximum number of steps", param.AtLeast(1))
	s.Float(&m.Rate, "rate", "learning rate of RMSprop", param.Above(0))
	s.Float(&m.HTol, "htol", "stop if h is below this", param.Above(0))
	s.Int(&m.Preselect, "preselect", "number of columns from which on candidate parents are preselected", param.AtLeast(2))
	s.Bool(&m.Prune, "prune", "remove edges without significant contribution to an additive model, at level 0.001")
}

// Cost counts three products per layer and step, and the constraint.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d, units := float64(columns), float64(columns*m.Hidden)
	parameters := int64(units) * int64(columns+m.Hidden+4)
	s := scores.Fixed(scores.Smooth)
	products, matrices := m.Constraint.Work(columns)
	return method.Cost{
		Bytes: s.Bytes(rows, columns) + 8*(16*parameters+int64(m.Batch+256)*int64(units)*8) + method.Matrices(6+matrices, columns, 64),
		State: 8 * 8 * parameters,
		Flops: float64(m.Steps) * (6*float64(m.Batch)*units*(d+float64(m.Hidden)) + 2*(1+products)*d*d*d), Columns: 200,
	}
}

// Learn trains the networks, thresholds the matrix of their paths and prunes the remaining edges.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	h := constraint.New[float64](m.Constraint, in.Threads)
	rows, err := network.NewRows(ctx, in, m.Scale)
	var table *scores.ScoredTable
	if err == nil {
		table, err = curves.Table(ctx, in)
	}
	if err != nil {
		return network.Unread(ctx, in, name, h, err)
	}
	found, err := m.train(ctx, in, run, rows, table, h)
	if found == nil {
		return nil, err
	}
	a := found.Answer(in, name, 0, h)
	if m.Prune && ctx.Err() == nil {
		g, bad := tests.Pruned(ctx, in, a.Graph.Directed(), level)
		switch {
		case bad == nil:
			a.Graph = g.Mixed()
			a.Stages = append(a.Stages, method.Stage{Name: name + "-pruned", Graph: g})
		case ctx.Err() == nil:
			return nil, bad
		}
	}
	if ctx.Err() != nil { // the answer is not pruned; a resumed run continues here
		a.Cancel(ctx)
		return a, err
	}
	curves.DescribeBy(ctx, table, a)
	return a, err
}

// train fits the networks, or resumes an interrupted training.
func (m *Method) train(ctx context.Context, in *method.Input, run *stage.Run, rows *network.Rows, table *scores.ScoredTable, h tape.Constraint) (*network.Found, error) {
	var failed error
	mod := model{columns: len(in.Names()), hidden: m.Hidden, constant: m.Deviation == Constant, threads: in.Threads}
	found, err := stage.Do(ctx, run, name, func(at stage.Point) (*network.Found, bool, error) {
		// The copies of a row with missing values are held out together.
		held := func(i int) bool { return i%(rows.N/in.Copied())%heldEvery == heldEvery-1 }
		training, validation := rows.Part(func(i int) bool { return !held(i) }), rows.Part(held)
		if validation.N == 0 {
			training, validation = rows, rows
		}
		graph, edges := mod.acyclic(h)
		batch := min(m.Batch, training.N)
		t := &network.Training{
			Name: name, Rows: training, Batch: batch, Steps: m.Steps, Loss: mod.loss(batch), H: graph,
			Policy: &policy{model: mod, held: network.NewSum(validation, mod.loss), rows: float64(validation.N), edges: edges, hTol: m.HTol, rate: m.Rate},
			Seed:   in.Seed, Pause: at.Pause, Tell: run.Tell,
			Theta: mod.start(in.Seed), Zero: make([]bool, mod.parameters()), Optimizer: network.RMSprop(), Rate: m.Rate, Rho: firstRho,
			Memory: newMemory(),
		}
		excluded := m.excluded(ctx, in, table)
		if ctx.Err() != nil { // candidates may be missing, so do not train with them
			return network.Stopped(ctx, mod.columns), false, nil
		}
		for e, no := range excluded {
			for k := range m.Hidden {
				t.Zero[e*m.Hidden+k] = no
			}
		}
		deep, err := device.OpenDeep(ctx, batch, mod.columns, mod.hidden, mod.constant, leak)
		if err != nil {
			return nil, false, err
		}
		if deep != nil {
			t.Away = (&away{deep: deep, columns: mod.columns}).eval
		}
		status, err := t.Run(ctx, at.Resume)
		if deep != nil {
			err = errors.Join(err, deep.Close())
		}
		if _, bad := t.Constrained(); bad != nil && err == nil {
			err = bad
		}
		failed = err
		w := matrix.New[float64](mod.columns, mod.columns)
		w.CopyFrom(edges.Value)
		return t.Found(ctx, w, status), err == nil && status != solve.Canceled, nil
	})
	switch {
	case err != nil:
		return nil, err
	case errors.Is(failed, network.ErrAway): // the checkpoint has the last state
		return nil, failed
	}
	return found, failed
}

// excluded marks the edges that prior knowledge forbids and, for wide tables, those from columns that are not
// candidates.
func (m *Method) excluded(ctx context.Context, in *method.Input, table *scores.ScoredTable) []bool {
	mask := network.Forbidden(in)
	d := len(in.Names())
	if d < m.Preselect {
		return mask
	}
	for v, candidates := range curves.Candidates(ctx, table) {
		may := make([]bool, d)
		for _, u := range candidates {
			may[u] = true
		}
		for u := range d {
			mask[u*d+v] = mask[u*d+v] || !may[u]
		}
	}
	return mask
}
