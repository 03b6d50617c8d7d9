package scores

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// discreteModel returns the model of a table without numeric columns. A probability table has parameters for every combination of
// categories. The mixed model has one per category, or one slope for an ordered column. It is used if at least half of the columns
// are ordered with nearly linear effects; compareLevels may choose it for others.
func discreteModel(in *method.Input) (Model, string) {
	ordered := 0
	for _, k := range in.Kinds {
		if k.Kind == kind.Ordinal && k.Levels > 2 {
			ordered++
		}
	}
	nominal := slices.ContainsFunc(in.Kinds, func(c kind.Column) bool { return c.Kind == kind.Categorical })
	if in.Environments == nil && !nominal && 2*ordered >= len(in.Kinds) && inOrder(in) {
		return Mixed, fmt.Sprintf("%s of %d %s ordered categories with linear effects; the others are binary", names.Count(ordered, "column"), len(in.Kinds), have(ordered))
	}
	return Discrete, "every column is categorical"
}

// linearShare is the smallest share of the effects of ordered columns that linear effects must explain.
const linearShare = 0.9

// inOrder reports whether the effects of ordered columns are linear. For each column it compares the gain of a linear effect with
// the gain of means by category beyond chance, for its strongest effect.
func inOrder(in *method.Input) bool {
	s := in.Sample
	if s == nil {
		return false
	}
	rows := levelRows(s.Rows(), len(in.Kinds), s.Columns)
	var lines, all float64
	for c, k := range in.Kinds {
		if k.Kind != kind.Ordinal {
			continue
		}
		line, most := 0.0, 0.0
		byLevel(s.Values, rows, s.Columns, c, func(levels int, l, means float64) {
			if means -= float64(levels - 2); means > most {
				line, most = l, means
			}
		})
		lines += min(line, most)
		all += most
	}
	return all > 0 && lines >= linearShare*all
}

// additiveShare is the smallest share of the evidence between full tables and additive effects that must favour the latter.
const additiveShare = 0.95

// decideTables decides from counted rows whether additive effects are considered. They are not for tables with environments or
// interventions, and always for binary tables. With more categories, additive effects of wrong parents often beat full tables of
// the right ones. The columns with several parents, in a graph learned with full tables, must then agree: the sum of the
// differences of their scores must be at least 2·additiveShare - 1 times the sum of the absolute differences. It also returns the
// score with full tables if it made one: a search with the same score finds its counts in the cache.
//
// A table with many rows is represented by a part of them, and no score is returned.
func (s *Settings) decideTables(ctx context.Context, in *method.Input, contexts int, t *counts.Data, set score.DiscreteSettings) (forms score.Tables, whole *score.Discrete, err error) {
	if s.Tables != AutoTables {
		return set.Tables, nil, nil
	}
	if in.Environments != nil || contexts > 0 {
		return score.FullTables, nil, nil
	}
	binary := true
	for v := range t.Variables() {
		binary = binary && t.Levels(v) <= 2
	}
	if binary {
		return score.EitherTables, nil, nil
	}
	if n := t.Rows() / PartRows; t.Rows() > ManyRows && t.Given() == t.Rows() {
		t = t.Part(0, n)
		defer func() { whole = nil }()
	}
	set.Tables = score.FullTables
	full, err := score.NewDiscrete(t, set)
	if err != nil {
		return 0, nil, err
	}
	quick := search.DefaultSettings()
	quick.Restarts, quick.Exact, quick.Threads = 0, 0, max(1, in.Threads)
	found, err := search.Search(ctx, search.Problem{Score: full}, quick, nil)
	if err != nil {
		return 0, nil, err
	}
	set.Tables = score.AdditiveTables
	additive, err := score.NewDiscrete(t, set)
	if err != nil {
		return 0, nil, err
	}
	a, b := full.Evaluator(), additive.Evaluator()
	sum, size := 0.0, 0.0
	for v, parents := range found.Parents {
		if len(parents) < 2 {
			continue
		}
		if diff := a.Score(v, parents) - b.Score(v, parents); !math.IsInf(diff, 0) && !math.IsNaN(diff) {
			sum += diff
			size += math.Abs(diff)
		}
	}
	if sum >= (2*additiveShare-1)*size {
		return score.EitherTables, nil, nil
	}
	return score.FullTables, full, nil
}
