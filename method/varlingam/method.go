// Package varlingam is VAR-LiNGAM: a vector autoregression whose residuals are ordered by LiNGAM.
//
// Experimental: the API of this package may change before 1.0.
package varlingam

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/internal/lingam"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

const name = "var-lingam"

// Method has the settings.
type Method struct{ Price gaussian.Price }

// New returns the method with its defaults.
func New() *Method { return &Method{Price: scores.Fixed(scores.Linear).Price} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "VAR-LiNGAM: time series with linear effects and non-Gaussian noise",
		About:     "Regresses the present values on the past ones and orders the residuals by DirectLiNGAM. Each column gets the past and earlier present columns that pay their penalty. Without non-Gaussian noise the directions between present values are not identified, and the result says so.",
		Reference: "Hyvärinen, Zhang, Shimizu and Hoyer (2010), Estimation of a structural vector autoregression model using non-Gaussianity",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: true, Knowledge: true, Time: true,
	}
}

func (m *Method) Params(s *param.Set) { m.Price.Params(s) }

// Cost is that of the causal order.
func (m *Method) Cost(rows, columns, _ int) method.Cost { return lingam.Cost(rows, columns) }

// learned is the saved result of the stage; nil parents if the context ended.
type learned struct{ Parents [][]int }

// Learn orders the residuals of the regression on past values and selects parents along the order.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	settings := scores.Fixed(scores.Linear)
	settings.Price = m.Price
	t, err := settings.Table(ctx, in)
	if err != nil {
		return nil, err
	}
	a := &method.Answer{Status: method.Converged, Price: t.Score.Price()}
	stopped := func() (*method.Answer, error) {
		g := in.RequiredGraph()
		a.Graph = g.Mixed()
		a.Cancel(ctx)
		t.Describe(ctx, a, g)
		return a, nil
	}
	if ctx.Err() != nil {
		return stopped()
	}
	sampled, err := lingam.Sampled(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return stopped()
		}
		return nil, err
	}
	in = sampled
	if why := lingam.Unseen(in); why != "" {
		return nil, fmt.Errorf("%s; VAR-LiNGAM needs rows of continuous columns: use another method", why)
	}
	r := in.Moments.Correlation()
	found, err := stage.Do(ctx, run, name, func(stage.Point) (*learned, bool, error) {
		run.Tell(stage.Progress{Stage: name + ": causal order", Untraced: true})
		order, err := m.order(ctx, in, r)
		if err != nil || order == nil {
			return &learned{}, false, err
		}
		g := lingam.NewPruner(in, r, t.Score).Along(ctx, order)
		if g == nil {
			return &learned{}, false, nil
		}
		run.Tell(stage.Progress{Stage: name, Edges: g.NumEdges()})
		return &learned{Parents: gaussian.Parents(g)}, true, nil
	})
	if err != nil {
		return nil, err
	}
	if found.Parents == nil {
		return stopped()
	}
	g := graph.FromParents(found.Parents)
	choice := method.Choice{Setting: "noise", Requested: "free", Chosen: "free"}
	free, err := score.NewFreeNoise(r, in.Moments.N, t.Score.Price(), in.Sample.Values, in.SampleWeight())
	if err != nil || noise.NotGaussian(free.Fit(), g) == 0 {
		choice.Chosen, choice.Reason = "gaussian", "no residual differs significantly from a Gaussian; only edges compelled in the equivalence class are directed"
		if err != nil {
			choice.Reason = err.Error() + "; only edges compelled in the equivalence class are directed"
		}
		a.Graph = g.Mixed()
		a.Score = scores.Total(t.Score.Evaluator(), g)
	} else {
		settled, err := lingam.Settle(a, g, free)
		if err != nil {
			return nil, err
		}
		choice.Reason = fmt.Sprintf("the noise identifies the direction of %d of %d edges (p at most %g, corrected for the number of edges)", settled, g.NumEdges(), trust.NoiseLevel)
	}
	a.Choices = append(a.Choices, choice)
	a.Stages = []method.Stage{{Name: name, Graph: g}}
	t.Describe(ctx, a, g)
	return a, nil
}

// order returns all columns, the past values first, then the present ones in the order of LiNGAM on the residuals of the regression on
// the past. It returns nil if the context ended.
func (m *Method) order(ctx context.Context, in *method.Input, r *matrix.Dense[float64]) ([]int, error) {
	z, err := lingam.Standardized(in)
	if err != nil {
		return nil, err
	}
	var past, present []int
	for v := range in.Names() {
		if in.Knowledge != nil && in.Knowledge.Input(v) {
			past = append(past, v)
		} else {
			present = append(present, v)
		}
	}
	residuals := matrix.New[float64](len(present), z.Cols)
	for i, v := range present {
		row := residuals.Row(i)
		copy(row, z.Row(v))
		fit, err := score.Regress(r, v, past)
		if err != nil {
			return nil, fmt.Errorf("%w; use fewer lags, or drop a column", err)
		}
		for k, p := range past {
			vec.Axpy(row, -fit.Beta[k], z.Row(p))
		}
		if !lingam.Unit(row) {
			return nil, fmt.Errorf("column %s is determined by past values; drop it", in.Names()[v])
		}
	}
	must := in.RequiredGraph()
	places := lingam.Direct(ctx, residuals, in.Threads, func(i int, left []int) bool {
		for _, j := range left {
			if j != i && must.HasEdge(present[j], present[i]) {
				return false
			}
		}
		return true
	})
	if places == nil {
		return nil, nil
	}
	order := past
	for _, i := range places {
		order = append(order, present[i])
	}
	return order, nil
}
