// Package lingam learns linear models with non-Gaussian noise, in which every direction is identified.
//
// Experimental: the API of this package may change before 1.0.
package lingam

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/internal/lingam"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

const name = "lingam"

// Variant is the algorithm that finds the causal order.
type Variant string

const (
	Direct Variant = "direct" // one first column after the other, by pairwise measures
	ICA    Variant = "ica"    // by independent components
)

// Method has the settings.
type Method struct {
	Variant Variant
	Price   gaussian.Price
}

// New returns the method with its defaults.
func New() *Method { return &Method{Variant: Direct, Price: scores.Fixed(scores.Linear).Price} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "LiNGAM: linear effects with non-Gaussian noise, which identifies directions",
		About:     "DirectLiNGAM with pairwise likelihood ratios, or ICA-LiNGAM. It first tests whether the noise is Gaussian. If it is, or if only moments are given, only the equivalence class is identified: the result is a member of the class, and its unidentified edges are undirected.",
		Reference: "Shimizu, Hoyer, Hyvärinen and Kerminen (2006), A linear non-Gaussian acyclic model for causal discovery; Shimizu et al. (2011), DirectLiNGAM: a direct method for learning a linear non-Gaussian structural equation model; Hyvärinen and Smith (2013), Pairwise likelihood ratios for estimation of non-Gaussian structural equation models",
		Needs:     method.Either, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Variant, "variant", "algorithm: direct (DirectLiNGAM with pairwise likelihood ratios) or ica (ICA-LiNGAM)", Direct, ICA)
	m.Price.Params(s)
}

// Cost is that of the causal order.
func (m *Method) Cost(rows, columns, _ int) method.Cost { return lingam.Cost(rows, columns) }

// learned is the saved result of a stage.
type learned struct {
	Parents [][]int // nil if the context ended
	Warning string
}

// Learn finds the equivalence class, tests the noise, and then learns the directions.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	settings := scores.Fixed(scores.Linear)
	settings.Price = m.Price
	t, err := settings.Table(ctx, in)
	if err != nil {
		return nil, err
	}
	class, err := greedy.Stage(ctx, run, name+"-class", greedy.Problem{Score: t.Score, Knowledge: greedy.Arranged(in.Knowledge, t.Order)}, greedy.Settings{Turning: true, Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	choice := method.Choice{Setting: "noise", Requested: "free", Chosen: "gaussian"}
	a := &method.Answer{Graph: class.Member.Mixed(), Score: class.Score, Status: method.Converged, Price: t.Score.Price()}
	a.Stages = []method.Stage{{Name: name + "-class", Graph: class.Member}}
	stay := func(format string, args ...any) (*method.Answer, error) {
		choice.Reason = fmt.Sprintf(format, args...) + "; only edges compelled in the equivalence class are directed"
		a.Choices = append(a.Choices, choice)
		if ctx.Err() != nil {
			a.Cancel(ctx)
		}
		t.Describe(ctx, a, class.Member)
		return a, nil
	}
	if why := lingam.Unseen(in); why != "" {
		return stay("%s", why)
	}
	r := in.Moments.Correlation()
	free, err := score.NewFreeNoise(r, in.Moments.N, t.Score.Price(), in.Sample.Values, in.SampleWeight())
	if err != nil {
		return stay("%v", err)
	}
	shaped := noise.NotGaussian(free.Fit(), class.Member)
	if shaped == 0 {
		return stay("no residual differs significantly from a Gaussian")
	}
	stageName := name + "-" + string(m.Variant)
	found, err := stage.Do(ctx, run, stageName, func(stage.Point) (*learned, bool, error) {
		run.Tell(stage.Progress{Stage: stageName + ": causal order", Untraced: true})
		places, warning, err := m.order(ctx, in)
		if err != nil || places == nil {
			return &learned{}, false, err
		}
		g, step := lingam.NewPruner(in, r, t.Score).Along(ctx, places), 0
		if g == nil {
			return &learned{}, false, nil
		}
		g, whole := noise.Climb(ctx, free.Fit(), g, in.Knowledge, func(score float64, edges int) {
			run.Tell(stage.Progress{Stage: stageName, Step: step, Score: score, Edges: edges})
			step++
		})
		if !whole {
			return &learned{}, false, nil
		}
		return &learned{Parents: gaussian.Parents(g), Warning: warning}, true, nil
	})
	switch {
	case err != nil:
		return nil, err
	case found.Parents == nil:
		return stay("the run stopped before the test of the noise")
	case found.Warning != "":
		a.Warnings = append(a.Warnings, found.Warning)
	}
	g := graph.FromParents(found.Parents)
	settled, err := lingam.Settle(a, g, free)
	if err != nil {
		return nil, err
	}
	choice.Chosen = "free"
	choice.Reason = fmt.Sprintf("non-Gaussian residuals of %s identify the direction of %d of %s (p at most %g, corrected for the number of edges)", names.Count(shaped, "column"), settled, names.Count(g.NumEdges(), "edge"), trust.NoiseLevel)
	a.Choices = append(a.Choices, choice)
	a.Stages = append(a.Stages, method.Stage{Name: stageName, Graph: g})
	t.Describe(ctx, a, g)
	return a, nil
}

// order learns the causal order from the sample. It returns nil if the context ended.
func (m *Method) order(ctx context.Context, in *method.Input) (places []int, warning string, err error) {
	z, err := lingam.Standardized(in)
	if err != nil {
		return nil, "", err
	}
	if m.Variant == Direct {
		must := in.RequiredGraph()
		return lingam.Direct(ctx, z, in.Threads, func(v int, left []int) bool {
			return !slices.ContainsFunc(left, func(u int) bool { return u != v && must.HasEdge(u, v) })
		}), "", nil
	}
	places, settled, err := ica(ctx, z, in.Seed, in.Threads)
	if err != nil || places == nil {
		return nil, "", err
	}
	if !settled {
		warning = fmt.Sprintf("the independent components did not converge in %d steps; the order uses their last values", icaSteps)
	}
	return graph.Respect(places, in.Required()), warning, nil
}
