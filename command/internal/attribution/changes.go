package attribution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/parallel"
)

// Changes says which mechanisms differ between two tables, and what they contribute to the change of a target.
type Changes struct {
	RowsBefore int     `json:"rows_before"`
	RowsAfter  int     `json:"rows_after"`
	FDR        float64 `json:"false_discovery_rate"`
	// Mechanisms lists all columns: those that differ first, by the size of their contribution to the change of the target and then by
	// the clearness of the difference. Changed is their number.
	Mechanisms []Mechanism `json:"mechanisms"`
	Changed    int         `json:"changed"`
	Target     *Target     `json:"target,omitempty"`
}

// A Mechanism is a column given its parents.
type Mechanism struct {
	Name    string   `json:"name"`
	Parents []string `json:"parents"`
	// P is the p-value of no difference, and Q the p-value corrected for the number of columns (Benjamini and Hochberg).
	P float64 `json:"p"`
	Q float64 `json:"q"`
	// Size is, for a number, the root mean square difference of its expected value given the same parents, in standard deviations;
	// for a category, the mean total variation distance of its distributions, 0–1.
	Size    float64 `json:"size"`
	Changed bool    `json:"changed"`
}

// A Target is the column whose change is attributed.
type Target struct {
	Name string `json:"name"`
	// Category is the category whose share is attributed, the one that changed most; empty for the mean of a number.
	Category string  `json:"category,omitempty"`
	Before   float64 `json:"before"`
	After    float64 `json:"after"`
	Change   float64 `json:"change"`
	// Contributions are Shapley values. Each has the changed mechanism of one column, and the last those of all other ancestors.
	Contributions []Contribution `json:"contributions"`
	// Unexplained is the change minus the contributions: what the model of the mechanisms does not reproduce.
	Unexplained float64 `json:"unexplained"`
	// Level is the confidence level of the intervals, and Replicates the number of bootstrap samples used.
	Level      float64 `json:"level,omitempty"`
	Replicates int     `json:"replicates,omitempty"`
	// GivenGraph reports that the intervals condition on the graph. Otherwise each bootstrap sample has its own graph.
	GivenGraph bool `json:"given_graph,omitempty"`
}

