package csv

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// Read reads a table of numbers with a header line of column names and returns its moments. Memory is O(d²) and
// does not grow with the rows.
//
// The format is that of Open, but each field must be a finite number: missing values, infinities and text are
// errors. The first fault ends the reading with a *ParseError; see the Err values. Moments.Validate checks whether
// the columns can be used for learning.
//
// When ctx is done Read returns its error.
func Read(ctx context.Context, r io.Reader, opt Settings) (*dataset.Moments, error) {
	var a *dataset.Accumulator
	_, err := readNumbers(ctx, r, opt, func(names []string, rows []float64) error {
		if d := len(names); d > opt.MaxColumns {
			return &dataset.ParseError{Line: 1, Detail: fmt.Sprintf("%d, limit %d", d, opt.MaxColumns), Err: dataset.ErrTooWide}
		}
		if a == nil {
			a = dataset.NewAccumulator(names, opt.Threads).OnDemand()
		}
		return a.Add(rows)
	})
	if err != nil {
		return nil, dataset.InFile(err, opt.File)
	}
	m, err := a.Moments()
	return m, dataset.InFile(err, opt.File)
}

// readNumbers calls sink with runs of whole rows in the order of the file, at least two rows in total. A run is
// valid only during the call. It returns the names of the columns.
func readNumbers(ctx context.Context, r io.Reader, opt Settings, sink func(names []string, rows []float64) error) ([]string, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	s, err := openRecords(newRunReader(newDecoder(r, opt.Encoding), opt.MaxLine), opt, true)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	names := dataset.ColumnNames(s.columns)
	var b dataset.Batch
	for {
		err := s.Next(ctx, &b)
		switch {
		case err == io.EOF && s.rows == 0:
			return nil, &dataset.ParseError{File: opt.File, Err: dataset.ErrNoRows}
		case err == io.EOF && s.rows == 1:
			return nil, &dataset.ParseError{File: opt.File, Err: dataset.ErrOneRow}
		case err == io.EOF:
			return names, nil
		case err != nil:
			return nil, err
		}
		if err := sink(names, b.Values); err != nil {
			return nil, err
		}
	}
}

// ReadTable reads a table like Read and keeps its rows. It needs 8·n·d bytes, and twice that while reading.
func ReadTable(ctx context.Context, r io.Reader, opt Settings) (*dataset.NamedRows, error) {
	var runs [][]float64
	n := 0
	names, err := readNumbers(ctx, r, opt, func(_ []string, rows []float64) error {
		runs = append(runs, slices.Clone(rows))
		n += len(rows)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &dataset.NamedRows{Names: names, Rows: matrix.Of(n/len(names), len(names), slices.Concat(runs...))}, nil
}
