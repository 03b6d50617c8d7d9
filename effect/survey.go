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

// Survey has the answers for many pairs of columns of one result, for example for the HTML page.
type Survey struct {
	// Pairs is the number of pairs whose first column is an ancestor of the second. Answers has the nearest of these pairs, as many
	// as the settings allow, in column order, with numbers rounded to six digits.
	Pairs   int
	Answers []*Answer
}

// SurveySettings limit a survey. Start from DefaultSurvey.
type SurveySettings struct {
	Level float64 // level of intervals, such as 0.9
	// Replicates is the number of bootstrap samples behind the intervals, all with the graph of the result.
	Replicates int
	Seed       uint64
	Threads    int // number of threads; never changes the answers
	// MostPairs limits the answers, MostValues the table values in memory, and MostWork the work, in units of one multiply-add on a
	// probability table cell: 1 to 2 ns on one core. Work is planned in advance, so the answers never depend on the clock. At most
	// half of it is spent on the figures of the nearest pairs. At least half of the rest is reserved for intervals: if all
	// replicates would cost more, there are fewer, and at leastReplicates only the nearest pairs have intervals. The remaining work
	// is spent on effects through mediators, nearest pairs first.
	MostPairs  int
	MostValues int
	MostWork   float64
	// Observe, if not nil, receives the finished and the planned work. Calls come one at a time, from several goroutines.
	Observe func(done, of float64)
}

// DefaultSurvey returns settings for a survey of about ten seconds at most on two cores.
func DefaultSurvey() SurveySettings {
	return SurveySettings{Level: 0.9, Replicates: 99, Seed: 1, Threads: runtime.NumCPU(), MostPairs: 1000, MostValues: 1 << 25, MostWork: 8e9}
}

// leastReplicates is the smallest number with quantiles at the ends: with 19, the 5 % quantile is the first value.
const leastReplicates = 19

// AskAll computes the effect of each column on each of its descendants in a DAG, with the default contrast of Ask, distributions at
// several values, and intervals that assume a known graph. It differs from Ask with GivenGraph in three ways: models are fitted
// once for all pairs; effects through mediators have no intervals and are omitted if they would take too long; and there are no
// adjustment sets. It needs the table. A linear result gives an error, because its weights and residual variances already give all
// effects. A result with lags has impulse responses, for which the table is optional: without it they have no intervals. When ctx
// ends AskAll returns its error.
func AskAll(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	if res.Time != nil {
		return allImpulses(ctx, res, table, set)
	}
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

// surveyor has the state of one call of AskAll.
type surveyor struct {
	SurveySettings
	res    *polydag.Result
	table  *polydag.Table
	source *source
	model  fitted   // model of the result's graph, shared by all questions
	asks   []*asked // nearest first
	groups []*group // questions by intervened column
	ledger
	out Survey
}

// group has the questions about one intervened column. Only one goroutine at a time uses it.
type group struct {
	a     int
	asks  []*asked // by outcome column
	price          // cost of the questions
	// source is that of the survey, with caching models.
	source *source
}

// apart returns a copy of s with its own caching models, except that of the learned graph, which wraps the given one.
func (v *surveyor) apart(s *source, learned fitted) *source {
	own := *s
	own.kept = map[*graph.Graph]fitted{v.res.Graph: own.remembering(v.res.Graph, learned)}
	return &own
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

// figures computes the figures under the model. A pair that cannot be computed, for example because a column between has too many
// categories, is dropped; if all pairs fail, the error is returned.
func (v *surveyor) figures(ctx context.Context) error {
	for _, g := range v.groups {
		g.source = v.apart(v.source, v.model)
	}
	return v.each(ctx, func(k *asked) error {
		k.source = k.group.source
		return k.estimate(ctx)
	}, func(g *group) { v.tell(g.work) })
}

// each calls do with every question, and after with every group at its end. Several groups run at the same time. It drops the questions
// that fail; if all fail, it returns the first error.
func (v *surveyor) each(ctx context.Context, do func(*asked) error, after func(*group)) error {
	_, err := spread(ctx, len(v.groups), v.Threads, nil, func(i int) bool {
		g := v.groups[i]
		for _, k := range g.asks {
			if k.failed = do(k); ctx.Err() != nil {
				break
			}
		}
		g.source.forget(v.res.Graph)
		after(g)
		return true
	})
	if err != nil {
		return err
	}
	return v.drop()
}

// drop drops the questions that failed. If none remain, it returns the first error.
func (v *surveyor) drop() error {
	var first error
	failed := func(k *asked) bool { return k.failed != nil }
	v.asks = slices.DeleteFunc(v.asks, failed)
	for _, g := range v.groups {
		for _, k := range g.asks {
			first = cmp.Or(first, k.failed)
		}
		g.asks = slices.DeleteFunc(g.asks, failed)
	}
	v.groups = slices.DeleteFunc(v.groups, func(g *group) bool { return len(g.asks) == 0 })
	if len(v.asks) == 0 {
		return first
	}
	return nil
}

// replicate puts intervals on the figures, from bootstrap samples. Each sample serves all pairs.
func (v *surveyor) replicate(ctx context.Context) error {
	if len(v.asks) == 0 { // the graph has no edges
		return nil
	}
	v.settle()
	var sure []*group // groups with the questions that have intervals
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
				out[k] = caught(k.figures(s, v.res))
			}
			if err == nil {
				s.forget(v.res.Graph)
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
			wide, told, err := k.study.gather(column, v.Level, OverRows)
			if err != nil {
				continue // the samples do not determine it: no interval
			}
			k.answer.Interval = told
			k.bound(wide)
		}
	}
	return nil
}

// finish adds the distributions, checks the figures and rounds them. A pair with a non-finite figure is dropped; if none remain,
// its error is returned.
func (v *surveyor) finish(ctx context.Context) error {
	err := v.each(ctx, func(k *asked) error { return cmp.Or(k.distributions(ctx), k.answer.finite()) }, func(*group) {})
	if err != nil {
		return err
	}
	for _, g := range v.groups {
		for _, k := range g.asks {
			k.answer.each(func(x *float64) { *x = six(*x) })
			v.out.Answers = append(v.out.Answers, k.answer)
		}
	}
	return nil
}

// six rounds to six digits.
func six(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64) // its own output can be parsed
	return y
}