// A Contribution is a part of the change of the target.
type Contribution struct {
	// Name is the column whose mechanism changed; empty for all others together, whose number is Others.
	Name   string   `json:"name,omitempty"`
	Others int      `json:"others,omitempty"`
	Value  float64  `json:"value"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
}

// Compare says what changed between the rows of the two environments of a table; the one whose name sorts first is the one before.
func Compare(ctx context.Context, t *polydag.Table, q Question, s Settings) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if t.Environments == nil || len(t.Environments.Names) != 2 {
		return nil, errors.New("a comparison needs rows of two tables; one of them has no complete row")
	}
	d, err := q.read(ctx, t)
	if err != nil {
		return nil, err
	}
	var sides [2][]int
	turned := t.Environments.Names[0] > t.Environments.Names[1]
	for i, k := range d.environment {
		if turned {
			k = 1 - k
		}
		sides[k] = append(sides[k], i)
	}
	c := &Changes{RowsBefore: len(sides[0]), RowsAfter: len(sides[1]), FDR: s.FDR}
	if c.Mechanisms, err = d.differences(ctx, sides, s); err != nil {
		return nil, err
	}
	for _, m := range c.Mechanisms {
		if m.Changed {
			c.Changed++
		}
	}
	if d.target >= 0 {
		if c.Target, err = d.attribute(ctx, sides, c.Mechanisms, q.Graphs, s); err != nil {
			return nil, err
		}
		c.rank()
	}
	r := d.report()
	r.Changes = c
	return r, nil
}

// rank orders the mechanisms that differ by their contribution to the change of the target.
func (c *Changes) rank() {
	size := map[string]float64{}
	for _, x := range c.Target.Contributions {
		size[x.Name] = math.Abs(x.Value)
	}
	slices.SortStableFunc(c.Mechanisms[:c.Changed], func(a, b Mechanism) int { return cmp.Compare(size[b.Name], size[a.Name]) })
}

// differences tests all mechanisms.
func (d *data) differences(ctx context.Context, sides [2][]int, s Settings) ([]Mechanism, error) {
	out := make([]Mechanism, d.g.N())
	errs := make([]error, d.g.N())
	parallel.Each(ctx, d.g.N(), s.Threads, func(int) func(int) {
		return func(v int) {
			m := Mechanism{Name: d.names[v], Parents: []string{}}
			for _, p := range d.g.Parents(v) {
				m.Parents = append(m.Parents, d.names[p])
			}
			var r mechanism.Difference
			r, errs[v] = mechanism.Differ(d.model, d.g, d.rows, sides[0], sides[1], v)
			m.P, m.Size = r.P, r.Size
			out[v] = m
		}
	})
	if err := errors.Join(append(errs, context.Cause(ctx))...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Mechanism) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Size, a.Size))
	})
	least := 1.0
	for k := len(out) - 1; k >= 0; k-- {
		least = min(least, out[k].P*float64(len(out))/float64(k+1))
		out[k].Q, out[k].Changed = least, least <= s.FDR
	}
	return out, nil
}

// attribute computes the contributions of the changed mechanisms to the change of the target.
func (d *data) attribute(ctx context.Context, sides [2][]int, mechanisms []Mechanism, graphs *Graphs, s Settings) (*Target, error) {
	own := slices.Clone(d.needed)
	slices.Sort(own)
	var players []int
	for _, v := range own {
		if slices.ContainsFunc(mechanisms, func(m Mechanism) bool { return m.Changed && m.Name == d.names[v] }) {
			players = append(players, v)
		}
	}
	t := &Target{Name: d.names[d.target]}
	category := d.observe(t, sides)
	others := len(d.needed) - len(players)
	length := len(players) + min(1, others)
	one := func(d *data, rows [2]*mechanism.Rows, draws int, seed uint64) ([]float64, error) {
		more := slices.ContainsFunc(d.needed, func(v int) bool { return !slices.Contains(players, v) })
		var fits [2]*mechanism.Network
		for k := range fits {
			var err error
			if fits[k], err = mechanism.FitNetwork(d.model, d.g, rows[k], d.needed); err != nil {
				return nil, err
			}
		}
		for k := range fits {
			fits[k].Borrow(fits[1-k], rows[k], rows[1-k], d.needed)
		}
		var u [][]float64
		if !d.affine() {
			u = d.uniforms(draws, seed)
		}
		side := make([]int, d.g.N())
		count := len(players)
		if more {
			count++
		}
		out, err := shapley(count, s.Seed, func(in []bool) (float64, error) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			rest := 0
			if more && in[len(players)] {
				rest = 1
			}
			for v := range side {
				side[v] = rest
			}
			for p, v := range players {
				if side[v] = 0; in[p] {
					side[v] = 1
				}
			}
			return d.figure(category, u, func(v int) *mechanism.Network { return fits[side[v]] }), nil
		})
		if err != nil {
			return nil, err
		}
		return append(out, 0)[:length], nil // a graph of a bootstrap sample may have other ancestors
	}
	whole := [2]*mechanism.Rows{d.rows.Select(nil, sides[0]), d.rows.Select(nil, sides[1])}
	values, err := one(d, whole, 10_000, s.Seed)
	if err != nil {
		return nil, err
	}
	estimate := func(r int, rows [2]*mechanism.Rows, seed uint64) (center, own []float64, err error) {
		at, center := d, values
		if graphs != nil {
			g, err := graphs.draw(ctx, d.names, r)
			if err != nil {
				return nil, nil, err
			}
			at = d.under(g)
			if center, err = one(at, whole, 4000, seed); err != nil {
				return nil, nil, err
			}
		}
		own, err = one(at, rows, 4000, seed)
		return center, own, err
	}
	low, high, used, err := d.resample(ctx, sides, s, estimate)
	if err != nil {
		return nil, err
	}
	t.Unexplained = t.Change
	for k, x := range values {
		c := Contribution{Value: d.exact(d.target, x)}
		if c.Others = others; k < len(players) {
			c.Name, c.Others = d.names[players[k]], 0
		}
		if low != nil {
			low[k], high[k] = d.exact(d.target, low[k]), d.exact(d.target, high[k])
			c.Low, c.High = &low[k], &high[k]
		}
		t.Contributions = append(t.Contributions, c)
		t.Unexplained -= x
	}
	t.Unexplained = d.exact(d.target, t.Unexplained)
	if low != nil {
		t.Level, t.Replicates, t.GivenGraph = s.Level, used, graphs == nil
	}
	slices.SortStableFunc(t.Contributions, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(a.Others, b.Others), cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)))
	})
	return t, nil
}

// observe fills the observed figures of the target and returns the code of its category that changed most, 0 for a number.
func (d *data) observe(t *Target, sides [2][]int) (category int) {
	levels := d.rows.Levels[d.target]
	figures := [2][]float64{make([]float64, max(1, len(levels))), make([]float64, max(1, len(levels)))}
	for k, rows := range sides {
		for _, i := range rows {
			x := d.rows.Columns[d.target][i]
			if levels == nil {
				figures[k][0] += x / float64(len(rows))
			} else {
				figures[k][d.rows.Code(d.target, x)] += 1 / float64(len(rows))
			}
		}
	}
	for c := range levels {
		if math.Abs(figures[1][c]-figures[0][c]) >= math.Abs(figures[1][category]-figures[0][category]) {
			category = c // with two categories, the last
		}
	}
	if levels != nil {
		t.Category = kind.Label(d.words[d.target], levels[category])
	}
	t.Before, t.After = d.exact(d.target, figures[0][category]), d.exact(d.target, figures[1][category])
	t.Change = d.exact(d.target, figures[1][category]-figures[0][category])
	return category
}

// resample returns basic bootstrap intervals of the contributions: the estimate minus quantiles of the error in bootstrap samples of the
// rows of both tables. Unlike percentiles they correct the bias of probabilities that are estimated from few rows. estimate returns the
// contributions in all rows and in those of sample r, under the graph of that sample.
func (d *data) resample(ctx context.Context, sides [2][]int, s Settings, estimate func(r int, rows [2]*mechanism.Rows, seed uint64) (center, own []float64, err error)) (low, high []float64, used int, err error) {
	if s.Replicates == 0 {
		return nil, nil, 0, nil
	}
	all := make([][]float64, s.Replicates)
	errs := make([]error, s.Replicates)
	parallel.Each(ctx, s.Replicates, s.Threads, func(int) func(int) {
		return func(r int) {
			rng := rand.New(rand.NewPCG(s.Seed, uint64(r)+1))
			var rows [2]*mechanism.Rows
			for k, from := range sides {
				drawn := make([]int, len(from))
				for i := range drawn {
					drawn[i] = from[rng.IntN(len(from))]
				}
				rows[k] = d.rows.Select(nil, drawn)
			}
			center, own, err := estimate(r, rows, rng.Uint64())
			if errs[r] = err; err != nil {
				return
			}
			for k, x := range own {
				own[k] = 2*center[k] - x
			}
			all[r] = own
		}
	})
	if ctx.Err() != nil {
		return nil, nil, 0, context.Cause(ctx)
	}
	all = slices.DeleteFunc(all, func(x []float64) bool { return x == nil })
	if len(all) < 2 {
		return nil, nil, 0, fmt.Errorf("%d of %d bootstrap samples gave an estimate: %w", len(all), s.Replicates, errors.Join(errs...))
	}
	column := make([]float64, len(all))
	for k := range all[0] {
		for r := range all {
			column[r] = all[r][k]
		}
		slices.Sort(column)
		low, high = append(low, quantile(column, (1-s.Level)/2)), append(high, quantile(column, (1+s.Level)/2))
	}
	return low, high, len(all), nil
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	k := min(int(at), len(sorted)-2)
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}
