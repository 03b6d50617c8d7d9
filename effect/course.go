package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/mechanism"
)

// dynamics is a fitted model of a time series. respond returns the changes at the steps 0 to horizon, if column a has another value at
// step 0 and then follows its own mechanism.
type dynamics interface {
	respond(ctx context.Context, a int, by shock, horizon int) (trajectory, error)
}

// A trajectory has the changes after a shock, by step and by figure of all columns.
type trajectory [][]float64

// A shock has two values of a column, or two changes of its observed values.
type shock struct {
	x       [2]float64
	changes bool
}

// The paths of a simulation start at rows of the table; bootstrap samples have fewer, because there are many of them. A survey has at least
// surveyPaths.
const (
	estimatePaths = 10_000
	samplePaths   = 2000
	surveyPaths   = 500
)

// A course is a result with lags, with all that its answers share.
type course struct {
	res     *polydag.Result
	links   *process
	flat    *polydag.Table  // the unrolled table; nil without a table
	own     polydag.Config  // the configuration for flat
	rows    *mechanism.Rows // the rows of flat; nil under linear effects
	first   []int           // the first figure of each column: a number has one, a category one for each level
	paths   int             // paths of a simulation for a bootstrap sample
	seed    uint64
	threads int
}

// newCourse returns the course of a result and its table, which is nil if there is none.
func newCourse(ctx context.Context, res *polydag.Result, table *polydag.Table, seed uint64, threads int) (*course, error) {
	links, err := processOf(res)
	if err != nil {
		return nil, err
	}
	c := &course{res: res, links: links, first: []int{0}, paths: samplePaths, seed: seed, threads: threads}
	if table != nil {
		cfg, err := confidence.Restore(res)
		if err != nil {
			return nil, err
		}
		if c.flat, c.own, err = table.Unrolled(cfg); err != nil {
			return nil, err
		}
		if wide := c.flat.Moments.Dim(); wide != len(links.order)*(res.Time.Lags+1) {
			return nil, fault.New(ErrOtherTable, fmt.Sprintf("the table has %d columns and lagged columns, and the result has %d", wide, len(links.order)*(res.Time.Lags+1)), "give the table with the settings that the result was learned with")
		}
	}
	if !res.Sloped() {
		if table == nil {
			return nil, needsRows(res)
		}
		if c.rows, err = c.read(ctx, c.flat, nil); err != nil {
			return nil, err
		}
	}
	for v := range links.order {
		c.first = append(c.first, c.first[v]+max(1, len(c.levels(v))))
	}
	return c, nil
}

// levels returns the categories of a column, nil for a number.
func (c *course) levels(v int) []float64 {
	if c.rows == nil {
		return nil
	}
	return c.rows.Levels[v]
}

// read reads the rows of an unrolled table. A column and its lagged values have the same levels.
func (c *course) read(ctx context.Context, t *polydag.Table, like *mechanism.Rows) (*mechanism.Rows, error) {
	rows, err := mechanism.Read(ctx, t, c.res.Model, like)
	if err != nil {
		return nil, err
	}
	rows.Uncrossed = len(rows.Columns) > basis.DefaultSettings().CrossedColumns
	if like != nil {
		return rows, nil
	}
	d := len(c.links.order)
	for v := range d {
		var all []float64
		for at := v; at < len(rows.Levels); at += d {
			all = append(all, rows.Levels[at]...)
		}
		if all == nil {
			continue
		}
		slices.Sort(all)
		all = slices.Compact(all)
		for at := v; at < len(rows.Levels); at += d {
			rows.Levels[at] = all
		}
	}
	return rows, nil
}

// fit returns the model of the result itself, with this number of paths.
func (c *course) fit(paths int) (dynamics, error) {
	if c.rows == nil {
		return c.links, nil
	}
	m, err := c.simulated(c.links, c.rows)
	if err != nil {
		return nil, err
	}
	m.paths, m.threads = paths, c.threads
	return m, nil
}

// simulated fits the mechanisms of a process to rows.
func (c *course) simulated(p *process, rows *mechanism.Rows) (*simulated, error) {
	m, err := newSimulated(c.res.Model, p, rows, c.first)
	if err != nil {
		return nil, err
	}
	m.paths, m.threads, m.seed = c.paths, 1, c.seed
	return m, nil
}

