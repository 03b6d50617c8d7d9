package files

import (
	"context"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/parallel"
)

// frame has the column bookkeeping that all sources share.
type frame struct {
	columns  []dataset.Column // all columns of the file, later the selected ones
	chosen   []int            // index in the file of each of columns
	selected bool
	started  bool // Next was called
}

func newFrame(file string, columns []dataset.Column, opt Settings) (frame, error) {
	if len(columns) == 0 {
		return frame{}, located(file, ErrNoTable, "it has no columns")
	}
	if len(columns) > opt.MaxColumns {
		return frame{}, located(file, dataset.ErrTooWide, "%d, limit %d", len(columns), opt.MaxColumns)
	}
	if err := dataset.CheckNames(dataset.ColumnNames(columns), file); err != nil {
		return frame{}, err
	}
	f := frame{columns: columns, chosen: make([]int, len(columns))}
	for j := range f.chosen {
		f.chosen[j] = j
	}
	return f, nil
}

func (f *frame) Columns() []dataset.Column { return f.columns }

// Select implements dataset.Source: columns in any order, each at most once.
func (f *frame) Select(columns []int) error {
	chosen, err := csv.Choose(f.columns, columns, f.selected || f.started)
	if err != nil {
		return err
	}
	f.columns, f.chosen, f.selected = chosen, slices.Clone(columns), true
	return nil
}

// begin starts a batch. It returns the error of ctx.
func (f *frame) begin(ctx context.Context, b *dataset.Batch) error {
	f.started = true
	b.Reset()
	return ctx.Err()
}

// Close is for sources that hold nothing.
func (f *frame) Close() error { return nil }

// batchRows is the number of rows per batch of d columns: about 2 MB, and a multiple of 8 so that bitmaps split at bytes.
func batchRows(d int) int { return max(64, min(8192, (1<<18)/max(d, 1))) &^ 7 }

// A columnReader reads one column of a columnar file.
type columnReader interface {
	// next fills dst with the next values: NaN for a missing value and for a text, which it adds to out.
	next(dst []float64, out *texts) error
}

// texts has the text cells of one column in one batch.
type texts struct {
	cells []dataset.Cell // Row, Start and End are set
	bytes []byte
	room  *budget // budget shared by all columns, because a dictionary can expand a few bytes to many
}

func (t *texts) add(row int, text []byte) error {
	if err := t.room.take(int64(len(text)), 0, "the text of a batch"); err != nil {
		return err
	}
	start := len(t.bytes)
	t.bytes = append(t.bytes, text...)
	t.cells = append(t.cells, dataset.Cell{Row: row, Start: start, End: len(t.bytes)})
	return nil
}

// block appends n bytes for the caller to fill, without a cell.
func (t *texts) block(n int64) ([]byte, error) {
	if err := t.room.take(n, 0, "the text of a batch"); err != nil {
		return nil, err
	}
	start := len(t.bytes)
	t.bytes = slices.Grow(t.bytes, int(n))[:start+int(n)]
	return t.bytes[start:], nil
}

// interleave turns columns into batches of rows. Columns are decoded in groups of 8, a cache line of each row, by one goroutine per
// thread.
type interleave struct {
	file    string
	threads int
	readers []columnReader
	texts   []texts
	text    budget // budget of one batch
	faults  []error
	scratch [][]float64 // one buffer per thread
	next    []int       // place of the next cell of each row in a batch
}

const group = 8

func newInterleave(file string, readers []columnReader, opt Settings) *interleave {
	groups := (len(readers) + group - 1) / group
	threads := max(1, min(opt.Threads, groups))
	v := &interleave{file: file, threads: threads, readers: readers, texts: make([]texts, len(readers)), faults: make([]error, len(readers)), scratch: make([][]float64, threads)}
	v.text.file, v.text.limit = file, opt.MaxMemory/4
	for j := range v.texts {
		v.texts[j].room = &v.text
	}
	return v
}

