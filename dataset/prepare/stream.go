package prepare

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/vec"
)

// A view has some rows of a batch, without those outside of FirstRow and LastRow. The visitor may change it.
type view struct {
	first  int // data row of the file, from 0
	rows   int
	values []float64
	cells  []dataset.Cell // rows are relative to the first row of the view
	text   []byte
	clean  bool // every value is a finite number
}

// stream reads src to the end, or to opt.LastRow, and calls visit with consecutive rows. It reads the next rows during a visit. d
// is the number of columns. It returns the number of rows within the bounds.
func stream(ctx context.Context, src dataset.Source, d int, opt *options, visit func(*view) error) (rows int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := ahead(ctx, src, opt.Threads > 1)
	defer next.stop(cancel)
	at := 0
	for {
		b, clean, err := next.take()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, dataset.InFile(err, opt.File)
		}
		if len(b.Values) != b.Rows*d {
			return rows, fmt.Errorf("a source handed out %d values for %d rows of %d columns", len(b.Values), b.Rows, d)
		}
		v := view{first: at, rows: b.Rows, values: b.Values, cells: b.Cells, text: b.Text, clean: clean}
		at += b.Rows
		v.within(d, opt.FirstRow, opt.LastRow)
		if v.rows > 0 {
			if err := visit(&v); err != nil {
				return rows, err
			}
		}
		rows += v.rows
		if opt.Progress != nil {
			opt.Progress(b.Bytes, rows)
		}
		if opt.LastRow > 0 && at >= opt.LastRow {
			return rows, nil
		}
		next.giveBack(b)
	}
}

// within restricts the view to the data rows first … last, from 1; 0 means no bound.
func (v *view) within(d, first, last int) {
	skip := 0
	if first > 0 {
		skip = min(max(first-1-v.first, 0), v.rows)
	}
	end := v.rows
	if last > 0 {
		end = max(min(last-v.first, v.rows), skip)
	}
	if skip == 0 && end == v.rows {
		return
	}
	kept := v.cells[:0]
	for _, c := range v.cells {
		if c.Row >= skip && c.Row < end {
			c.Row -= skip
			kept = append(kept, c)
		}
	}
	v.first, v.rows, v.values, v.cells = v.first+skip, end-skip, v.values[skip*d:end*d], kept
}

// An aheadReader reads the next batch while the last one is used.
type aheadReader struct {
	free  chan *dataset.Batch
	ready chan loaded
	done  sync.WaitGroup
	read  func() loaded // used without a goroutine
}

type loaded struct {
	b     *dataset.Batch
	clean bool
	err   error
}

// ahead starts to read src, in a goroutine if parallel. The caller owns the batch between take and giveBack.
func ahead(ctx context.Context, src dataset.Source, parallel bool) *aheadReader {
	load := func(b *dataset.Batch) loaded {
		b.Reset()
		err := ctx.Err()
		if err == nil {
			err = src.Next(ctx, b)
		}
		if err != nil {
			return loaded{err: err}
		}
		return loaded{b: b, clean: len(b.Cells) == 0 && finite(b.Values)}
	}
	if !parallel {
		b := &dataset.Batch{}
		return &aheadReader{read: func() loaded { return load(b) }}
	}
	// At most two batches and an error are in transit, so the goroutine never blocks when it sends them.
	r := &aheadReader{free: make(chan *dataset.Batch, 2), ready: make(chan loaded, 3)}
	r.free <- &dataset.Batch{}
	r.free <- &dataset.Batch{}
	r.done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				r.ready <- loaded{err: ctx.Err()}
				return
			case b := <-r.free:
				l := load(b)
				r.ready <- l
				if l.err != nil {
					return
				}
			}
		}
	})
	return r
}

func (r *aheadReader) take() (b *dataset.Batch, clean bool, err error) {
	if r.read != nil {
		l := r.read()
		return l.b, l.clean, l.err
	}
	l := <-r.ready
	return l.b, l.clean, l.err
}

func (r *aheadReader) giveBack(b *dataset.Batch) {
	if r.read == nil {
		r.free <- b
	}
}

// stop ends the reading and waits for it, so that the source can be closed.
func (r *aheadReader) stop(cancel func()) {
	cancel()
	r.done.Wait()
}

// finite reports whether all values are finite. It may return false if their squares overflow. Infinities and NaN make the sum of
// squares infinite or NaN, and the sum runs at memory speed.
func finite(values []float64) bool {
	s := vec.Dot(values, values)
	return s-s == 0
}
