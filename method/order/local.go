package order

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/basis"
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
	n      float64
	blocks *score.Blocks // in the order of the score; nil for counts
}

// local reads the rows and makes the score of a model.
func (m *Method) local(ctx context.Context, in *method.Input, model Model) (*local, error) {
	rows, err := newReader(ctx, in)
	if err != nil {
		return nil, err
	}
	l := &local{n: float64(in.Moments.N)}
	switch model {
	case Discrete:
		columns, err := rows.codes(ctx)
		if err != nil {
			return nil, err
		}
		build := func(order []int) (search.Score, error) {
			t, err := table(columns, order)
			if err != nil {
				return nil, err
			}
			return score.NewDiscrete(t, m.discrete())
		}
		return l, l.arrange(in.Names(), build)
	case Mixed:
		levels := make([]bool, len(in.Names()))
		for j, k := range in.Kinds {
			levels[j] = k.Kind == kind.Categorical
		}
		s := basis.DefaultSettings()
		s.Cosines, s.Crossed = 0, 0
		b, err := rows.blocks(ctx, levels, s)
		if err != nil {
			return nil, err
		}
		return l, l.arrange(in.Names(), func(order []int) (search.Score, error) {
			l.blocks = arrangeBlocks(b, order)
			return score.NewMixed(l.blocks)
		})
	}
	if l.blocks, err = rows.blocks(ctx, nil, smoothBasis(len(in.Names()))); err != nil {
		return nil, err
	}
	for j := range in.Names() {
		l.order = append(l.order, j) // numbers are in canonical order already
	}
	l.score, err = orStop(ctx, func() (search.Score, error) { return score.NewSmooth(l.blocks, score.DefaultSmoothSettings()) })
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

// discrete returns the settings of the discrete score.
func (m *Method) discrete() score.DiscreteSettings {
	s := score.DefaultDiscrete()
	if s.Criterion = score.BDeu; m.Criterion == BIC {
		s.Criterion = score.BIC
	}
	s.Ess, s.Gamma = m.Ess, m.Price.Gamma
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
			if gain := (bare - s) / l.n; gain > 0 {
				sum[v] += int(math.Round(gain * (1 << 20)))
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(names[a], names[b])) })
	l.order = order
	l.score, err = build(order)
	return err
}

// arrangeBlocks returns the blocks with variable order[i] in place i; nil is as they are. Products of functions are not
// among them.
func arrangeBlocks(b *score.Blocks, order []int) *score.Blocks {
	if order == nil {
		return b
	}
	out := &score.Blocks{N: b.N, Start: []int{0}, Levels: make([]bool, len(order))}
	var from []int
	for i, v := range order {
		out.Levels[i] = b.Levels[v]
		for f := b.Start[v]; f < b.Start[v+1]; f++ {
			from = append(from, f)
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
