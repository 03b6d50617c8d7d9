package order

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// Model is what effects are taken to be.
type Model string

// The models.
const (
	AutoModel Model = "auto"                     // what the kinds of the columns ask for
	Linear    Model = Model(score.LinearEffects) // straight lines, Gaussian noise: moments are enough
	Discrete  Model = Model(score.TableEffects)  // tables of counts, all columns taken as levels
	Mixed     Model = Model(score.MixedEffects)  // numbers and levels
	Smooth    Model = Model(score.SmoothEffects) // smooth curves, which fix directions that straight lines leave open
)

// mayBe reports whether the model is, or may turn out to be, one of those.
func (m *Method) mayBe(models ...Model) bool {
	for _, other := range models {
		if m.Model == other {
			return true
		}
	}
	return m.Model == AutoModel
}

// curvedColumns is up to how many columns auto looks for curves: beyond it the moments of curved functions alone take more memory than
// the whole search with straight lines.
const curvedColumns = 1000

// choose says which model to use, and why.
func (m *Method) choose(ctx context.Context, in *method.Input) (method.Choice, error) {
	c, decided := m.byKinds(in)
	if decided {
		return c, nil
	}
	pick := func(chosen Model, format string, args ...any) (method.Choice, error) {
		c.Chosen, c.Reason = string(chosen), "since "+fmt.Sprintf(format, args...)
		return c, nil
	}
	switch {
	case len(in.Names()) > curvedColumns:
		return pick(Linear, "curves are looked for in at most %d columns; model smooth takes them for granted", curvedColumns)
	case in.Sample == nil:
		return pick(Linear, "the rows were not looked at")
	}
	s := largestRegime(in) // together regimes are bent where each is straight
	x := matrix.Of(s.Rows(), s.Columns, s.Values)
	pairs, err := basis.Pairs(ctx, x, in.Threads)
	if ctx.Err() != nil {
		return pick(Linear, "the run was stopped before curves were looked for")
	}
	if err != nil {
		return c, err
	}
	if !pairs.Suspected() {
		return pick(Linear, "no column is a curve of another beyond chance")
	}
	e, err := pairs.Compare(ctx, x, basis.DefaultSettings(), in.Weight(), in.Threads)
	if ctx.Err() != nil {
		return pick(Linear, "the run was stopped before curves were compared with straight lines")
	}
	if err != nil {
		return c, err
	}
	c.Scores = map[string]float64{string(Linear): e.Linear, string(Smooth): e.Smooth}
	margin := math.Abs(e.Linear - e.Smooth)
	c.Margin = &margin
	if e.Curved() {
		return pick(Smooth, "curves explain the columns better than straight lines")
	}
	return pick(Linear, "straight lines explain the columns better than curves")
}

// byKinds says which model the kinds of the columns ask for. Where all are numbers it is linear, unless curves suit them better:
// that is not decided here.
func (m *Method) byKinds(in *method.Input) (c method.Choice, decided bool) {
	c = method.Choice{Setting: "model", Requested: string(m.Model), Chosen: string(m.Model)}
	if m.Model != AutoModel {
		return c, true
	}
	pick := func(chosen Model, format string, args ...any) (method.Choice, bool) {
		c.Chosen, c.Reason = string(chosen), "since "+fmt.Sprintf(format, args...)
		return c, true
	}
	discrete, levels := 0, 0
	for _, k := range in.Kinds {
		if k.Kind.Discrete() {
			discrete++
		}
		if k.Kind == kind.Binary || k.Kind == kind.Categorical {
			levels++
		}
	}
	d, codes := len(in.Names()), 0
	if discrete < d && in.Rows != nil {
		for _, unordered := range unordered(in) {
			if unordered {
				codes++
			}
		}
	}
	switch {
	case in.Kinds == nil || in.Rows == nil:
		return pick(Linear, "%s", in.NoRows)
	case discrete == d:
		return pick(Discrete, "every column has a few levels")
	case codes > 0:
		return pick(Mixed, "%s of %d %s levels, %s of them as codes without an order, and the others are numbers", plural(levels+codes, "column"), d, have(levels+codes), fmt.Sprint(codes))
	case levels > 0:
		return pick(Mixed, "%s of %d %s levels and the others are numbers", plural(levels, "column"), d, have(levels))
	}
	return c, false
}

// notGaussian says what is against Gaussian noise under the graph of a smooth model, "" if nothing is.
func (l *searcher) notGaussian(a *method.Answer) string {
	for _, as := range trust.Judge(trust.Evidence{Moments: l.in.Moments, Sample: l.in.Sample, RowWeight: l.in.RowWeight, Regimes: l.in.Regimes}, trust.Model{Graph: a.Graph.Directed(), Effects: score.SmoothEffects}) {
		if as.Name == trust.GaussianNoise && as.Verdict == trust.Fails {
			return as.Sentence
		}
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
