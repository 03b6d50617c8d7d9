package intervene

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
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
	// MostPairs bounds the answers, MostValues the values of the table, which are held in memory, and MostWork the rows that figures are
	// averaged over, all figures together, and the values that are drawn. Where the work of all replicates would be more there are fewer of
	// them; at leastReplicates the nearest pairs have intervals and others none.
	MostPairs  int
	MostValues int
	MostWork   float64
}

// NewSurvey returns settings by which a survey takes seconds at most.
func NewSurvey() SurveySettings {
	return SurveySettings{Level: 0.9, Replicates: 99, Seed: 1, Threads: runtime.NumCPU(), MostPairs: 200, MostValues: 1 << 25, MostWork: 1e7}
}

// leastReplicates are needed for quantiles at the ends: with 19, the 5 % quantile is the first value.
const leastReplicates = 19

// What a survey sets a column to: all of its levels, the commonest of more than so many; or so many numbers, evenly spaced among the
// quantiles from 5 % to 95 %.
const (
	surveyLevels  = 12
	surveyNumbers = 9
)

// AskAll asks what setting each column does to each of its descendants in a DAG, with the contrast that Ask has by default, distributions at
// several values, and intervals that take the graph as known. It is Ask with GivenGraph for each pair, but that models are fitted
// once for all pairs, and that what goes through columns between has no interval. The table is nil only for a linear result.
func AskAll(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	if res.Kind != graph.KindDAG {
		return nil, fault.New(ErrNotIdentified, fmt.Sprintf("the graph is of kind %s, and effects of all pairs are told for a DAG alone", res.Kind), "ask about two columns")
	}
	v := &surveyor{SurveySettings: set, res: res, table: table}
	for _, step := range []func(context.Context) error{v.prepare, v.estimate, v.replicate, v.finish} {
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
	res   *polydag.Result
	table *polydag.Table
	asks  []*asked // by the column that is set
	sure  []*asked // those of them that have intervals
	out   Survey
}

// prepare chooses the pairs and reads the table, once for all.
func (v *surveyor) prepare(ctx context.Context) error {
	values := 0
	if v.table != nil && !v.res.Sloped() {
		if values = v.table.Moments.N * v.table.Moments.Dim(); values > v.MostValues {
			return fault.New(ErrTooWide, fmt.Sprintf("the table has %d values, and effects of all pairs hold at most %d in memory", values, v.MostValues), "take some of the rows with %s, or ask about two columns", fault.Use("rows"))
		}
	}
	pairs := descent(v.res.Graph)
	v.out.Pairs = len(pairs)
	var first *asked
	classes := map[int]*asked{} // by the column that is set
	work := 0.0
	for _, p := range pairs[:min(len(pairs), v.MostPairs)] {
		q := NewQuestion(v.res.Names[p.a], v.res.Names[p.b])
		q.Level, q.Replicates, q.Seed, q.Threads, q.GivenGraph = v.Level, v.Replicates, v.Seed, v.Threads, true
		k := &asked{Question: q, res: v.res, table: v.table, answer: &Answer{Schema: Schema, Of: q.Of, On: q.On, Model: v.res.Model, Rows: v.res.Rows, Caution: effect.Caution}}
		k.study.a, k.study.b = p.a, p.b
		if first == nil {
			if err := k.read(ctx); err != nil {
				return err
			}
			k.source.kept = map[*graph.Graph]fitted{}
			first = k
		}
		k.source, k.words, k.answer.Rows = first.source, first.words, first.answer.Rows
		if same := classes[p.a]; same != nil {
			k.open, k.class = same.open, same.class
		} else {
			var err error
			if k.open, k.class, err = members(v.res, p.a); errors.Is(err, ErrTooWide) {
				continue // more graphs than can be looked at
			} else if err != nil {
				return err
			}
			classes[p.a] = k
		}
		if err := k.choose(ctx); err != nil {
			return err
		}
		k.study.do = k.source.spots(p.a)
		for _, x := range k.study.do {
			k.Do = append(k.Do, label(k.words[p.a], x))
		}
		k.cost = float64(len(k.class)*(3+len(k.study.do))) * k.source.rows()
		if work += k.cost; work > v.MostWork {
			work -= k.cost
			continue
		}
		v.asks = append(v.asks, k)
	}
	v.Replicates = min(v.Replicates, max(leastReplicates, int(v.MostWork/max(work+float64(values), 1))))
	left := v.MostWork/float64(max(v.Replicates, 1)) - float64(values)
	for _, k := range v.asks {
		if left -= k.cost; left < 0 || v.Replicates < leastReplicates {
			break
		}
		v.sure = append(v.sure, k)
	}
	for _, list := range [][]*asked{v.asks, v.sure} {
		slices.SortFunc(list, func(x, y *asked) int {
			return cmp.Or(cmp.Compare(x.study.a, y.study.a), cmp.Compare(x.study.b, y.study.b))
		})
	}
	return nil
}

// estimate computes the figures of the table itself. A pair that has none, such as one with a column of too many levels between, is left
// out; that all have none is an error.
func (v *surveyor) estimate(ctx context.Context) error {
	var first error
	told := map[*asked]bool{}
	for i, k := range v.asks {
		err := k.estimate(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if told[k] = err == nil; told[k] {
			v.out.Answers = append(v.out.Answers, k.answer)
		} else if first == nil {
			first = err
		}
		v.forget(k.source, v.asks, i)
	}
	if len(v.out.Answers) == 0 {
		return first
	}
	v.asks = slices.DeleteFunc(v.asks, func(k *asked) bool { return !told[k] })
	v.sure = slices.DeleteFunc(v.sure, func(k *asked) bool { return !told[k] })
	return nil
}

// forget drops the models that only the column of question i needs, after the last question about it: those of the other graphs of its
// class.
func (v *surveyor) forget(s *source, list []*asked, i int) {
	if i+1 < len(list) && list[i+1].study.a == list[i].study.a {
		return
	}
	for g := range s.kept {
		if g != v.res.Graph {
			delete(s.kept, g)
		}
	}
}

// replicate puts intervals on the figures: by formula under a linear model, else from resampled tables, each of which serves all pairs.
func (v *surveyor) replicate(ctx context.Context) error {
	if len(v.sure) == 0 {
		return nil
	}
	like := v.sure[0].source
	if like.model == score.LinearEffects {
		for _, k := range v.sure {
			if err := k.intervals(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	draws, err := v.table.Resampler(ctx, mostValues*8)
	if err != nil {
		return err
	}
	all, err := spread(ctx, v.Replicates, v.Threads, nil, func(r int) []replicate {
		out := make([]replicate, len(v.sure))
		s, err := v.redraw(ctx, draws, like, r)
		for i, k := range v.sure {
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				out[i].failed = err
				continue
			}
			out[i] = k.again(s)
			v.forget(s, v.sure, i)
		}
		return out
	})
	if err != nil {
		return err
	}
	column := make([]replicate, len(all))
	for i, k := range v.sure {
		for r := range all {
			column[r] = all[r][i]
		}
		q := k.study
		q.mediators = nil
		low, high, told, err := q.gather(column, v.Level, OverRows)
		if err != nil {
			continue // the tables that were drawn do not say it: it has no interval
		}
		k.answer.Interval = told
		k.bound(low, high)
	}
	return nil
}

// redraw returns the source of replicate r, the one that Ask has.
func (v *surveyor) redraw(ctx context.Context, draws *polydag.Resampler, like *source, r int) (*source, error) {
	drawn, err := draws.Draw(ctx, polydag.Draw{Kind: polydag.Bootstrap, Seed: v.Seed, Replicate: r})
	if err != nil {
		return nil, err
	}
	s, err := newSource(ctx, v.res, drawn, v.Seed+uint64(r), like)
	if err == nil {
		s.kept = map[*graph.Graph]fitted{}
	}
	return s, err
}

// again computes the figures of a resampled table, without what goes through columns between.
func (k *asked) again(s *source) replicate {
	q := k.study
	q.mediators = nil
	low, high, _, err := q.over(s, k.class)
	if err != nil {
		return replicate{failed: err}
	}
	return replicate{low: low.flat(), high: high.flat(), reaches: true, open: !alike(low.total, high.total)}
}

// finish adds the distributions, checks the figures and rounds them. A pair whose figures are beyond numbers is left out; where that
// leaves none, its fault is returned.
func (v *surveyor) finish(ctx context.Context) error {
	v.out.Answers = nil
	var first error
	for _, k := range v.asks {
		err := k.distributions(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err = cmp.Or(err, k.answer.finite()); err != nil {
			first = cmp.Or(first, err)
			continue
		}
		k.answer.each(func(x *float64) { *x = six(*x) })
		v.out.Answers = append(v.out.Answers, k.answer)
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

// descended is a column, one that descends from it, and the edges of the shortest path between them.
type descended struct{ a, b, far int }

// descent lists every pair of a column and a descendant, nearest first.
func descent(g *graph.Graph) (out []descended) {
	for a := range g.N() {
		far := make([]int, g.N())
		for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
			for _, c := range g.Children(queue[0]) {
				if far[c] == 0 {
					far[c] = far[queue[0]] + 1
					queue = append(queue, c)
					out = append(out, descended{a, c, far[c]})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y descended) int {
		return cmp.Or(cmp.Compare(x.far, y.far), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
}

// spots are the values of a column that a survey sets it to, rising.
func (s *source) spots(v int) (out []float64) {
	if s.data == nil {
		mean, std := s.moments.Mean[v], s.moments.Std()[v]
		return []float64{mean - std, mean, mean + std}
	}
	if levels := s.data.levels[v]; levels != nil {
		if len(levels) <= surveyLevels {
			return levels
		}
		count := make([]int, len(levels))
		for _, x := range s.data.columns[v] {
			count[s.data.code(v, x)]++
		}
		codes := make([]int, len(levels))
		for c := range codes {
			codes[c] = c
		}
		slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
		for _, c := range codes[:surveyLevels] {
			out = append(out, levels[c])
		}
		slices.Sort(out)
		return out
	}
	x := slices.Clone(s.data.columns[v])
	slices.Sort(x)
	for k := range surveyNumbers {
		out = append(out, six(quantile(x, 0.05+0.9*float64(k)/(surveyNumbers-1))))
	}
	return slices.Compact(out)
}

// rows is what one figure costs: the rows that it is averaged over or, where probabilities are tables, about as much as the elimination
// of the other columns takes.
func (s *source) rows() float64 {
	switch {
	case s.data == nil:
		return 1
	case s.model == score.TableEffects:
		return 50 * float64(len(s.data.columns))
	}
	return float64(s.data.n)
}

// remembering is a model that is asked for the same figures many times.
type remembering struct {
	fitted
	seen map[doKey][]float64
}

type doKey struct {
	a, b int
	x    float64
}

func (m *remembering) do(a, b int, x float64) ([]float64, error) {
	key := doKey{a, b, x}
	if y, ok := m.seen[key]; ok {
		return y, nil
	}
	y, err := m.fitted.do(a, b, x)
	if err == nil {
		m.seen[key] = y
	}
	return y, err
}
