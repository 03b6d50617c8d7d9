package order

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// ErrLevels is the fault of a column of too many levels to be counted.
var ErrLevels = fault.Kind("too-many-levels", "a column has too many levels to be counted; take another model, or make classes of it")

// keptValues is up to how many numbers rows are kept in memory instead of being read a second time: 32 MB.
const keptValues = 4 << 20

// A reader hands out the rows of a table several times. A short table is read once, or not at all where the sample has it
// whole.
type reader struct {
	in   *method.Input
	kept []float64 // all rows; nil where they are read each time
	of   []int     // the regimes of those kept; nil where there is one
}

func newReader(ctx context.Context, in *method.Input) (*reader, error) {
	r := &reader{in: in}
	n, d := in.RowCount(), len(in.Names())
	switch {
	case in.Sample != nil && in.Sample.Rows() == n:
		r.kept, r.of = in.Sample.Values, in.Sample.Regimes
	case n*d <= keptValues:
		kept, of := make([]float64, 0, n*d), []int(nil)
		if err := r.eachRegime(ctx, func(rows []float64, regimes []int) error {
			kept, of = append(kept, rows...), append(of, regimes...)
			return nil
		}); err != nil {
			return nil, err
		}
		r.kept, r.of = kept, of
	}
	return r, nil
}

// eachRegime calls f with some whole rows at a time and the regime of each, nil where there is one only. f neither changes nor
// keeps them.
func (r *reader) eachRegime(ctx context.Context, f func(rows []float64, regimes []int) error) error {
	switch {
	case r.kept != nil:
	case r.in.Regimes == nil:
		return r.in.Rows(ctx, func(rows []float64) error { return f(rows, nil) })
	default:
		return r.in.RegimeRows(ctx, f)
	}
	const step = 1024
	d, of := len(r.in.Names()), r.of
	for at := 0; at < len(r.kept); at += step * d {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := r.kept[at:min(at+step*d, len(r.kept))]
		var regimes []int
		if r.in.Regimes != nil {
			regimes = of[at/d : at/d+len(rows)/d]
		}
		if err := f(rows, regimes); err != nil {
			return err
		}
	}
	return nil
}

// A coder numbers the values of a column as they come, so that nothing depends on what the levels are called.
type coder struct {
	code map[float64]uint32
	last float64
	at   uint32
}

func (c *coder) of(x float64) uint32 {
	if len(c.code) > 0 && x == c.last {
		return c.at
	}
	k, ok := c.code[x]
	if !ok {
		if c.code == nil {
			c.code = map[float64]uint32{}
		}
		k = uint32(len(c.code))
		c.code[x+0] = k
	}
	c.last, c.at = x, k
	return k
}

// values returns what each code stands for.
func (c *coder) values() []float64 {
	out := make([]float64, len(c.code))
	for x, k := range c.code {
		out[k] = x
	}
	return out
}

// codes reads all columns as levels, with equal rows joined where that pays, and returns what the levels of each are. regimes are those of
// the rows, nil where there is one only.
func (r *reader) codes(ctx context.Context) (rows *counts.Joiner, values [][]float64, regimes []int, err error) {
	names := r.in.Names()
	d := len(names)
	coders := make([]coder, d)
	values, rows = make([][]float64, d), counts.NewJoiner(d, r.in.RowCount(), r.in.Drawn)
	err = r.eachRegime(ctx, func(some []float64, of []int) error {
		regimes = append(regimes, of...)
		for j := range rows.Columns {
			c := &coders[j]
			for i := j; i < len(some); i += d {
				rows.Columns[j] = append(rows.Columns[j], c.of(some[i]))
			}
			if len(c.code) > kind.MostLevels {
				return fault.New(ErrLevels, fmt.Sprintf("column %s has more than %d different values, and the discrete model counts levels", names[j], kind.MostLevels),
					"use %s, or put numbers into classes with %s", fault.Set("model", "mixed"), fault.Set("discretize", "3"))
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
	return rows, values, regimes, err
}

// blocks expands the columns. Those that levels names become indicators of their levels, the others themselves with the given
// number of curved functions. It returns the functions besides, and what the levels of each column are.
//
// There is one set of blocks for each group of regimes, of which a table without regimes has one. The functions are the same
// in all: they are made from all rows.
func (r *reader) blocks(ctx context.Context, levels []bool, s basis.Settings, groups [][]int) (*expansion, error) {
	d := len(r.in.Names())
	var row []float64
	pass := func(coders []coder, add func([]float64, []int) error) error {
		return r.eachRegime(ctx, func(rows []float64, regimes []int) error {
			row = append(row[:0], rows...)
			for j, l := range levels {
				for i := j; l && i < len(row); i += d {
					row[i] = float64(coders[j].of(row[i]))
				}
			}
			return add(row, regimes)
		})
	}
	coders := make([]coder, d)
	fit := basis.NewFit(r.in.Names(), levels)
	if err := pass(coders, func(rows []float64, _ []int) error { return fit.Add(rows) }); err != nil {
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
	out := &expansion{functions: functions, values: make([][]float64, d)}
	for j := range coders {
		out.values[j] = coders[j].values()
	}
	if out.blocks, err = orStop(ctx, grams.blocks); err == nil && r.in.Regimes == nil && out.blocks[0] != nil {
		out.blocks[0].N = r.in.Moments.N // rows that belong together count as fewer
	}
	return out, err
}

// An expansion is a table as blocks of functions, in the order of the input.
type expansion struct {
	blocks    []*score.Blocks // of each group
	functions *basis.Functions
	values    [][]float64 // what the codes of the levels stand for; nil for numbers
}

// table makes the rows ready to be counted. They are left out of the counts of what was set in them. drawn says that rows were drawn
// with replacement: then equal rows of one regime are joined, since nothing but counts is asked of them.
func table(rows *counts.Joiner, of []int, regimes *dataset.Regimes, drawn bool) (*counts.Table, error) {
	var o counts.Rows
	if regimes != nil {
		o = counts.Rows{Regimes: of, Targets: regimes.Targets, Merge: drawn}
	}
	return rows.Table(o)
}
