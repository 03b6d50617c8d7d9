package scores

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// Model is the kind of effects that a score assumes.
type Model string

const (
	AutoModel Model = "auto"                       // chosen by the kinds of the columns
	Linear    Model = Model(score.LinearEffects)   // linear effects and Gaussian noise; needs only moments
	Discrete  Model = Model(score.TableEffects)    // probability tables; all columns are categorical
	Mixed     Model = Model(score.MixedEffects)    // numeric and categorical columns
	Smooth    Model = Model(score.SmoothEffects)   // smooth curves, which identify directions that linear effects leave open
	Flexible  Model = Model(score.FlexibleEffects) // columns of any kind on their own scales, with curves if these improve the score
)

// CurvedColumns is the largest number of columns for which curves are considered. With more, the moments of curved functions take
// more memory than the whole search with linear effects.
const CurvedColumns = 1000

// curvedRows is the smallest number of rows per column for which auto considers curves. With fewer, chance alone makes some of the many
// pairs look nonlinear, and the search through curved functions of independent columns takes long.
const curvedRows = 2

// Choose returns the model and the reason. It compares nonlinear with linear effects if all columns are numeric, and the flexible
// with the mixed model if some are.
func (s *Settings) Choose(ctx context.Context, in *method.Input) (method.Choice, error) {
	c, decided := s.byKinds(in)
	if decided && Model(c.Chosen) == Discrete {
		err := s.compareLevels(ctx, in, &c)
		return c, err
	}
	if decided {
		if s.Model != AutoModel || Model(c.Chosen) != Mixed || in.Environments != nil || in.Sample == nil || len(in.Names()) > CurvedColumns || FewRows(in) {
			return c, nil
		}
		levels := categories(in)
		forms, err := forms(ctx, in, nil, levels)
		if ctx.Err() != nil {
			return c, nil
		}
		if why := needed(in, forms, levels); err == nil && why != "" && !mixtures(in, forms, levels) {
			c.Chosen, c.Reason = string(Flexible), c.Reason+"; "+why
		}
		return c, err
	}
	pick := func(chosen Model, format string, args ...any) (method.Choice, error) {
		c.Chosen, c.Reason = string(chosen), fmt.Sprintf(format, args...)
		return c, nil
	}
	switch {
	case len(in.Names()) > CurvedColumns:
		return pick(Linear, "curves are looked for in at most %d columns; model smooth takes them for granted", CurvedColumns)
	case in.Sample == nil:
		return pick(Linear, "the rows were not looked at")
	case manyGroups(in, len(in.Names())*(SmoothBasis(len(in.Names())).Curves+1)):
		return pick(Linear, "nonlinear effects were not considered, because their moments in the rows of each column take too much memory")
	case FewRows(in):
		return pick(Linear, "nonlinear effects need at least %d rows per column", curvedRows)
	}
	sample := largestEnvironment(in) // environments with linear effects may look curved together
	x := matrix.Of(sample.Rows(), sample.Columns, sample.Values)
	pairs, err := basis.Pairs(ctx, x, in.Threads)
	if ctx.Err() != nil {
		return pick(Linear, "the run was stopped before curves were looked for")
	}
	if err != nil {
		return c, err
	}
	if !pairs.Suspected() {
		return pick(Linear, "no significant nonlinear effect")
	}
	e, err := pairs.Compare(ctx, x, basis.DefaultSettings(), in.SampleWeight(), in.Threads)
	if ctx.Err() != nil {
		return pick(Linear, "the run was stopped before nonlinear effects were compared with linear ones")
	}
	if err != nil {
		return c, err
	}
	c.Scores = map[string]float64{string(Linear): e.Linear, string(Smooth): e.Smooth}
	margin := math.Abs(e.Linear - e.Smooth)
	c.Margin = &margin
	if e.Curved() {
		return pick(Smooth, "nonlinear effects fit better than linear ones")
	}
	return pick(Linear, "linear effects fit better than nonlinear ones")
}

// FewRows reports whether the table has too few rows for curves.
func FewRows(in *method.Input) bool { return in.Moments.N < curvedRows*len(in.Names()) }

// byKinds returns the model for the kinds of the columns. It is undecided if all are numeric, because effects may be linear or not.
func (s *Settings) byKinds(in *method.Input) (c method.Choice, decided bool) {
	c = method.Choice{Setting: "model", Requested: string(s.Model), Chosen: string(s.Model)}
	if s.Model != AutoModel {
		return c, true
	}
	pick := func(chosen Model, format string, args ...any) (method.Choice, bool) {
		c.Chosen, c.Reason = string(chosen), fmt.Sprintf(format, args...)
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
		for _, is := range Nominal(in) {
			if is {
				codes++
			}
		}
	}
	switch {
	case in.Kinds == nil || in.Rows == nil:
		return pick(Linear, "%s", in.NoRows)
	case discrete == d:
		model, reason := discreteModel(in)
		return pick(model, "%s", reason)
	case codes > 0:
		return pick(Mixed, "%s of %d %s categories, %s of them numeric codes that are used as nominal; the others are numeric", names.Count(levels+codes, "column"), d, have(levels+codes), fmt.Sprint(codes))
	case levels > 0 && manyGroups(in, d) && !slices.ContainsFunc(in.Kinds, func(v dataset.Variable) bool { return v.Kind == kind.Categorical }):
		return pick(Linear, "%s of %d %s two values, which are used as numbers, because the moments of categories in the rows of each column take too much memory", names.Count(levels, "column"), d, have(levels))
	case levels > 0:
		return pick(Mixed, "%s of %d %s categories; the others are numeric", names.Count(levels, "column"), d, have(levels))
	}
	return c, false
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
