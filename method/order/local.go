package order

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A local is a table under a local score. The score has the columns in an order of its own, which depends neither on where
// they stand nor on the numbers that stand for levels: column i of the score is column order[i] of the input.
type local struct {
	score  search.Score
	order  []int
	own    bool // levels of their own stand for columns in the regimes that set them
	sample bool // of rows, for a first look: the whole table comes after it
	// group is which rows count for each column of the score, of those that a table with targets has several groups of; rows
	// is how many they are, and blocks their functions, nil for counts and where no row counts.
	group  []int
	rows   []float64
	blocks []*score.Blocks
	// contexts are the regimes behind the columns, where their targets are unknown.
	contexts []int
	// What effects are described with: the counts in the order of the score, or the functions in that of the input, and what
	// the levels of each column are, in the order of the input.
	table     *counts.Table
	functions *basis.Functions
	values    [][]float64
	// categories says which columns of the input the mixed model takes as categories; nil under other models.
	categories []bool
}

// n returns how many rows count for column v of the score, at least 1.
func (l *local) n(v int) float64 { return max(1, l.rows[l.group[v]]) }

// local reads the rows and makes the score of a model.
func (m *Method) local(ctx context.Context, in *method.Input, model Model) (*local, error) {
	if in.Regimes != nil && in.Regimes.Unknown {
		return m.changing(ctx, in, model)
	}
	return m.localOf(ctx, in, model, 0)
}

// localOf is local of a table in which the last columns are contexts.
func (m *Method) localOf(ctx context.Context, in *method.Input, model Model, contexts int) (*local, error) {
	if err := m.refuse(in); err != nil {
		return nil, err
	}
	if model == Linear {
		return m.linear(in)
	}
	rows, err := newReader(ctx, in)
	if err != nil {
		return nil, err
	}
	groups, of := groups(in)
	l := &local{group: of, own: m.TargetValues == Own}
	for _, regimes := range groups {
		l.rows = append(l.rows, rowsOf(in, regimes))
	}
	switch model {
	case Discrete:
		coded, values, regimes, err := rows.codes(ctx)
		if err != nil {
			return nil, err
		}
		l.values = values
		if l.own && in.Regimes != nil {
			for i, k := range regimes {
				for _, v := range in.Regimes.Targets[k] {
					coded.Columns[v][i] = uint32(kind.MostLevels + k) // no level has that number
				}
			}
		}
		build := func(order []int) (search.Score, error) {
			if order != nil {
				l.table = l.table.Arranged(order)
			} else if l.table, err = table(coded, regimes, in.Regimes, in.Drawn); err != nil {
				return nil, err
			}
			return score.NewDiscrete(l.table, m.discrete(in))
		}
		return l, l.arrange(in.Names(), build)
	case Mixed:
		levels := unordered(in)
		for j, k := range in.Kinds {
			levels[j] = levels[j] || k.Kind == kind.Categorical
		}
		l.categories = levels
		s := basis.DefaultSettings()
		s.Cosines, s.Crossed = 0, 0
		b, err := rows.blocks(ctx, levels, s, groups)
		if err != nil {
			return nil, err
		}
		l.functions, l.values = b.functions, b.values
		return l, l.arrange(in.Names(), func(order []int) (search.Score, error) {
			l.blocks = nil
			scores := make([]search.Score, len(b.blocks))
			for k, own := range b.blocks {
				own = arrangeBlocks(own, order)
				l.blocks = append(l.blocks, own)
				if own == nil {
					continue
				}
				if scores[k], err = score.NewMixed(own); err != nil {
					return nil, err
				}
			}
			return byColumn(scores, arrange(of, order))
		})
	}
	s := smoothBasis(len(in.Names()))
	if len(groups) > 1 || contexts > 0 {
		s.Crossed = 0 // the products of pairs would be there for each group
	}
	b, err := rows.blocks(ctx, nil, s, groups)
	if err != nil {
		return nil, err
	}
	l.blocks, l.functions, l.values = b.blocks, b.functions, b.values
	scores := make([]search.Score, len(groups))
	set := score.DefaultSmoothSettings()
	set.Drawn = in.Drawn
	for k, own := range l.blocks {
		if own == nil {
			continue
		}
		smooth, err := orStop(ctx, func() (*score.Smooth, error) { return score.NewSmooth(own, set) })
		if err != nil {
			return nil, err
		}
		scores[k] = smooth
	}
	for j := range in.Names() {
		l.order = append(l.order, j) // numbers are in canonical order already
	}
	l.score, err = byColumn(scores, of)
	return l, err
}