// refit fits a process to a bootstrap sample.
func (c *course) refit(ctx context.Context, p *process, t *polydag.Table) (dynamics, error) {
	if c.rows == nil {
		return p.refitted(t.Moments)
	}
	rows, err := c.read(ctx, t, c.rows)
	if err != nil {
		return nil, err
	}
	return c.simulated(p, rows)
}

// replicate returns a function that fits the model of a bootstrap sample: with the graph of the result, or with one of its own.
func (c *course) replicate(givenGraph bool) (func(context.Context, *polydag.Table) (dynamics, error), error) {
	if givenGraph {
		return func(ctx context.Context, t *polydag.Table) (dynamics, error) { return c.refit(ctx, c.links, t) }, nil
	}
	plan, err := confidence.NewPlan(c.own, c.res)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, t *polydag.Table) (dynamics, error) {
		cfg, err := plan.Config() // a separate method value for each replicate
		if err != nil {
			return nil, err
		}
		res, err := t.Learn(ctx, cfg, polydag.Run{})
		if err != nil {
			return nil, err
		}
		p, err := relearned(res, len(c.links.order))
		if err != nil || c.rows == nil {
			return p, err
		}
		return c.refit(ctx, p, t)
	}, nil
}

// asks sets the contrast and the figures of a question about the response of column b to a, and returns the shock. By default a number
// changes by one unit under linear effects, and by the standard deviation of its noise under others.
func (c *course) asks(ctx context.Context, k *asked, model dynamics) (shock, error) {
	m, ok := model.(*simulated)
	if !ok {
		k.study.shown = newOutcomes(nil, nil)
		err := k.unit()
		return shock{x: [2]float64{k.study.x0, k.study.x1}}, err
	}
	q := &k.study
	k.table, k.words = c.flat, words(c.res, c.flat.Kinds)
	k.source = &source{model: c.res.Model, data: c.rows, seed: c.seed}
	if k.Start == "" && c.levels(q.a) == nil {
		change, _ := strconv.ParseFloat(strconv.FormatFloat(math.Sqrt(m.net.Variance[q.a]), 'g', 3, 64), 64) // its own output can be parsed
		q.shown, k.answer.Contrast.Change = newOutcomes(c.levels(q.b), k.words[q.b]), change
		return shock{x: [2]float64{0, change}, changes: true}, nil
	}
	err := k.choose(ctx)
	return shock{x: [2]float64{q.x0, q.x1}}, err
}

// responses lists the changes of column b, by figure and step.
func (c *course) responses(k *asked, found trajectory) (out []Response) {
	for o, name := range k.study.shown.names {
		for t, values := range found {
			r := Response{Step: t, Quantity: Quantity{Value: c.of(k, values)[o]}}
			if k.study.shown.levels != nil {
				r.Outcome = name
			}
			out = append(out, r)
		}
	}
	return out
}

// of returns the reported figures of column b at one step.
func (c *course) of(k *asked, values []float64) []float64 {
	return k.study.shown.of(values[c.first[k.study.b]:c.first[k.study.b+1]])
}

// bound sets the intervals of responses from those of bootstrap samples.
func (c *course) bound(list []Response, k *asked, drawn []trajectory) {
	column := make([]float64, len(drawn))
	steps := len(list) / len(k.study.shown.names)
	for i := range list {
		for s, found := range drawn {
			column[s] = c.of(k, found[i%steps])[i/steps]
		}
		slices.Sort(column)
		put(&list[i].Quantity, quantile(column, (1-k.Level)/2), quantile(column, (1+k.Level)/2))
	}
}

// fitWork estimates the work to fit the model to a table, in units of SurveySettings.MostWork.
func (c *course) fitWork() float64 {
	rows, wide := float64(c.flat.Rows()), float64(c.flat.Moments.Dim())
	if c.rows == nil {
		return rows * wide * wide
	}
	sum := rows * wide // to draw and read the rows
	for v, into := range c.links.into {
		functions := float64(1 + len(into)*(1+basis.DefaultSettings().Curves)*max(1, len(c.levels(v))))
		sum += rows * functions * functions
	}
	return sum
}

// responseWork estimates the work of one path after a shock of each column, in these units.
func (c *course) responseWork(horizon int) (sum float64) {
	for _, into := range c.links.into {
		sum += float64(2*(horizon+1)*(1+len(into))) * evaluateWork
	}
	return sum * float64(len(c.links.order))
}