// fill overwrites b with the next rows. It returns the error of the leftmost column.
func (v *interleave) fill(b *dataset.Batch, rows int) error {
	d := len(v.readers)
	b.Reset()
	b.Rows = rows
	v.text.used.Store(0)
	b.Values = slices.Grow(b.Values, rows*d)[:rows*d]
	parallel.Each(context.Background(), (d+group-1)/group, v.threads, func(t int) func(int) {
		if len(v.scratch[t]) < group*rows {
			v.scratch[t] = make([]float64, group*rows)
		}
		return func(k int) { v.columns(b.Values, v.scratch[t], k*group, min((k+1)*group, d), rows) }
	})
	for _, err := range v.faults {
		if err != nil {
			return err
		}
	}
	v.collect(b)
	return nil
}

// columns decodes columns lo to hi into the rows.
func (v *interleave) columns(values, scratch []float64, lo, hi, rows int) {
	d := len(v.readers)
	for j := lo; j < hi; j++ {
		t := &v.texts[j]
		t.cells, t.bytes = t.cells[:0], t.bytes[:0]
		v.faults[j] = guarded(v.file, func() error { return v.readers[j].next(scratch[(j-lo)*rows:(j-lo+1)*rows], t) })
		if v.faults[j] != nil {
			return
		}
	}
	if hi-lo == group {
		var c [group][]float64
		for k := range c {
			c[k] = scratch[k*rows : (k+1)*rows]
		}
		for i := range rows {
			row := values[i*d+lo : i*d+hi : i*d+hi]
			row[0], row[1], row[2], row[3] = c[0][i], c[1][i], c[2][i], c[3][i]
			row[4], row[5], row[6], row[7] = c[4][i], c[5][i], c[6][i], c[7][i]
		}
		return
	}
	for k := range hi - lo {
		for i, x := range scratch[k*rows : (k+1)*rows] {
			values[i*d+lo+k] = x
		}
	}
}

// collect adds the cells of all columns to b, row by row. The cells of a column are in the order of the rows, so it counts the cells
// of each row and puts them in place.
func (v *interleave) collect(b *dataset.Batch) {
	cells, size := 0, 0
	v.next = slices.Grow(v.next[:0], b.Rows+1)[:b.Rows+1]
	clear(v.next)
	for j := range v.texts {
		cells, size = cells+len(v.texts[j].cells), size+len(v.texts[j].bytes)
		for _, c := range v.texts[j].cells {
			v.next[c.Row+1]++
		}
	}
	for i := range b.Rows {
		v.next[i+1] += v.next[i]
	}
	b.Cells, b.Text = slices.Grow(b.Cells, cells)[:cells], slices.Grow(b.Text, size)
	for j := range v.texts {
		t := &v.texts[j]
		base := len(b.Text)
		b.Text = append(b.Text, t.bytes...)
		for _, c := range t.cells {
			at := &v.next[c.Row]
			b.Cells[*at] = dataset.Cell{Row: c.Row, Column: j, Line: c.Line, Start: base + c.Start, End: base + c.End}
			*at++
		}
	}
}

// A budget limits the memory that a file may claim. Goroutines share it.
type budget struct {
	file  string
	limit int64
	used  atomic.Int64
}

// grown returns s with capacity for n more elements. It charges the new array while the old one is still allocated, so the budget
// covers the peak.
func grown[T any](u *budget, s []T, n int, what string) ([]T, error) {
	if cap(s)-len(s) >= n {
		return s, nil
	}
	room, size := max(len(s)+n, cap(s)+cap(s)/4+64), int64(unsafe.Sizeof(*new(T)))
	if err := u.take(int64(room)*size, 0, what); err != nil {
		return s, err
	}
	more := make([]T, len(s), room)
	copy(more, s)
	return more, u.take(0, int64(cap(s))*size, what)
}

// take charges n bytes, minus back bytes that are released, and fails above the limit.
func (u *budget) take(n, back int64, what string) error {
	if n < 0 || n > u.limit || u.used.Add(n-back) > u.limit {
		return located(u.file, fault.New(ErrLimit, "", "write it with smaller pages, batches or texts, or allow more with %s", fault.Use("max-memory")), "%s would take it to more than %d MB", what, u.limit/1e6)
	}
	return nil
}
