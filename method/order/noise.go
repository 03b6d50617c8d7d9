package order

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

const noiseStage = name + "-noise"

// byNoise tests the residuals of a linear search. If they are not Gaussian, it continues with a score that
// estimates the noise distribution. If they are, nothing changes. If another reason prevents this, the answer
// states it.
func (l *searcher) byNoise(ctx context.Context) error {
	switch {
	case l.Noise == GaussianNoise || l.answer.Status == method.Canceled:
		return nil
	case l.Noise == AutoNoise && (l.in.Rows == nil || l.answer.Identified): // no rows, or all directions are known
		return nil
	}
	c := method.Choice{Setting: "noise", Requested: string(l.Noise), Chosen: string(GaussianNoise)}
	stay := func(format string, args ...any) error {
		c.Reason = fmt.Sprintf(format, args...)
		l.answer.Choices = append(l.answer.Choices, c)
		return nil
	}
	if why := l.noNoise(); why != "" {
		return stay("%s", why)
	}
	f, err := score.FreeNoiseOf(l.p, l.price, l.in.Sample.Values, l.in.SampleWeight()) // with rows, no value is missing
	switch {
	case errors.Is(err, score.ErrNoiseRows) && l.Noise == AutoNoise:
		return nil // also reported among the assumptions
	case err != nil:
		return stay("%v", err)
	}
	before := l.answer.Graph.Directed()
	shaped := noise.NotGaussian(f.Fit(), before)
	if shaped == 0 && l.Noise == AutoNoise {
		return nil // as assumed, and reported among the assumptions
	}
	refined, err := stage.Do(ctx, l.run, noiseStage, func(stage.Point) (*refinement, bool, error) { return l.refine(ctx, f, before) })
	if err != nil {
		return err
	}
	if !refined.Whole {
		l.answer.Cancel(ctx)
		return stay("the run was stopped before directions were identified from the noise")
	}
	sel := l.lines(ctx, search.Unequal)
	sel.gains = func(parents [][]int, v int) []float64 { return noiseGains(f.Fit(), v, parents[v]) }
	kept, dropped := sel.of(refined.Parents, true)
	if dropped > 0 {
		if refined, err = refinementOf(f.Fit(), kept); err != nil {
			return err
		}
	}
	g := graph.FromParents(refined.Parents)
	if against := l.against(g); against != "" && l.Noise == AutoNoise {
		return stay("the residuals of %s are not Gaussian, but under the resulting graph %s", names.Count(shaped, "column"), against)
	}
	l.record(&l.answer, l.dropped+dropped)
	gaussian := l.answer.Score
	settled := l.settle(g, refined, f.Fit())
	c.Chosen = string(FreeNoise)
	c.Reason = fmt.Sprintf("the residuals of %s are not Gaussian; they identify the direction of %d of %s (p at most %g, corrected for the number of edges)", names.Count(shaped, "column"), settled, names.Count(g.NumEdges(), "edge"), trust.NoiseLevel)
	if shaped == 0 {
		c.Reason = "although every residual looks Gaussian"
	}
	c.Scores = map[string]float64{string(GaussianNoise): gaussian, string(FreeNoise): l.answer.Score}
	if margin := gaussian - l.answer.Score; margin >= 0 {
		c.Margin = &margin
	}
	l.answer.Choices = append(l.answer.Choices, c)
	return nil
}

// noNoise returns the reason why the noise distribution is not tested, or "".
func (l *searcher) noNoise() string {
	switch {
	case l.in.Rows != nil && l.in.Sample == nil:
		return "the rows were not looked at"
	case l.in.Kinds == nil || l.in.Rows == nil:
		return l.in.NoRows
	}
	for _, k := range l.in.Kinds {
		if k.Kind != kind.Continuous && l.Noise == AutoNoise {
			return fmt.Sprintf("column %s is %s (%s), whose noise has not one shape", k.Name, k.Kind, k.Reason)
		}
	}
	return ""
}

