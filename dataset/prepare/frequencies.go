package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// ErrFrequency and ErrWeight are matched if a frequency or a weight of a row is invalid.
var (
	ErrFrequency = fault.Kind("frequency", "is not a frequency; give whole numbers, 0 or more")
	ErrWeight    = fault.Kind("weight", "is not a weight; give finite numbers, 0 or more")
)

// mostFrequent limits a single frequency. A larger one is probably a mistake.
const mostFrequent = 100_000_000

// expanded is a source that repeats each row as often as the frequency column says. That column is not part of the table.
type expanded struct {
	dataset.Source
	at     int // index of the column
	count  int // columns of the source; -1 after Select
	chosen []int
	file   string
	name   string // the name of the column
	times  func(v float64) (int, error)
	row    int // data rows read
	batch  dataset.Batch
	next   int // row of the batch
	left   int // remaining repetitions of the row
	cell   int // first cell of the row
}

// expandedBy returns open with each row repeated as often as times says for its value in the column.
func expandedBy(open func(context.Context) (dataset.Source, error), column, file string, times func(v float64) (int, error)) func(context.Context) (dataset.Source, error) {
	return func(ctx context.Context) (dataset.Source, error) {
		src, err := open(ctx)
		if err != nil {
			return nil, err
		}
		columns := src.Columns()
		at := slices.IndexFunc(columns, func(c dataset.Column) bool { return c.Name == column })
		if at < 0 {
			src.Close()
			return nil, fault.New(ErrUnknownColumn, fmt.Sprintf("frequencies: no such column %q", column), "")
		}
		e := &expanded{Source: src, at: at, count: len(columns), file: file, name: column, times: times}
		for j := range columns {
			if j != at {
				e.chosen = append(e.chosen, j)
			}
		}
		return e, nil
	}
}

// Columns returns the columns without the frequencies.
func (e *expanded) Columns() []dataset.Column {
	var out []dataset.Column
	all := e.Source.Columns()
	if e.count < 0 { // the last column has the frequencies
		return all[:len(all)-1]
	}
	for j, c := range all {
		if j != e.at {
			out = append(out, c)
		}
	}
	return out
}

// Select chooses columns of the table, with the frequencies as the last one.
func (e *expanded) Select(columns []int) error {
	var own []int
	for _, k := range columns {
		own = append(own, e.chosen[k])
	}
	e.count = -1
	return e.Source.Select(append(own, e.at))
}

// Notes and ColumnNotes return those of the source.
func (e *expanded) Notes() []string {
	if n, ok := e.Source.(dataset.Noter); ok {
		return n.Notes()
	}
	return nil
}

func (e *expanded) ColumnNotes() []dataset.ColumnNote {
	if n, ok := e.Source.(dataset.ColumnNoter); ok {
		return n.ColumnNotes()
	}
	return nil
}

// Next repeats rows.
func (e *expanded) Next(ctx context.Context, b *dataset.Batch) error {
	const most = 1024
	if e.count >= 0 { // nothing was selected
		all := make([]int, len(e.chosen))
		for k := range all {
			all[k] = k
		}
		if err := e.Select(all); err != nil {
			return err
		}
	}
	b.Reset()
	for b.Rows < most {
		if e.next == e.batch.Rows {
			if b.Rows > 0 {
				break
			}
			if err := e.Source.Next(ctx, &e.batch); err != nil {
				return err
			}
			e.next, e.cell, e.left = 0, 0, -1
		}
		d := len(e.batch.Values) / e.batch.Rows
		row := e.batch.Values[e.next*d : (e.next+1)*d]
		end := e.cell
		for end < len(e.batch.Cells) && e.batch.Cells[end].Row == e.next {
			end++
		}
		if e.left < 0 {
			e.row++
			value := row[d-1]
			if end > e.cell && e.batch.Cells[end-1].Column == d-1 { // text
				value = math.NaN()
			}
			var err error
			if e.left, err = e.times(value); err != nil {
				return &dataset.ParseError{File: e.file, Row: e.row, Column: e.at + 1, Name: e.name, Value: dataset.FormatFloat(row[d-1]), Err: err}
			}
		}
		for ; e.left > 0 && b.Rows < most; e.left-- {
			b.Values = append(b.Values, row[:d-1]...)
			for _, c := range e.batch.Cells[e.cell:end] {
				b.AddText(b.Rows, c.Column, c.Line, e.batch.Text[c.Start:c.End])
			}
			b.Rows++
		}
		if e.left == 0 {
			e.next, e.cell, e.left = e.next+1, end, -1
		}
	}
	b.Bytes = e.batch.Bytes
	return nil
}

// byFrequency repeats a row.
func byFrequency(v float64) (int, error) {
	if !(v >= 0) || v > mostFrequent || v != math.Trunc(v) {
		return 0, ErrFrequency
	}
	return int(v), nil
}

// byWeight leaves out rows with weight 0.
func byWeight(v float64) (int, error) {
	switch {
	case !(v >= 0) || math.IsInf(v, 1):
		return 0, ErrWeight
	case v == 0:
		return 0, nil
	}
	return 1, nil
}

// Weights reads the column that set.RowWeights names, one number for each row that Gather reads: those with weight 0 are left out
// before FirstRow and LastRow count. Missing, negative and infinite weights are errors.
func Weights(ctx context.Context, open func(context.Context) (dataset.Source, error), set Settings) ([]float64, error) {
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	at := slices.IndexFunc(src.Columns(), func(c dataset.Column) bool { return c.Name == set.RowWeights })
	if at < 0 {
		return nil, fault.New(ErrUnknownColumn, fmt.Sprintf("row weights: no such column %q", set.RowWeights), "")
	}
	if err := src.Select([]int{at}); err != nil {
		return nil, err
	}
	var b dataset.Batch
	var out []float64
	row, positive := 0, 0 // data rows, and those with a positive weight
	for {
		if err := src.Next(ctx, &b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		for _, w := range b.Values {
			row++
			n, err := byWeight(w)
			if err != nil {
				return nil, &dataset.ParseError{File: set.File, Row: row, Column: at + 1, Name: set.RowWeights, Value: dataset.FormatFloat(w), Err: err}
			}
			positive += n
			if n > 0 && positive >= set.FirstRow && (set.LastRow == 0 || positive <= set.LastRow) {
				out = append(out, w)
			}
		}
	}
	if len(out) < 2 {
		return nil, &dataset.ParseError{File: set.File, Column: at + 1, Name: set.RowWeights, Detail: "fewer than two rows have a positive weight", Err: ErrWeight}
	}
	return out, nil
}
