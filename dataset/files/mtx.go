package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// mtxSource reads a sparse matrix as a table with one row per cell (observation) and one column per feature. Absent entries
// are 0. Entries that are ordered by cell, as 10x Genomics, scipy and R write them, are streamed. Others are sorted in memory.
type mtxSource struct {
	frame
	file     string
	m        *mtxReader
	cellCols bool       // the columns of the matrix are the cells
	cells    int        // number of cells in the matrix
	cell     int        // next cell
	head     []mtxEntry // entries read ahead, or all of them, sorted
	at       int        // next entry in head
	sorted   bool       // head has all entries
	extra    *mtxCells  // more columns of the cells; may be nil
	features int
	log      bool    // log-normalize the counts
	place    []int32 // column of each feature in the batch, or -1
	notes    []string
}

// mtxAhead is the number of entries that are read to find out how they are ordered.
const mtxAhead = 1 << 15

// mtxSpare is the number of rows and of columns that a matrix without names may have beyond its number of entries. A header
// alone could otherwise claim any number of empty ones.
const mtxSpare = 1 << 16

func openMTX(file string, r io.Reader, beside map[string]string, opt Settings) (dataset.Source, error) {
	m, err := newMTXReader(r)
	if err != nil {
		return nil, mtxError(file, err)
	}
	s := &mtxSource{file: file, m: m, log: opt.LogNormalize}
	features, cells := m.cols, m.rows
	var names, barcodes []string
	if file := beside["features"]; file != "" {
		if names, err = featureNames(file, max(m.rows, m.cols), opt); err != nil {
			return nil, err
		}
	}
	if file := beside["barcodes"]; file != "" {
		if barcodes, err = firstFields(file, max(m.rows, m.cols), opt); err != nil {
			return nil, err
		}
	}
	// The files beside the matrix say what its columns are. A square matrix is as 10x Genomics writes it.
	fits := func(names []string, n int64) bool {
		return names == nil || len(names) == int(n) || len(names) == int(n)+1
	}
	if s.cellCols = (names != nil || barcodes != nil) && fits(names, m.rows) && fits(barcodes, m.cols); s.cellCols {
		features, cells = m.rows, m.cols
	} else if !fits(names, m.cols) || !fits(barcodes, m.rows) {
		return nil, located(file, ErrDamaged, "it has %d rows and %d columns, and the files beside it name %s", m.rows, m.cols, besideText(names, barcodes))
	}
	if most := m.entries + mtxSpare; names == nil && features > most || barcodes == nil && cells > most {
		return nil, located(file, ErrDamaged, "it claims %d rows and %d columns for %d entries", m.rows, m.cols, m.entries)
	}
	if features > int64(opt.MaxColumns) {
		return nil, located(file, dataset.ErrTooWide, "%d, limit %d", features, opt.MaxColumns)
	}
	s.features, s.cells = int(features), int(cells)
	// One name more than the matrix needs is a header.
	names, barcodes = lastOf(names, s.features), lastOf(barcodes, s.cells)
	columns := make([]dataset.Column, s.features, s.features+8)
	kind := dataset.Number
	if m.integer && !s.log {
		kind = dataset.Integer
	}
	for j := range columns {
		columns[j] = dataset.Column{Name: fmt.Sprintf("x%d", j), Kind: kind}
		if names != nil {
			columns[j].Name = names[j]
		}
	}
	if opt.Cells != "" {
		if s.extra, err = readCells(opt.Cells, file, barcodes, s.cells, opt); err != nil {
			return nil, err
		}
		columns = append(columns, s.extra.columns...)
		s.notes = append(s.notes, s.extra.notes...)
	}
	if s.frame, err = newFrame(file, columns, opt); err != nil {
		return nil, err
	}
	if !s.cellCols && names == nil {
		s.notes = append(s.notes, fmt.Sprintf("No file with names is beside the matrix: its %d rows are the observations, and its %d columns are x0 to x%d.", cells, features, features-1))
	}
	if err := s.order(opt); err != nil {
		return nil, mtxError(file, err)
	}
	return s, nil
}

func besideText(features, barcodes []string) string {
	switch {
	case barcodes == nil:
		return fmt.Sprintf("%d features", len(features))
	case features == nil:
		return fmt.Sprintf("%d cells", len(barcodes))
	}
	return fmt.Sprintf("%d features and %d cells", len(features), len(barcodes))
}

// lastOf returns the last n names; nil for nil.
func lastOf(names []string, n int) []string {
	if names == nil {
		return nil
	}
	return names[len(names)-n:]
}

// mtxError adds the name of the file to an error of the reader.
func mtxError(file string, err error) error {
	var e *dataset.ParseError
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return located(file, ErrDamaged, "%v", err)
}

