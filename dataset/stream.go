package dataset

import (
	"context"
	"time"
)

// A Source hands out a table in batches, in the order of the file. Readers of every format are sources; polydag.Prepare
// consumes them. A source is used by one goroutine at a time.
type Source interface {
	// Columns returns the columns of the table, or after Select the chosen ones. The slice is the source's own.
	Columns() []Column
	// Select limits the table to the columns with these indices, in this order. Call it once, before Next. Columns that
	// were not chosen are passed over as cheaply as the format allows and never cause an error.
	Select(columns []int) error
	// Next overwrites b with the next rows, at least one, and returns io.EOF after the last. It reuses the
	// memory of b. How rows are cut into batches means nothing.
	Next(ctx context.Context, b *Batch) error
	// Close frees what the source holds. The caller's reader stays open.
	Close() error
}

// A Noter is a source that found something out about its file that the reader of a result should know, such as what
// separates the fields. polydag.Prepare puts it into the notes of the profile.
type Noter interface {
	Notes() []string
}

// A Locator is a source that reads several files one after the other. Locate tells where a data row of the table, from 1, stands:
// the file, and the row in it.
type Locator interface {
	Locate(row int) (file string, within int)
}

// A Column is what a file says of a column before its rows are read.
type Column struct {
	Name string
	Kind Kind
	// Unreadable says what the column holds where a source has no number or text for it, such as lists; else it is empty.
	// polydag.Prepare leaves such a column out unless it is asked for by its name.
	Unreadable string
	// Categories reports that the file declares the column as categories: its texts are labels, even where they look like
	// numbers or dates.
	Categories bool
	// Order lists the labels of ordered categories from the lowest to the highest. It is nil where they have no order.
	Order []string
}

// Kind is what the values of a column are.
type Kind int

// Kinds of columns.
const (
	Unknown Kind = iota // a text format: look at the values
	Number
	Integer
	Bool // as 0 and 1
	Text
	Time // as seconds since 1970
)

// String returns the kind's word in reports.
func (k Kind) String() string {
	return [...]string{"unknown", "number", "integer", "bool", "text", "time"}[k]
}

// Seconds returns an instant as every source hands it out: seconds since 1970-01-01 UTC. Before 1970 the fraction is counted from the
// later second, so that instants that are as far from 1970 on either side differ in their sign alone.
func Seconds(t time.Time) float64 {
	s, n := t.Unix(), t.Nanosecond()
	if s < 0 && n > 0 {
		s, n = s+1, n-1e9
	}
	return float64(s) + float64(n)/1e9
}

// A Batch is some rows of a table.
type Batch struct {
	Rows int
	// Values has Rows × columns entries, row after row. NaN is a missing value, or one of Cells.
	Values []float64
	// Cells lists, row by row, what is neither a number nor missing.
	Cells []Cell
	// Text holds the bytes of all cells.
	Text []byte
	// Bytes is how much of the input is used up, compressed where the file is; 0 where unknown.
	Bytes int64
}

// A Cell is one value that is not a number.
type Cell struct {
	Row, Column int // within the batch; from 0
	Line        int // physical line of the file, from 1; 0 where it has none
	Start, End  int // of its bytes in Batch.Text
}

// Reset empties b and keeps its memory.
func (b *Batch) Reset() {
	b.Rows, b.Values, b.Cells, b.Text, b.Bytes = 0, b.Values[:0], b.Cells[:0], b.Text[:0], 0
}

// AddText appends a cell. The caller has put NaN in its place in Values.
func (b *Batch) AddText(row, column, line int, text []byte) {
	start := len(b.Text)
	b.Text = append(b.Text, text...)
	b.Cells = append(b.Cells, Cell{Row: row, Column: column, Line: line, Start: start, End: len(b.Text)})
}
