package scores

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// ErrLevels is matched if a column has too many levels to be counted.
var ErrLevels = fault.Kind("too-many-levels", "a column has too many categories to be counted; take another model, or make classes of it")

// KeptValues is the largest number of values of a table whose rows are kept in memory and not read again: 32 MB.
const KeptValues = 4 << 20

// A Reader reads the rows of a table several times. It reads a short table once, or not at all if the sample has all rows.
type Reader struct {
	in   *method.Input
	Each dataset.Rows
	Kept []float64 // all rows; nil if they are read each time
	// Environments are those of the kept rows; nil if there is only one.
	Environments []int
}

// NewReader reads the rows of a short table.
func NewReader(ctx context.Context, in *method.Input) (*Reader, error) {
	r := &Reader{in: in, Each: in.Rows}
	n, d := in.RowCount(), len(in.Names())
	switch {
	case in.Sample != nil && in.Sample.Rows() == n:
		r.keep(dataset.RowBatch{Values: in.Sample.Values, Environments: in.Sample.Environments})
	case n*d <= KeptValues:
		all, err := in.Rows.Read(ctx, n*d)
		if err != nil {
			return nil, err
		}
		r.keep(all)
	}
	return r, nil
}

// keep makes these all rows.
func (r *Reader) keep(all dataset.RowBatch) {
	if r.in.Environments == nil {
		all.Environments = nil
	}
	r.Kept, r.Environments, r.Each = all.Values, all.Environments, all.Rows(len(r.in.Names()))
}

// A Coder numbers the values of a column in their order of occurrence, so that codes do not depend on the names of levels.
type Coder struct {
	code map[float64]uint32
	few  [256]uint16 // code + 1 of the values 0, 1, …, 255; 0 for values that did not occur
}

// Of returns the code of a value.
func (c *Coder) Of(x float64) uint32 {
	small := uint8(x)
	direct := float64(small) == x
	if direct && c.few[small] > 0 {
		return uint32(c.few[small] - 1)
	}
	k, ok := c.code[x]
	if !ok {
		if c.code == nil {
			c.code = map[float64]uint32{}
		}
		k = uint32(len(c.code))
		c.code[x+0] = k
	}
	if direct && k < math.MaxUint16 {
		c.few[small] = uint16(k) + 1
	}
	return k
}

// Levels returns the number of codes.
func (c *Coder) Levels() int { return len(c.code) }

// values returns the value of each code.
func (c *Coder) values() []float64 {
	out := make([]float64, len(c.code))
	for x, k := range c.code {
		out[k] = x
	}
	return out
}

// Codes reads all columns as levels. It returns the values of the levels of each column and the environments of the rows, nil with a
// single environment. It aggregates equal rows if that saves work. It keeps every row, or every step-th row for a step above 1.
func (r *Reader) Codes(ctx context.Context, step int) (rows *counts.Joiner, values [][]float64, environments []int, err error) {
	names := r.in.Names()
	d := len(names)
	coders := make([]Coder, d)
	values, rows = make([][]float64, d), counts.NewJoiner(d, (r.in.RowCount()+step-1)/step, r.in.Drawn)
	skip := 0 // rows until the next one that is kept
	err = r.Each(ctx, func(b dataset.RowBatch) error {
		some, of, first := b.Values, b.Environments, skip
		for skip < len(some)/d {
			if of != nil {
				environments = append(environments, of[skip])
			}
			skip += step
		}
		skip -= len(some) / d
		for j := range rows.Columns {
			c := &coders[j]
			for i := first*d + j; i < len(some); i += step * d {
				rows.Columns[j] = append(rows.Columns[j], uint16(c.Of(some[i])))
			}
			if len(c.code) > kind.MostLevels {
				return fault.New(ErrLevels, fmt.Sprintf("column %s has more than %d distinct values, too many for a discrete model", names[j], kind.MostLevels),
					"use %s, or discretize numeric columns with %s", fault.Set("model", "mixed"), fault.Set("discretize", "3"))
			}
		}
		if of == nil {
			rows.Join()
		}
		return nil
	})
	for j := range coders {
		values[j] = coders[j].values()
	}
	return rows, values, environments, err
}

// Blocks expands the columns into functions: indicators of the levels for the columns in levels, and the column itself with curves
// for the others. It returns blocks for each group of environments; a table without environments has one group. All groups share the
// functions, which are computed from all rows.
func (r *Reader) Blocks(ctx context.Context, levels []bool, s basis.Settings, groups [][]int) (*Expansion, error) {
	d := len(r.in.Names())
	var row []float64
	pass := func(coders []Coder, add func(dataset.RowBatch) error) error {
		return r.Each(ctx, func(b dataset.RowBatch) error {
			row = append(row[:0], b.Values...)
			for j, l := range levels {
				for i := j; l && i < len(row); i += d {
					row[i] = float64(coders[j].Of(row[i]))
				}
			}
			b.Values = row
			return add(b)
		})
	}
	coders := make([]Coder, d)
	fit := basis.NewFit(r.in.Names(), levels)
	if err := pass(coders, func(b dataset.RowBatch) error { return fit.Add(b.Values) }); err != nil {
		return nil, err
	}
	functions, err := fit.Functions(s)
	if err != nil {
		return nil, err
	}
	grams := newGrams(functions, r.in, groups)
	if err := pass(coders, grams.add); err != nil {
		return nil, err
	}
	out := &Expansion{functions: functions, values: make([][]float64, d)}
	for j := range coders {
		out.values[j] = coders[j].values()
	}
	if out.Blocks, err = orStop(ctx, grams.blocks); err == nil && r.in.Environments == nil && out.Blocks[0] != nil {
		out.Blocks[0].N = r.in.Moments.N // weighted for grouped rows
	}
	return out, err
}

// An Expansion is a table as blocks of functions, in the order of the input.
type Expansion struct {
	Blocks    []*score.Blocks // by group
	functions *basis.Functions
	values    [][]float64 // values of the levels of each column; nil for numeric ones
}

// counted prepares the rows for counting. Rows with an intervention on a column do not count for it. drawn reports a bootstrap
// sample, for which equal rows of one environment are aggregated.
func counted(rows *counts.Joiner, of []int, environments *dataset.Environments, drawn bool) (*counts.Data, error) {
	var o counts.Rows
	if environments != nil {
		o = counts.Rows{Environments: of, Targets: environments.Targets, Merge: drawn}
	}
	return rows.Table(o)
}