// of returns the cell and the feature of an entry.
func (s *mtxSource) of(e mtxEntry) (cell, feature int) {
	if s.cellCols {
		return e.col, e.row
	}
	return e.row, e.col
}

// order reads the first entries. They are ordered by cell if a cell never follows a later one and some cell has several
// entries. Otherwise it reads all entries and sorts them.
func (s *mtxSource) order(opt Settings) error {
	byCell, repeated, last := true, false, -1
	more := func() (bool, error) {
		e, err := s.m.read()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		s.head = append(s.head, e)
		cell, _ := s.of(e)
		byCell, repeated, last = byCell && cell >= last, repeated || cell == last, cell
		return true, nil
	}
	for len(s.head) < mtxAhead && byCell {
		if ok, err := more(); err != nil || !ok {
			s.sorted = true
			if err != nil {
				return err
			}
			break
		}
	}
	if byCell && (repeated || s.sorted) {
		return nil
	}
	room := budget{file: s.file, limit: opt.MaxMemory}
	for {
		var err error
		if s.head, err = grown(&room, s.head, 1, "a matrix whose entries are not ordered by cell"); err != nil {
			return err
		}
		if ok, err := more(); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	s.sorted = true
	slices.SortFunc(s.head, func(a, b mtxEntry) int {
		i, j := s.of(a)
		k, l := s.of(b)
		return cmp.Or(cmp.Compare(i, k), cmp.Compare(j, l))
	})
	return nil
}

// peek returns the next entry without using it, and io.EOF after the last.
func (s *mtxSource) peek() (mtxEntry, error) {
	if s.at == len(s.head) {
		if s.sorted {
			return mtxEntry{}, io.EOF
		}
		e, err := s.m.read()
		if err != nil {
			return e, err
		}
		s.head, s.at = append(s.head[:0], e), 0
	}
	return s.head[s.at], nil
}

func (s *mtxSource) Next(ctx context.Context, b *dataset.Batch) error {
	if s.place == nil {
		s.place = slices.Repeat([]int32{-1}, s.features)
		for k, j := range s.chosen {
			if j < s.features {
				s.place[j] = int32(k)
			}
		}
	}
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	d := len(s.chosen)
	most := max(1, min(8192, (1<<18)/max(d, 1)))
	for b.Rows < most && s.cell < s.cells {
		if s.cell%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.Values = slices.Grow(b.Values, d)[:(b.Rows+1)*d]
		row := b.Values[b.Rows*d:]
		clear(row)
		total, err := s.fill(row)
		if err != nil {
			b.Reset()
			return mtxError(s.file, err)
		}
		if (s.extra == nil || s.extra.row[s.cell] >= 0) && (!s.log || total > 0) {
			if s.log {
				logNormalize(row, total)
			}
			if s.extra != nil {
				s.extra.fill(b, b.Rows, s.extra.row[s.cell], s.chosen, s.features)
			}
			b.Rows++
		}
		b.Values = b.Values[:b.Rows*d]
		s.cell++
	}
	if b.Rows > 0 {
		return nil
	}
	if _, err := s.peek(); err == nil {
		return mtxError(s.file, s.disorder())
	} else if err != io.EOF {
		return mtxError(s.file, err)
	}
	return io.EOF
}

// fill adds the entries of the next cell to its row and returns the total of all its features.
func (s *mtxSource) fill(row []float64) (total float64, err error) {
	for {
		e, err := s.peek()
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		cell, feature := s.of(e)
		if cell > s.cell {
			return total, nil
		}
		if cell < s.cell {
			return total, s.disorder()
		}
		s.at++
		total += e.value
		if math.IsInf(e.value, 0) || s.log && e.value < 0 {
			return total, s.m.fault("the value %v in row %d and column %d is not a count", e.value, e.row+1, e.col+1)
		}
		if k := s.place[feature]; k >= 0 {
			if row[k] != 0 {
				return total, s.m.fault("the matrix has two entries in row %d and column %d", e.row+1, e.col+1)
			}
			row[k] = e.value
		}
	}
}

// logNormalize replaces counts by the logarithm of 1 + counts per 10,000. Reference: NormalizeData of Seurat.
func logNormalize(row []float64, total float64) {
	for k, x := range row {
		if x != 0 {
			row[k] = math.Log1p(1e4 * x / total)
		}
	}
}

// disorder is the error for entries that are ordered by cell only at the start.
func (s *mtxSource) disorder() error {
	key := 1
	if s.cellCols {
		key = 2
	}
	return s.m.fault("the entries are ordered by cell up to here and not after; sort the lines after the header with sort -s -n -k%d,%d", key, key)
}

func (s *mtxSource) Notes() []string { return s.notes }
