// Package anm directs the edges of a graph by additive noise models. If an effect is nonlinear, only the true
// direction leaves a residual that is independent of the cause.
//
// Experimental: the API of this package may change before 1.0.
package anm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "anm"

// Skeleton is the source of the edges.
type Skeleton string

const (
	Curves Skeleton = "smooth" // one descent over orders with nonlinear effects
	Class  Skeleton = "ges"    // the equivalence class of a linear model
)

// Method has the settings.
type Method struct {
	Skeleton Skeleton
	Alpha    float64
}

// New returns the method with its defaults.
func New() *Method { return &Method{Skeleton: Curves, Alpha: 0.02} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "additive noise models: orients edges by nonlinear effects",
		About:     "For pairs of numeric columns, and to orient a given skeleton. If an effect is nonlinear, the residual is independent of the cause only in the true direction. Edges stay undirected if the effect is linear, if both directions fit, or if neither does. With moments instead of rows, all edges stay undirected.",
		Reference: "Hoyer, Janzing, Mooij, Peters and Schölkopf (2009), Nonlinear causal discovery with additive noise models; Gretton, Fukumizu, Teo, Song, Schölkopf and Smola (2008), A kernel statistical test of independence",
		Needs:     method.Either, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
		Unweighted: "its test of residuals takes every row as one observation",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Skeleton, "skeleton", "source of the skeleton: smooth (one descent of the order search with nonlinear effects) or ges (equivalence class of a linear model)", Curves, Class)
	s.Float(&m.Alpha, "alpha", "significance level of the test of dependence between residual and cause", param.Above(0), param.Below(1))
}

// Cost counts the functions of all columns and the tests of two residuals per edge.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d := float64(columns)
	s := scores.Fixed(scores.Smooth)
	return method.Cost{
		Bytes: s.Bytes(rows, columns) + method.Matrices(3, 8*columns, 64) + int64(threads)*16*testedRows*testedRows,
		Flops: 1e6 * d * d, Columns: 500,
	}
}

// Learn finds the edges and then directs them.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	why := unseen(in)
	t, g, err := m.skeleton(ctx, in, run, why == "")
	if err != nil {
		return greedy.Unread(ctx, in, graph.KindDAG, err)
	}
	a := &method.Answer{Status: method.Converged, Stages: []method.Stage{{Name: name + "-skeleton", Graph: g}}}
	choice := method.Choice{Setting: "directions", Requested: "residuals", Chosen: "open", Reason: why}
	var findings []Finding
	if why == "" && ctx.Err() == nil {
		if findings, err = m.findings(ctx, in, run, g); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		a.Cancel(ctx)
		choice.Reason = "the run was stopped before the residuals were tested"
	}
	told := map[graph.Edge]bool{}
	if findings != nil {
		var count [Turned + 1]int
		var cyclic int
		for _, f := range findings {
			count[f]++
		}
		g, told, cyclic = turn(g, findings, in)
		if len(told) > 0 {
			choice.Chosen = "residuals"
		}
		choice.Reason = fmt.Sprintf("residuals identify the direction of %[2]d of %[1]d edges; %[3]d are linear both ways, %[4]d fit in both directions or neither, and %[5]d would close a cycle or contradict prior knowledge",
			len(findings), len(told), count[Straight], count[Undecided], cyclic)
	}
	a.Choices, a.Graph = []method.Choice{choice}, g.Mixed()
	a.Score = scores.Total(t.Score.Evaluator(), g)
	t.Describe(ctx, a, g)
	a.Identified = findings != nil // by the residuals, not by the score
	for i := range a.Edges {
		e := &a.Edges[i]
		switch {
		case findings == nil:
			e.Direction = method.DirectionUnstated
		case told[e.Edge]:
			e.Direction = method.DirectionSettled
		default:
			e.Direction = method.DirectionOpen
		}
	}
	return a, nil
}

// skeleton returns the graph whose edges will be directed, in the order of the input.
func (m *Method) skeleton(ctx context.Context, in *method.Input, run *stage.Run, rows bool) (*scores.ScoredTable, *graph.Graph, error) {
	s := scores.Fixed(scores.Linear)
	if rows && m.Skeleton == Curves {
		s.Model = scores.Smooth
	}
	t, err := s.Table(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	if s.Model == scores.Smooth {
		g, err := t.Descent(ctx, run, name+"-skeleton")
		return t, g, err
	}
	class, err := greedy.Stage(ctx, run, name+"-skeleton", greedy.Problem{Score: t.Score, Knowledge: greedy.Arranged(in.Knowledge, t.Order)}, greedy.Settings{Turning: true, Threads: in.Threads})
	if err != nil {
		return nil, nil, err
	}
	return t, class.Member, nil
}

// findings tests the residuals of every edge. It returns nil if the context ended.
func (m *Method) findings(ctx context.Context, in *method.Input, run *stage.Run, g *graph.Graph) ([]Finding, error) {
	return stage.Do(ctx, run, name, func(stage.Point) ([]Finding, bool, error) {
		run.Tell(stage.Progress{Stage: name + ": residuals", Edges: g.NumEdges(), Untraced: true})
		o, err := newOrienter(in.Names(), in.Sample, in.SampleWeight(), m.Alpha, in.Threads)
		if err != nil {
			return nil, false, err
		}
		found, whole := o.all(ctx, g, in.Threads)
		if !whole {
			return nil, false, nil
		}
		return found, true, nil
	})
}

// turn reverses the edges whose residuals support the other direction, unless that closes a cycle or violates
// knowledge. It also returns the edges whose direction the residuals identify, and the number of reversals that
// were not possible.
func turn(g *graph.Graph, findings []Finding, in *method.Input) (out *graph.Graph, told map[graph.Edge]bool, left int) {
	required := in.RequiredGraph()
	out, told = g.Clone(), map[graph.Edge]bool{}
	for k, e := range g.Edges() {
		switch findings[k] {
		case AsIs:
			told[e] = true
		case Turned:
			back := graph.Edge{From: e.To, To: e.From}
			out.RemoveEdge(e.From, e.To)
			if required.HasEdge(e.From, e.To) || in.Forbidden(back.From, back.To) || out.HasPath(e.From, e.To) {
				out.AddEdge(e.From, e.To)
				left++
				continue
			}
			out.AddEdge(back.From, back.To)
			told[back] = true
		}
	}
	return out, told, left
}

// unseen returns the reason why residuals cannot be tested, or "".
func unseen(in *method.Input) string {
	switch {
	case in.Rows == nil:
		return cmp.Or(in.NoRows, "only moments are known")
	case in.Sample == nil:
		return "the rows were not looked at"
	case in.Sample.Rows() < leastRows:
		return fmt.Sprintf("%d rows are too few to test residuals on; %d are the least", in.Sample.Rows(), leastRows)
	}
	for _, k := range in.Kinds {
		if k.Kind != kind.Continuous {
			return fmt.Sprintf("column %s is %s (%s), and noise is not added to levels", k.Name, k.Kind, k.Reason)
		}
	}
	return ""
}
