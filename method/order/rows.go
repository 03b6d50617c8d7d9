package order

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// keptValues is up to how many numbers rows are kept in memory instead of being read a second time: 32 MB.
const keptValues = 4 << 20

// A reader hands out the rows of a table several times. A short table is read once, or not at all where the sample has it
// whole.
type reader struct {
	in   *method.Input
	kept []float64 // all rows; nil where they are read each time
}

func newReader(ctx context.Context, in *method.Input) (*reader, error) {
	r := &reader{in: in}
	n, d := in.Moments.N, len(in.Names())
	switch {
	case in.Sample != nil && in.Sample.Rows() == n:
		r.kept = in.Sample.Values
	case n*d <= keptValues:
		kept := make([]float64, 0, n*d)
		if err := in.Rows(ctx, func(rows []float64) error {
			kept = append(kept, rows...)
			return nil
		}); err != nil {
			return nil, err
		}
		r.kept = kept
	}
	return r, nil
}

// each calls f with some whole rows at a time. f neither changes nor keeps them.
func (r *reader) each(ctx context.Context, f func(rows []float64) error) error {
	if r.kept == nil {
		return r.in.Rows(ctx, f)
	}
	step := 1024 * len(r.in.Names())
	for at := 0; at < len(r.kept); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(r.kept[at:min(at+step, len(r.kept))]); err != nil {
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

// codes reads all columns as levels: 4 bytes a value.
func (r *reader) codes(ctx context.Context) ([][]uint32, error) {
	names := r.in.Names()
	d := len(names)
	coders, columns := make([]coder, d), make([][]uint32, d)
	for j := range columns {
		columns[j] = make([]uint32, 0, r.in.Moments.N)
	}
	err := r.each(ctx, func(rows []float64) error {
		for j := range columns {
			c := &coders[j]
			for i := j; i < len(rows); i += d {
				columns[j] = append(columns[j], c.of(rows[i]))
			}
			if len(c.code) > kind.MostLevels {
				return fmt.Errorf("column %s has more than %d different values, and model discrete counts levels; set model to mixed, or put the values into classes", names[j], kind.MostLevels)
			}
		}
		return nil
	})
	return columns, err
}

// blocks expands the columns. Those that levels names become indicators of their levels, the others themselves with the given
// number of curved functions.
func (r *reader) blocks(ctx context.Context, levels []bool, s basis.Settings) (*score.Blocks, error) {
	d := len(r.in.Names())
	var row []float64
	pass := func(coders []coder, add func([]float64) error) error {
		return r.each(ctx, func(rows []float64) error {
			row = append(row[:0], rows...)
			for j, l := range levels {
				for i := j; l && i < len(row); i += d {
					row[i] = float64(coders[j].of(row[i]))
				}
			}
			return add(row)
		})
	}
	coders := make([]coder, d)
	fit := basis.NewFit(r.in.Names(), levels)
	if err := pass(coders, fit.Add); err != nil {
		return nil, err
	}
	functions, err := fit.Functions(s)
	if err != nil {
		return nil, err
	}
	gram := functions.NewGram(r.in.Threads)
	if err := pass(coders, gram.Add); err != nil {
		return nil, err
	}
	return orStop(ctx, gram.Blocks)
}

// table counts the columns in the given order; nil is as they are.
func table(columns [][]uint32, order []int) (*counts.Table, error) {
	if order != nil {
		arranged := make([][]uint32, len(order))
		for i, v := range order {
			arranged[i] = columns[v]
		}
		columns = arranged
	}
	return counts.New(columns, counts.Options{})
}
