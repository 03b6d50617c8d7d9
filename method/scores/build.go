package scores

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// build reads the rows and makes the score of a model. The last contexts columns of the input are contexts.
func (s *Settings) build(ctx context.Context, in *method.Input, model Model, contexts int) (*ScoredTable, error) {
	if model == Linear {
		return s.linear(in)
	}
	rows, err := NewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	groups, of := Groups(in)
	t := &ScoredTable{group: of, ownLevels: s.TargetValues == Own, forms: s.Tables}
	for _, environments := range groups {
		t.rows = append(t.rows, rowsOf(in, environments))
	}
	switch model {
	case Discrete:
		t.Step = codeStep(in.RowCount(), len(in.Names()))
		coded, values, environments, err := rows.Codes(ctx, t.Step)
		if err != nil {
			return nil, err
		}
		t.values = values
		for k := range t.rows {
			t.rows[k] /= float64(t.Step)
		}
		if t.ownLevels && in.Environments != nil {
			if most := math.MaxUint16 - kind.MostLevels; len(in.Environments.Targets) > most {
				return nil, fmt.Errorf("%d environments, want at most %d for own values of intervention targets", len(in.Environments.Targets), most)
			}
			for i, k := range environments {
				for _, v := range in.Environments.Targets[k] {
					coded.Columns[v][i] = uint16(kind.MostLevels + k) // not the code of any level
				}
			}
		}
		set := s.discrete(in)
		build := func(order []int) (search.Score, error) {
			if order != nil {
				t.Counts = t.Counts.Arranged(order)
				var full *score.Discrete
				if set.Tables, full, err = s.decideTables(ctx, in, contexts, t.Counts, set); err != nil {
					return nil, err
				}
				if t.additive = set.Tables != score.FullTables; !t.additive && full != nil {
					return full, nil
				}
			} else if t.Counts, err = counted(coded, environments, in.Environments, in.Drawn); err != nil {
				return nil, err
			}
			own := set
			if order == nil {
				own.Tables = score.FullTables // both kinds agree for one parent
			}
			return score.NewDiscrete(t.Counts, own)
		}
		return t, t.arrange(in.Names(), build)
	case Mixed:
		levels := categories(in)
		t.Categories = levels
		lines := basis.DefaultSettings()
		lines.Curves, lines.Crossed = 0, 0
		b, err := rows.Blocks(ctx, levels, lines, groups)
		if err != nil {
			return nil, err
		}
		t.Functions, t.values = b.functions, b.values
		return t, t.arrange(in.Names(), func(order []int) (search.Score, error) {
			t.Blocks = nil
			scores := make([]search.Score, len(b.Blocks))
			for k, own := range b.Blocks {
				own = arrangeBlocks(own, order)
				t.Blocks = append(t.Blocks, own)
				if own == nil {
					continue
				}
				if scores[k], err = score.NewMixed(own); err != nil {
					return nil, err
				}
			}
			return byColumn(scores, arrange(of, order))
		})
	case Flexible:
		return t, s.flexible(ctx, in, rows, t, groups, of, contexts)
	}
	curves := SmoothBasis(len(in.Names()))
	if contexts > 0 || manyProducts(curves, len(in.Names()), len(groups)) {
		curves.Crossed = 0
	}
	b, err := rows.Blocks(ctx, nil, curves, groups)
	if err != nil {
		return nil, err
	}
	t.Blocks, t.Functions, t.values = b.Blocks, b.functions, b.values
	scores := make([]search.Score, len(groups))
	set := score.DefaultSmoothSettings()
	set.Drawn = in.Drawn
	for k, own := range t.Blocks {
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
		t.Order = append(t.Order, j) // numeric columns are already in canonical order
	}
	t.Score, err = byColumn(scores, of)
	return t, err
}

// smoothFunctions limits the number of functions of all columns together under smooth effects, unless three curves per column
// exceed it: 128 MB per matrix.
const smoothFunctions = 4000

// SmoothBasis returns the expansion of columns under smooth effects: seven curves per column, and three with more than 500 columns.
func SmoothBasis(columns int) basis.Settings {
	s := basis.DefaultSettings()
	if columns*(s.Curves+1) > smoothFunctions {
		s.Curves = 3
	}
	return s
}

// manyProducts reports whether the moments of the products of pairs of columns, of which each group of environments needs its own, need
// more than 256 MB.
func manyProducts(s basis.Settings, columns, groups int) bool {
	f := columns*(s.Curves+1) + s.Crossed*s.Crossed*columns*(columns-1)/2
	return groups > 1 && groups*f*f > 32<<20
}

// manyGroups reports whether the second moments of so many functions of the columns, of which each group of environments needs its own, need
// more than 2 GB.
func manyGroups(in *method.Input, functions int) bool {
	if in.Environments == nil || in.Environments.Unknown {
		return false
	}
	groups, _ := Groups(in)
	return len(groups)*functions*functions > 256<<20
}

// byColumn returns the common score if all columns share one, and a score by column otherwise.
func byColumn(scores []search.Score, of []int) (search.Score, error) {
	if len(scores) == 1 && scores[0] != nil {
		return scores[0], nil
	}
	return score.NewByColumn(scores, of)
}

// rowsOf returns the number of rows of the environments.
func rowsOf(in *method.Input, environments []int) float64 {
	if in.Environments == nil {
		return float64(in.Moments.N)
	}
	n := 0
	for _, k := range environments {
		n += in.Environments.Moments[k].N
	}
	return float64(n)
}

// arrange returns the values in another order, or unchanged if order is nil.
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

// arrange builds the score twice. The first has the columns in their order and gives the total gain of each column from the others.
// The second has them sorted by that gain, and by name in a tie. The gain depends on the rows alone, while the correlation of codes
// depends on the numbering of levels.
func (t *ScoredTable) arrange(names []string, build func(order []int) (search.Score, error)) (err error) {
	if t.Score, err = build(nil); err != nil {
		return err
	}
	order, sum := make([]int, len(names)), make([]int, len(names))
	eval, with := t.Score.Evaluator(), make([]float64, len(names))
	for v := range names {
		order[v] = v
		bare := eval.Score(v, nil)
		for x := range with {
			with[x] = bare
		}
		eval.Additions(with, v, nil)
		for _, s := range with {
			// Whole multiples of 2⁻²⁰ have the same sum in every order.
			if gain := (bare - s) / t.n(v); gain > 0 {
				sum[v] += int(math.Round(gain * (1 << 20)))
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(names[a], names[b])) })
	t.Order, t.group = order, arrange(t.group, order)
	t.Score, err = build(order)
	return err
}

// arrangeBlocks returns the blocks with variable order[i] in place i, or unchanged if order is nil.
func arrangeBlocks(b *score.Blocks, order []int) *score.Blocks {
	if order == nil || b == nil {
		return b
	}
	out := &score.Blocks{N: b.N, Start: []int{0}, Levels: make([]bool, len(order)), Crossed: b.Crossed}
	var from []int
	for i, v := range order {
		out.Levels[i] = b.Levels[v]
		for f := b.Start[v]; f < b.Start[v+1]; f++ {
			from = append(from, f)
		}
		out.Start = append(out.Start, len(from))
	}
	if b.Crossed > 0 {
		from = append(from, arrangedProducts(b, order)...)
	}
	for _, f := range from {
		out.Mean = append(out.Mean, b.Mean[f])
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

// orStop returns the result of f, or the context's error as soon as the context ends. f then continues in the background: it may
// take seconds, and must neither read a source nor change anything.
func orStop[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
