package resample

import (
	"context"

	"github.com/polydag/polydag/dataset"
)

// Rows are the rows of a table that samples are drawn from. They are read again in each pass or kept in memory.
type Rows struct {
	Columns int
	Read    dataset.Rows
	Group   []int32 // group of each row; nil without groups
	Sizes   []int   // rows per stratum, or the number of groups
}

// batch is the approximate number of rows that a pass hands over at a time.
const batch = 1024

// Drawn returns the rows of a sample; repeated rows follow each other. Its values may be changed.
func (r *Rows) Drawn(d Draw) dataset.Rows {
	return func(ctx context.Context, each func(dataset.RowBatch) error) error { return r.drawn(ctx, d, each) }
}

func (r *Rows) drawn(ctx context.Context, d Draw, each func(dataset.RowBatch) error) error {
	times := r.Times(d)
	var out dataset.RowBatch
	flush := func() error {
		if len(out.Values) == 0 {
			return nil
		}
		err := each(out)
		out.Values, out.Environments = out.Values[:0], out.Environments[:0]
		return err
	}
	err := r.Read(ctx, func(b dataset.RowBatch) error {
		for i := 0; i*r.Columns < len(b.Values); i++ {
			for range times(stratum(b.Environments, i)) {
				out.Values = append(out.Values, b.Values[i*r.Columns:(i+1)*r.Columns]...)
				if b.Environments != nil {
					out.Environments = append(out.Environments, b.Environments[i])
				}
			}
			if len(out.Values) >= batch*r.Columns {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// Count returns how often each row is in a sample.
func (r *Rows) Count(ctx context.Context, d Draw) (out []int, err error) {
	times := r.Times(d)
	err = r.Read(ctx, func(b dataset.RowBatch) error {
		for i := range len(b.Values) / r.Columns {
			out = append(out, times(stratum(b.Environments, i)))
		}
		return nil
	})
	return out, err
}

// stratum returns the environment of row i, 0 for a single environment.
func stratum(of []int, i int) int {
	if of == nil {
		return 0
	}
	return of[i]
}

// Times returns a function that is called for one row after the other with its stratum and returns how often the row is
// drawn.
func (r *Rows) Times(d Draw) func(stratum int) int {
	stream := d.Start(r.Sizes)
	if r.Group == nil {
		return stream.Next
	}
	drawn := make([]int, r.Sizes[0])
	for k := range drawn {
		drawn[k] = stream.Next(0)
	}
	row := 0
	return func(int) int {
		row++
		return drawn[r.Group[row-1]]
	}
}
