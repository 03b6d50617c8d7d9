package scores

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

const (
	// comparedLevels is the median number of categories from which the mixed model is compared with probability tables.
	comparedLevels = 5
	// comparedRows and comparedColumns limit the work of the comparison, and comparedMoments the moments of the mixed model: one matrix
	// of all categories for each group of columns with the same rows.
	comparedRows, comparedColumns, comparedMoments = 100_000, 200, 1 << 24
	// keptShare is the share of the adjacent pairs under probability tables that the mixed model must find too.
	keptShare = 0.95
)

// compareLevels changes the choice of probability tables to the mixed model, which has additive effects, if that finds more. A full table
// of columns with many categories has so many parameters that weaker parents are missed. The mixed model is chosen
//
//   - if its graph has more edges and nearly all adjacent pairs of the graph of probability tables, so that no effect depends on
//     interactions, or
//   - if its graph scores better, with multinomial logits.
//
// Each graph is that of one descent.
func (s *Settings) compareLevels(ctx context.Context, in *method.Input, c *method.Choice) error {
	if s.Model != AutoModel || Model(c.Chosen) != Discrete || in.Environments != nil && in.Environments.Unknown {
		return nil
	}
	var levels []int
	functions := 0
	for _, k := range in.Kinds {
		levels = append(levels, k.Levels)
		functions += k.Levels
	}
	groups, _ := Groups(in)
	slices.Sort(levels)
	if len(levels) == 0 || levels[len(levels)/2] < comparedLevels || in.RowCount() > comparedRows || len(levels) > comparedColumns || len(groups)*functions*functions > comparedMoments {
		return nil
	}
	p, err := s.pairOfFits(ctx, in)
	if err != nil || ctx.Err() != nil {
		if ctx.Err() != nil {
			return nil // the learning that follows stops too
		}
		return err
	}
	margin := math.Abs(p.tables - p.additive)
	c.Scores, c.Margin = map[string]float64{string(Discrete): p.tables, string(Mixed): p.additive}, &margin
	switch median := levels[len(levels)/2]; {
	case p.additive < p.tables:
		c.Chosen, c.Reason = string(Mixed), fmt.Sprintf("every column is categorical; with a median of %d categories additive effects fit better than full probability tables", median)
	case p.findsMore():
		c.Chosen, c.Reason = string(Mixed), fmt.Sprintf("every column is categorical; with a median of %d categories additive effects find %d adjacent pairs and full probability tables %d", median, p.edges, p.kept+p.lost)
		c.Scores, c.Margin = nil, nil
	}
	return nil
}

// fits compares two graphs.
type fits struct {
	tables, additive float64 // their scores
	edges            int     // edges under additive effects
	kept, lost       int     // adjacent pairs under probability tables that are adjacent under additive effects too, and those that are not
}

// findsMore reports whether the graph of additive effects has more edges and nearly all adjacent pairs of the other one.
func (f fits) findsMore() bool {
	all := f.kept + f.lost
	return f.edges > all && float64(f.kept) >= keptShare*float64(all)
}

// pairOfFits searches once under probability tables and once under the mixed model.
func (s *Settings) pairOfFits(ctx context.Context, in *method.Input) (out fits, err error) {
	plain := *s
	plain.Tables = FullTables
	full, err := plain.build(ctx, in, Discrete, 0)
	if err != nil {
		return out, err
	}
	mixed, err := s.build(ctx, in, Mixed, 0)
	if err != nil {
		return out, err
	}
	quick := search.DefaultSettings()
	quick.Restarts, quick.Exact, quick.Seed, quick.Threads = 0, 0, in.Seed, in.Threads
	a, err := search.Search(ctx, search.Problem{Score: full.Score}, quick, nil)
	if err != nil {
		return out, err
	}
	b, err := search.Search(ctx, search.Problem{Score: mixed.Score}, quick, nil)
	if err != nil {
		return out, err
	}
	set := s.discrete(in)
	set.Tables = score.AdditiveTables
	logits, err := score.NewDiscrete(full.Counts, set)
	if err != nil {
		return out, err
	}
	own, logit, place := full.Score.Evaluator(), logits.Evaluator().(*score.DiscreteEvaluator), full.Place()
	adjacent := map[[2]int]bool{}
	for v, parents := range b.Parents {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		at, there := place[mixed.Order[v]], make([]int, len(parents))
		for k, p := range parents {
			there[k] = place[mixed.Order[p]]
			adjacent[[2]int{min(at, there[k]), max(at, there[k])}] = true
		}
		slices.Sort(there)
		out.additive += logit.Logit(at, there)
		out.edges += len(parents)
	}
	for v, parents := range a.Parents {
		out.tables += own.Score(v, parents)
		for _, p := range parents {
			if adjacent[[2]int{min(v, p), max(v, p)}] {
				out.kept++
			} else {
				out.lost++
			}
		}
	}
	return out, nil
}
