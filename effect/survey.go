package effect

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// Survey is what is said of many pairs of columns of one result, for whoever shows them together, such as a page.
type Survey struct {
	// Pairs is the number of pairs of which the first is an ancestor of the second. Answers are those of the pairs that are nearest
	// to each other, as many as the settings allow, by the places of the columns; their figures have six digits.
	Pairs   int
	Answers []*Answer
}

// SurveySettings bound a survey. Start from NewSurvey.
type SurveySettings struct {
	Level float64 // of intervals, such as 0.9
	// Replicates is the number of resampled tables behind the intervals, all of which have the graph of the result.
	Replicates int
	Seed       uint64
	Threads    int // never changes the answers
	// MostPairs bounds the answers, MostValues the values of the table, which are held in memory, and MostWork the work, in cells of tables
	// of probabilities that are multiplied or summed, or what takes as long: 1 to 2 ns each on one core. It is planned before it is
	// done, so that answers depend on the bound and never on the clock. At most half of it goes to the figures of the nearest
	// pairs. At least half of the rest is left for intervals: where the work of all replicates would be more there are fewer of them,
	// and at leastReplicates the nearest pairs have intervals and others none. The other half goes to what passes
	// through columns between, of the nearest pairs first.
	MostPairs  int
	MostValues int
	MostWork   float64
	// Observe is told how much of the planned work is done, nil for nobody. Calls come one at a time, from several goroutines.
	Observe func(done, of float64)
}

// NewSurvey returns settings by which a survey takes about ten seconds at most on two cores.
func NewSurvey() SurveySettings {
	return SurveySettings{Level: 0.9, Replicates: 99, Seed: 1, Threads: runtime.NumCPU(), MostPairs: 1000, MostValues: 1 << 25, MostWork: 8e9}
}

// leastReplicates are needed for quantiles at the ends: with 19, the 5 % quantile is the first value.
const leastReplicates = 19

// AskAll asks what setting each column does to each of its descendants in a DAG, with the contrast that Ask has by default, distributions at
// several values, and intervals that take the graph as known. It is Ask with GivenGraph for each pair, but that models are fitted
// once for all pairs, that what goes through columns between has no interval and is left out where it would take too long, and that
// there are no adjustment sets. It needs the table. A linear result is refused: its weights and residual variances give all effects.
// When ctx ends there is no answer.
func AskAll(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	if res.Kind != graph.KindDAG {
		return nil, fault.New(ErrNotIdentified, fmt.Sprintf("the graph is a %s, and effects of all pairs need a DAG", res.Kind), "ask for one pair of columns")
	}
	if res.Sloped() || table == nil {
		return nil, fault.New(ErrQuestion, "effects of all pairs need a nonlinear model and the table", "ask for one pair of columns")
	}
	v := &surveyor{SurveySettings: set, res: res, table: table}
	for _, step := range []func(context.Context) error{v.prepare, v.estimate, v.parts, v.replicate, v.finish} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return &v.out, nil
}

// surveyor is one call of AskAll.
type surveyor struct {
	SurveySettings
	res    *polydag.Result
	table  *polydag.Table
	source *source
	model  fitted   // of the graph of the result, shared by all
	asks   []*asked // nearest first
	groups []*group // of the asks, by the column that is set
	ledger
	out Survey
}

// group are the questions about one column that is set. One goroutine at a time works at it.
type group struct {
	a     int
	asks  []*asked // by the column that is looked at
	price          // of asking them
	// source is the one of the survey, with models that remember what they found.
	source *source
}

// apart returns a source like s with models of its own that remember, but for that of the learned graph, which rests on the given one.
func (v *surveyor) apart(s *source, learned fitted) *source {
	own := *s
	own.kept = map[*graph.Graph]fitted{v.res.Graph: own.remembering(v.res.Graph, learned)}
	return &own
}

// forget drops the models of the other graphs of a class.
func (v *surveyor) forget(s *source) {
	for g := range s.kept {
		if g != v.res.Graph {
			delete(s.kept, g)
		}
	}
}

// estimate fits the model of the table itself and computes its figures.
func (v *surveyor) estimate(ctx context.Context) (err error) {
	if len(v.asks) == 0 {
		return nil
	}
	if v.model, err = v.source.newFit(v.res.Graph); err != nil {
		return err
	}
	return v.figures(ctx)
}

