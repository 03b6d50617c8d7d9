package files

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// xlsxSource reads a sheet of an Excel workbook row by row. The first non-empty row is the header, or the first two after a title. Texts
// are read as in a text table: amounts, dates, words for missing values. Shared texts and one batch of rows are in memory.
//
// The reader is written for this package because it needs the type and style of each cell while streaming: only its style
// distinguishes a date from another number. Reference: ECMA-376, part 1, section 18.
type xlsxSource struct {
	notes []string // notes on the column names
	frame
	file  string
	opt   Settings
	book  *xlsxBook
	sheet io.ReadCloser
	xml   *xml.Decoder
	limit *tokenLimit
	row   int        // last row read, counted from 1 in the sheet
	cells []xlsxCell // cells of the last row read
	wide  int        // number of columns
	first bool       // cells has a data row that was not returned yet
	read  *csv.Cells
	forms map[string]csv.Form
	stray string // the first cell right of the columns

	merges []merge           // merged cells below the last row read
	open   map[int]openMerge // those of the last row read, by column
}

// An xlsxCell is one cell of a row: a number, or a text.
type xlsxCell struct {
	column int // from 0
	value  float64
	text   string
	isText bool
	shown  xlsxShow
}

// isXLSX reports whether a zip holds a workbook.
func isXLSX(at io.ReaderAt, size int64) bool {
	z, err := zip.NewReader(at, size)
	return err == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "xl/workbook.xml" })
}

func openXLSX(file string, at io.ReaderAt, size int64, opt Settings, forms map[string]csv.Form) (dataset.Source, error) {
	z, err := zip.NewReader(at, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, located(file, ErrDamaged, "%v", err)
	}
	book, err := readBook(file, z, opt)
	if err == nil {
		err = book.readShared(opt)
	}
	if err != nil {
		return nil, err
	}
	member, err := book.choose(opt.Sheet)
	if err != nil {
		return nil, err
	}
	s := &xlsxSource{file: file, opt: opt, book: book, forms: forms}
	if err := s.start(member); err != nil {
		return nil, err
	}
	head := s.head()
	s.sheet.Close()
	if err := s.start(member); err != nil {
		return nil, err
	}
	if err := s.names(head); err != nil {
		s.sheet.Close()
		return nil, err
	}
	s.keepMerged(merged(member))
	return s, nil
}

// start opens the sheet at its first row.
func (s *xlsxSource) start(member *zip.File) (err error) {
	if s.sheet, err = member.Open(); err != nil {
		return located(s.file, ErrDamaged, "%v", err)
	}
	s.limit = &tokenLimit{r: s.sheet, most: s.opt.CSV.MaxLine + 1<<16}
	s.xml, s.row = xml.NewDecoder(s.limit), 0
	return nil
}

func (s *xlsxSource) Notes() []string { return s.notes }

func (s *xlsxSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	d := len(s.chosen)
	place := make(map[int]int, d)
	for k, j := range s.chosen {
		place[j] = k
	}
	for b.Rows < batchRows(d) && len(b.Text) < 1<<22 {
		if !s.first {
			if err := s.next(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		s.first = false
		s.fill()
		start := len(b.Values)
		b.Values = append(b.Values, slices.Repeat([]float64{math.NaN()}, d)...)
		for _, c := range s.cells {
			k, ok := place[c.column]
			switch {
			case !ok && c.column >= s.wide && s.stray == "" && (c.isText || c.value == c.value):
				s.stray = fmt.Sprintf("column %d of row %d", c.column+1, s.row)
			case !ok:
			case c.isText:
				x, isText := s.read.Text(c.column, c.text)
				if b.Values[start+k] = x; isText {
					// The cells of a row come from left to right, and so do the columns, unless they were selected in another order.
					b.AddText(b.Rows, k, s.row, []byte(c.text))
				}
			default:
				x := s.read.Number(c.column, c.value)
				if b.Values[start+k] = x; x == x && s.read.Words(c.column) {
					b.Values[start+k] = math.NaN()
					b.AddText(b.Rows, k, s.row, []byte(dataset.FormatFloat(x)))
				}
			}
		}
		b.Rows++
	}
	if b.Rows == 0 {
		return io.EOF
	}
	slices.SortStableFunc(b.Cells, byPlace)
	return nil
}

func (s *xlsxSource) Close() error { return s.sheet.Close() }

// next reads the next row with a non-empty cell.
func (s *xlsxSource) next() error {
	s.cells = s.cells[:0]
	var cell struct {
		kind, style string
		text        strings.Builder
		column      int
		inside      bool // inside a value
	}
	fault := func(err error) error {
		return &dataset.ParseError{File: s.file, Line: s.row, Detail: err.Error(), Err: ErrDamaged}
	}
	column, room := -1, s.opt.MaxMemory/8
	for {
		s.limit.left = s.limit.most
		token, err := s.xml.RawToken()
		if err == io.EOF {
			return io.EOF
		}
		if errors.Is(err, dataset.ErrLineTooLong) {
			return located(s.file, dataset.ErrLineTooLong, "a cell, limit %d bytes", s.opt.CSV.MaxLine)
		}
		if err != nil {
			return fault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				s.row++
				column = -1
				if n, err := strconv.Atoi(attribute(t, "r")); err == nil && n >= s.row {
					s.row = n
				}
			case "c":
				column++
				if ref := attribute(t, "r"); ref != "" {
					if column = columnOf(ref); column < 0 {
						return fault(fmt.Errorf("a cell is called %q", ref))
					}
				}
				cell.kind, cell.style, cell.column = attribute(t, "t"), attribute(t, "s"), column
				cell.text.Reset()
			case "v", "t":
				cell.inside = true
			}
		case xml.CharData:
			if cell.inside {
				cell.text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				cell.inside = false
			case "c":
				c, ok, err := s.book.cell(cell.kind, cell.style, cell.text.String())
				if err != nil {
					return fault(err)
				}
				if c.column = cell.column; ok {
					if n := len(s.cells); n > 0 && s.cells[n-1].column >= c.column {
						return fault(errors.New("the cells of a row are not in order"))
					}
					// Cells that share a long text can expand a few bytes to many.
					if room -= int64(unsafe.Sizeof(c)) + int64(len(c.text)); room < 0 {
						return &dataset.ParseError{File: s.file, Line: s.row, Detail: fmt.Sprintf("one row takes more than %d MB", s.opt.MaxMemory/8e6), Err: ErrLimit}
					}
					s.cells = append(s.cells, c)
				}
			case "row":
				if len(s.cells) > 0 {
					return nil
				}
			case "sheetData":
				return io.EOF
			}
		}
	}
}

// columnOf returns the column, from 0, of a cell reference such as BC17, or -1 if it is invalid.
func columnOf(ref string) int {
	n := 0
	for i, c := range []byte(ref) {
		switch {
		case c >= 'A' && c <= 'Z' && n < 1<<20:
			n = 26*n + int(c-'A') + 1
		case i > 0 && c >= '0' && c <= '9':
			return n - 1
		default:
			return -1
		}
	}
	return n - 1
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// tokenLimit fails if one token takes more than most bytes.
type tokenLimit struct {
	r          io.Reader
	most, left int
}

func (l *tokenLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, dataset.ErrLineTooLong
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// target returns the path inside the zip of a workbook relation's target.
func target(name string) string {
	if rest, ok := strings.CutPrefix(name, "/"); ok {
		return path.Clean(rest)
	}
	return path.Join("xl", name)
}