// A refinement is a graph with its scores under the estimated noise distribution.
type refinement struct {
	Parents [][]int
	// Score is the score of the graph with the noise distribution, and Gain is the part due to its shape. The
	// shapes are the same for all graphs and have no penalty.
	Score, Gain float64
	P           []float64 // p-values of the edges in their order
	Whole       bool      // the search was not stopped early
}

func (l *searcher) refine(ctx context.Context, f *score.FreeNoise, before *graph.Graph) (*refinement, bool, error) {
	step := 0
	tell := func(score float64, edges int) {
		l.run.Tell(stage.Progress{Stage: noiseStage, Step: step, Score: score, Edges: edges})
		step++
	}
	fit := f.Fit()
	tell(scores.Total(fit, before), before.NumEdges())
	g, whole := noise.Climb(ctx, fit, before, l.in.Knowledge, tell)
	if !whole {
		return &refinement{}, false, nil
	}
	out, err := refinementOf(fit, gaussian.Parents(g))
	if err != nil {
		return nil, false, err
	}
	out.Whole = ctx.Err() == nil
	return out, out.Whole, nil
}

// refinementOf evaluates a graph under a score with a noise distribution.
func refinementOf(fit *score.NoiseFit, parents [][]int) (*refinement, error) {
	out := &refinement{Parents: parents, Whole: true}
	for v, p := range parents {
		out.Score += fit.Score(v, p)
		out.Gain += 2 * fit.Gain(v, p)
	}
	var err error
	out.P, err = noise.DirectionP(fit, graph.FromParents(parents))
	return out, err
}

// against returns the evidence against linear effects or against noise that is independent of the causes under
// g, or "". Nonlinear effects also cause non-Gaussian residuals, and these tests detect them.
func (l *searcher) against(g *graph.Graph) string {
	for _, a := range trust.CheckAssumptions(trust.Evidence{Moments: l.in.Moments, Sample: l.in.Sample, RowWeight: l.in.SampleWeight()}, trust.Model{Graph: g, Inputs: l.in.Inputs(), FreeNoise: true}) {
		switch {
		case a.Outcome != trust.Failed:
		case a.Name == trust.LinearEffects:
			return "effects are not linear (" + a.Sentence + ")"
		case a.Name == trust.SteadyNoise:
			return "the noise depends on the causes (" + a.Sentence + ")"
		}
	}
	return ""
}

// settle makes the refined graph the answer and returns the number of directions that the noise identifies.
func (l *searcher) settle(g *graph.Graph, r *refinement, fit *score.NoiseFit) (settled int) {
	a := &l.answer
	reversals := !l.in.GraphOnly && !a.Identified
	a.Graph, a.Optimal, a.Identified, a.FreeNoise = g.Mixed(), false, true, true
	a.Edges = method.EdgeRecords(g)
	settled = method.ByNoise(a.Edges, r.P, trust.NoiseLevel)
	for i := range a.Edges {
		e := &a.Edges[i]
		parents := g.Parents(e.To)
		k := slices.Index(parents, e.From)
		gain := fit.Score(e.To, slices.Delete(slices.Clone(parents), k, k+1)) - fit.Score(e.To, parents)
		e.Gain = new(score.Bits(gain, float64(l.p.N)))
	}
	if reversals { // the reversals of the search belong to another graph
		l.addReversals(g)
	}
	st := method.Stage{Name: noiseStage, Graph: g}
	a.Score = r.Score
	if bic, err := gaussian.BIC(l.p, l.settings(), g); err == nil { // comparable with the other stages
		st.Score = &bic
		a.Score = bic - r.Gain
	}
	a.Stages = append(a.Stages, st)
	return settled
}

// noiseGains returns the loss of score without each parent of v, under the noise distribution.
func noiseGains(fit *score.NoiseFit, v int, parents []int) []float64 {
	out := make([]float64, len(parents))
	with := fit.Score(v, parents)
	for i := range parents {
		out[i] = fit.Score(v, slices.Delete(slices.Clone(parents), i, i+1)) - with
	}
	return out
}