// figures computes the figures under the model. A pair that has none, such as one with a column of too many levels between, is left
// out; that all have none is an error.
func (v *surveyor) figures(ctx context.Context) error {
	faults, err := spread(ctx, len(v.groups), v.Threads, nil, func(i int) []error {
		g := v.groups[i]
		g.source = v.apart(v.source, v.model)
		defer v.forget(g.source)
		out := make([]error, len(g.asks))
		for j, k := range g.asks {
			k.source = g.source
			if out[j] = k.estimate(ctx); ctx.Err() != nil {
				break
			}
		}
		v.tell(g.work)
		return out
	})
	if err != nil {
		return err
	}
	var first error
	failed := map[*asked]bool{}
	for i, g := range v.groups {
		for j, err := range faults[i] {
			if err != nil {
				failed[g.asks[j]] = true
				first = cmp.Or(first, err)
			}
		}
	}
	return v.without(failed, first)
}

// without leaves questions out. Where that leaves none, the fault of the first is returned.
func (v *surveyor) without(failed map[*asked]bool, first error) error {
	out := func(k *asked) bool { return failed[k] }
	v.asks = slices.DeleteFunc(v.asks, out)
	for _, g := range v.groups {
		g.asks = slices.DeleteFunc(g.asks, out)
	}
	v.groups = slices.DeleteFunc(v.groups, func(g *group) bool { return len(g.asks) == 0 })
	if len(v.asks) == 0 {
		return first
	}
	return nil
}

// replicate puts intervals on the figures, from bootstrap samples. Each sample serves all pairs.
func (v *surveyor) replicate(ctx context.Context) error {
	v.settle()
	var sure []*group // with the questions that have intervals
	for _, g := range v.groups {
		own := *g
		own.asks = slices.DeleteFunc(slices.Clone(g.asks), func(k *asked) bool { return !k.sure })
		if len(own.asks) > 0 {
			sure = append(sure, &own)
		}
	}
	if len(sure) == 0 {
		return nil
	}
	draws, err := v.table.Resampler(ctx, mechanism.MostValues*8)
	if err != nil {
		return err
	}
	all, err := spread(ctx, v.Replicates, v.Threads, nil, func(r int) map[*asked]replicate {
		out := map[*asked]replicate{}
		s, err := v.source.redrawn(ctx, v.res, draws, v.Seed, r)
		var learned fitted
		if err == nil {
			learned, err = s.newFit(v.res.Graph)
		}
		if err == nil {
			s = v.apart(s, learned)
		}
		for _, g := range sure {
			for _, k := range g.asks {
				if err == nil {
					err = context.Cause(ctx)
				}
				if err != nil {
					out[k] = replicate{failed: err}
					continue
				}
				out[k] = k.again(s)
			}
			if err == nil {
				v.forget(s)
			}
			v.tell(g.work)
		}
		return out
	})
	if err != nil {
		return err
	}
	column := make([]replicate, len(all))
	for _, g := range sure {
		for _, k := range g.asks {
			for r := range all {
				column[r] = all[r][k]
			}
			low, high, told, err := k.study.gather(column, v.Level, OverRows)
			if err != nil {
				continue // the tables that were drawn do not say it: it has no interval
			}
			k.answer.Interval = told
			k.bound(low, high)
		}
	}
	return nil
}

// again computes the figures of a resampled table.
func (k *asked) again(s *source) replicate {
	low, high, _, err := k.study.over(s, k.class)
	if err != nil {
		return replicate{failed: err}
	}
	return replicate{low: low.flat(), high: high.flat(), reaches: true, open: !alike(low.total, high.total)}
}

// finish adds the distributions, checks the figures and rounds them. A pair whose figures are beyond numbers is left out; where that
// leaves none, its fault is returned.
func (v *surveyor) finish(ctx context.Context) error {
	faults, err := spread(ctx, len(v.groups), v.Threads, nil, func(i int) []error {
		g := v.groups[i]
		out := make([]error, len(g.asks))
		for j, k := range g.asks {
			if out[j] = cmp.Or(k.distributions(ctx), k.answer.finite()); ctx.Err() != nil {
				break
			}
		}
		v.forget(g.source)
		return out
	})
	if err != nil {
		return err
	}
	var first error
	for i, g := range v.groups {
		for j, k := range g.asks {
			if err := faults[i][j]; err != nil {
				first = cmp.Or(first, err)
				continue
			}
			k.answer.each(func(x *float64) { *x = six(*x) })
			v.out.Answers = append(v.out.Answers, k.answer)
		}
	}
	if len(v.out.Answers) == 0 {
		return first
	}
	return nil
}

// six keeps six digits.
func six(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64) // what was written can be read
	return y
}
