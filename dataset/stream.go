package dataset

import (
	"context"
	"time"
)

// A Source returns a table in batches, in file order. There is one for every file format, and polydag.Prepare reads them. Only one
// goroutine may use a source at a time.
type Source interface {
	// Columns returns the columns of the table or, after Select, the selected ones. The slice belongs to the source.
	Columns() []Column
	// Select limits the table to the columns with these indices, in this order. Call it once, before Next. Other columns are
	// skipped as cheaply as the format allows and never cause an error.
	Select(columns []int) error
	// Next overwrites b with the next rows, at least one, and returns io.EOF after the last. It reuses the memory of b. The batch
	// boundaries have no meaning.
	Next(ctx context.Context, b *Batch) error
	// Close releases the source's resources. The caller's reader stays open.
	Close() error
}

// A Noter is a source with remarks about its file that the reader of a result should know, such as the detected delimiter.
// polydag.Prepare adds them to the notes of the profile.
type Noter interface {
	Notes() []string
}

// A Locator is a source that reads several files one after the other. Locate returns the file of a data row, counted from 1, and
// the row within that file.
type Locator interface {
	Locate(row int) (file string, within int)
}

// A Column is a column's description in the file, known before its rows are read.
type Column struct {
	Name string
	Kind Kind
	// Unreadable names the content of a column that cannot be read as numbers or text, such as lists; otherwise it is empty.
	// polydag.Prepare excludes such a column unless it is requested by name.
	Unreadable string
	// Categories reports that the file declares the column as categories: its texts are labels, even if they look like numbers or
	// dates.
	Categories bool
	// Literal reports that texts such as NA, None or ? are categories and not missing values.
	Literal bool
	// Order lists the labels of ordered categories from lowest to highest. It is nil for unordered categories.
	Order []string
}

// ColumnNames returns the names of columns.
func ColumnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.Name
	}
	return names
}

// Kind is the type of a column's values.
type Kind int

const (
	Unknown Kind = iota // a text format: infer the kind from the values
	Number
	Integer
	Bool // as 0 and 1
	Text
	Time // as seconds since 1970
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"unknown", "number", "integer", "bool", "text", "time"}[k]
}

// Seconds returns an instant in the form that every source uses: seconds since 1970-01-01 UTC. Instants at equal distances before
// and after 1970 differ only in sign.
func Seconds(t time.Time) float64 {
	s, n := t.Unix(), t.Nanosecond()
	if s < 0 && n > 0 {
		s, n = s+1, n-1e9
	}
	return float64(s) + float64(n)/1e9
}

// A Batch is a number of consecutive rows of a table.
type Batch struct {
	Rows int
	// Values has Rows × columns entries, row by row. NaN is a missing value or a cell in Cells.
	Values []float64
	// Cells lists, row by row, the values that are neither numbers nor missing.
	Cells []Cell
	// Text holds the bytes of all cells.
	Text []byte
	// Bytes is the number of input bytes read so far, compressed if the file is; 0 if unknown.
	Bytes int64
}

// A Cell is one value that is not a number.
type Cell struct {
	Row, Column int // indices within the batch, from 0
	Line        int // physical line of the file, from 1; 0 if the format has no lines
	Start, End  int // range of the cell's bytes in Batch.Text
}

// Reset empties b but keeps its memory.
func (b *Batch) Reset() {
	b.Rows, b.Values, b.Cells, b.Text, b.Bytes = 0, b.Values[:0], b.Cells[:0], b.Text[:0], 0
}

// AddText appends a cell. The caller has set its entry in Values to NaN.
func (b *Batch) AddText(row, column, line int, text []byte) {
	start := len(b.Text)
	b.Text = append(b.Text, text...)
	b.Cells = append(b.Cells, Cell{Row: row, Column: column, Line: line, Start: start, End: len(b.Text)})
}
