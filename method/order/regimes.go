package order

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Where some column was set from outside in some rows, those rows tell nothing about what it depends on. They are left out of its
// local score and of no other, so that each column has a score of its own: of the moments, the counts or the functions of the rows in
// which it was free. Columns that were set in the same regimes share one.

// ErrVariance is the fault of equal noise variances where there are targets.
var ErrVariance = fault.Kind("variance-targets", "equal noise variances are compared over rows that are the same for all columns; leave the variance to unequal")

// ErrRegimesBudget is the fault of a budget of edges where regimes act on unknown columns.
var ErrRegimesBudget = fault.Kind("budget-regimes", "a budget of edges would count what regimes change among the edges; leave it out, or say what was set")

// groups returns the sets of regimes that count for columns, and which is that of each column: one of all for a table without.
func groups(in *method.Input) (groups [][]int, of []int) {
	if in.Regimes == nil {
		return [][]int{{0}}, make([]int, len(in.Names()))
	}
	return in.Regimes.Groups(len(in.Names()))
}

// linear is the score of the linear model, from moments by regime.
func (m *Method) linear(in *method.Input) (*local, error) {
	pool, err := dataset.NewPool(in.Moments, in.Regimes)
	if err != nil {
		return nil, err
	}
	d := len(in.Names())
	l := &local{group: pool.Group}
	var scores []search.Score
	settings := m.Price.Apply(search.DefaultSettings())
	for _, own := range pool.By {
		s, err := score.NewGaussianLocal(own.Correlation(), own.N, settings.EdgePenalty(max(own.N, 3), d))
		if err != nil {
			return nil, err
		}
		scores, l.rows = append(scores, s), append(l.rows, float64(own.N))
	}
	for v := range d {
		l.order = append(l.order, v) // canonical already
	}
	l.score, err = score.NewByColumn(scores, pool.Group)
	return l, err
}

// grams gathers the moments of functions by group of regimes.
type grams struct {
	d      int
	member [][]bool // of each group: which regimes count
	by     []*basis.Gram
	rows   []int
	part   []float64
}

func newGrams(f *basis.Functions, in *method.Input, groups [][]int) *grams {
	g := &grams{d: len(in.Names()), rows: make([]int, len(groups))}
	for _, regimes := range groups {
		var member []bool
		if in.Regimes != nil {
			member = make([]bool, len(in.Regimes.Names))
			for _, k := range regimes {
				member[k] = true
			}
		}
		g.member, g.by = append(g.member, member), append(g.by, f.NewGram(in.Threads))
	}
	return g
}

// add gives rows to the groups that they count for.
func (g *grams) add(rows []float64, regimes []int) error {
	for k, gram := range g.by {
		part := rows
		if g.member[k] != nil && slices.Contains(g.member[k], false) {
			part = g.part[:0]
			for i, of := range regimes {
				if g.member[k][of] {
					part = append(part, rows[i*g.d:(i+1)*g.d]...)
				}
			}
			g.part = part
		}
		g.rows[k] += len(part) / g.d
		if err := gram.Add(part); err != nil {
			return err
		}
	}
	return nil
}

// blocks returns the blocks of each group; nil where no row counts.
func (g *grams) blocks() ([]*score.Blocks, error) {
	out := make([]*score.Blocks, len(g.by))
	for k, gram := range g.by {
		if g.rows[k] < leastRows {
			continue
		}
		var err error
		if out[k], err = gram.Blocks(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leastRows is with how many rows a column may have parents.
const leastRows = 3

// largestRegime returns the rows of the sample that are of one regime, the one that has most of them.
func largestRegime(in *method.Input) *dataset.Sample {
	if in.Regimes == nil || in.Sample.Regimes == nil {
		return in.Sample
	}
	rows := make([]int, len(in.Regimes.Names))
	for _, k := range in.Sample.Regimes {
		rows[k]++
	}
	most := slices.Index(rows, slices.Max(rows))
	out := &dataset.Sample{Columns: in.Sample.Columns}
	for i, k := range in.Sample.Regimes {
		if k == most {
			out.Index, out.Values = append(out.Index, in.Sample.Index[i]), append(out.Values, in.Sample.Row(i)...)
		}
	}
	return out
}

// adaptsEss reports whether the weight of the prior is that for columns that were set.
func (m *Method) adaptsEss(in *method.Input) bool {
	return m.AdaptEss && m.Criterion == BDeu && in.Regimes != nil && in.Regimes.HasTargets()
}

// refuse reports whether equal variances are asked for where columns have rows of their own, or a budget where regimes have
// edges of their own.
func (m *Method) refuse(in *method.Input) error {
	if in.Regimes != nil && in.Regimes.Unknown && m.limited() {
		return fault.New(ErrRegimesBudget, fmt.Sprintf("a budget of edges is for columns, and it is not known what the regimes of column %s act on", in.Regimes.Column),
			"say what was set with %s instead of %s, or leave %s and %s out", fault.Use("targets"), fault.Use("regimes"), fault.Use("max-edges"), fault.Use("min-strength"))
	}
	if in.Regimes == nil || m.Variance != Equal {
		return nil
	}
	return fault.New(ErrVariance, fmt.Sprintf("equal noise variances are compared over rows that are the same for all columns, and column %s says that they are not", in.Regimes.Column),
		"use %s", fault.Set("variance", "unequal"))
}