// smoothFunctions is the largest number of functions of all columns together under smooth effects, as far as three curves a column
// allow it: 128 MB a matrix.
const smoothFunctions = 4000

// smoothBasis is how columns are expanded under smooth effects: seven curves a column, and three where there are more than 500 columns.
func smoothBasis(columns int) basis.Settings {
	s := basis.DefaultSettings()
	if columns*(s.Cosines+1) > smoothFunctions {
		s.Cosines = 3
	}
	return s
}

// byColumn is the score itself where all columns share one.
func byColumn(scores []search.Score, of []int) (search.Score, error) {
	if len(scores) == 1 && scores[0] != nil {
		return scores[0], nil
	}
	return score.NewByColumn(scores, of)
}

// rowsOf is how many rows the regimes have.
func rowsOf(in *method.Input, regimes []int) float64 {
	if in.Regimes == nil {
		return float64(in.Moments.N)
	}
	n := 0
	for _, k := range regimes {
		n += in.Regimes.Moments[k].N
	}
	return float64(n)
}

// arrange returns the values in another order; nil is as they are.
func arrange(values, order []int) []int {
	if order == nil {
		return values
	}
	out := make([]int, len(order))
	for i, v := range order {
		out[i] = values[v]
	}
	return out
}

// discrete returns the settings of the discrete score.
func (m *Method) discrete(in *method.Input) score.DiscreteSettings {
	s := score.DefaultDiscrete()
	if s.Criterion = score.BDeu; m.Criterion == BIC {
		s.Criterion = score.BIC
	}
	if s.Ess, s.Gamma, s.Weight = m.Ess, m.Price.Gamma, in.Weight(); m.adaptsEss(in) {
		s.Ess = score.TargetsEss
	}
	// With targets the prior weighs a tenth of a row, and the first order may not be enough: with it the consensus of Sachs's proteins at 0.85
	// missed one of their 17 edges, and none without. docs/bootstrap.md has the figures, which this was decided by.
	s.Drawn = in.Drawn && in.Regimes == nil
	return s
}

// arrange makes the score twice: with the columns as they are, to see how much each has to do with the others, and sorted by
// that; columns that agree in it are sorted by their names. What one column tells of another under the score is a matter of
// the rows alone, where the correlation of codes depends on how levels are numbered.
func (l *local) arrange(names []string, build func(order []int) (search.Score, error)) (err error) {
	if l.score, err = build(nil); err != nil {
		return err
	}
	order, sum := make([]int, len(names)), make([]int, len(names))
	eval, with := l.score.Evaluator(), make([]float64, len(names))
	for v := range names {
		order[v] = v
		bare := eval.Score(v, nil)
		for x := range with {
			with[x] = bare
		}
		eval.Additions(with, v, nil)
		for _, s := range with {
			// Whole multiples of 2⁻²⁰ have the same sum in every order.
			if gain := (bare - s) / l.n(v); gain > 0 {
				sum[v] += int(math.Round(gain * (1 << 20)))
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(names[a], names[b])) })
	l.order, l.group = order, arrange(l.group, order)
	l.score, err = build(order)
	return err
}

// arrangeBlocks returns the blocks with variable order[i] in place i; nil is as they are. Products of functions are not
// among them.
func arrangeBlocks(b *score.Blocks, order []int) *score.Blocks {
	if order == nil || b == nil {
		return b
	}
	out := &score.Blocks{N: b.N, Start: []int{0}, Levels: make([]bool, len(order))}
	var from []int
	for i, v := range order {
		out.Levels[i] = b.Levels[v]
		for f := b.Start[v]; f < b.Start[v+1]; f++ {
			from = append(from, f)
			out.Mean = append(out.Mean, b.Mean[f])
		}
		out.Start = append(out.Start, len(from))
	}
	out.Gram = matrix.New[float64](len(from), len(from))
	for i, p := range from {
		row, old := out.Gram.Row(i), b.Gram.Row(p)
		for j, q := range from {
			row[j] = old[q]
		}
	}
	return out
}
