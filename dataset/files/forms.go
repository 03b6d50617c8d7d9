package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// forms describes how the columns of a text table are written (currencies, dates, units). All cells of a column must be seen before
// its form is known, but most tables need no forms and are read once. So the first pass watches the cells, and only if one of them
// may have a form does the next pass begin with a survey of the whole table. The start of a file is checked before the first pass,
// so that most tables that need a survey get it at once.
type forms struct {
	looked bool          // the start of the file was checked
	fixed  bool          // no further survey is needed
	passes []*csv.Survey // surveys of passes that are running or ended early
	found  map[string]csv.Form
	notes  []dataset.ColumnNote
	stray  []string // a note on cells of a sheet that are not read
}

// lookBytes is the number of bytes checked before the first pass. It is less than a spool keeps in memory.
const lookBytes = 512 << 10

// textTable reports whether the format has columns with forms.
func (in *Input) textTable() bool { return in.Format == CSV || in.Format == TSV || in.Format == XLSX }

// surveyed returns a source that knows the forms of its columns or detects them.
func (in *Input) surveyed(ctx context.Context) (dataset.Source, error) {
	f := &in.forms
	if !f.looked {
		f.looked = true
		if in.Format != XLSX {
			in.look()
		} else if err := in.survey(ctx); err != nil {
			return nil, err
		}
	}
	if !f.fixed && slices.ContainsFunc(f.passes, (*csv.Survey).Needed) {
		if err := in.survey(ctx); err != nil {
			return nil, err
		}
	}
	src, err := in.raw(ctx, f.found)
	if err != nil || f.fixed {
		return in.noted(src, nil), err
	}
	watch, err := csv.NewSurvey(src.Columns(), csv.Settings{CSVSettings: in.opt.CSV}, in.decimal, false)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	f.passes = append(f.passes, watch)
	return in.noted(src, watch), nil
}

// fields returns a source of columns of text that are read as fields of a text table, after a survey of these columns.
func (in *Input) fields(ctx context.Context, src *arFields) (dataset.Source, error) {
	if !in.forms.fixed {
		if err := errors.Join(src.Close(), in.survey(ctx)); err != nil {
			return nil, err
		}
		again, err := in.raw(ctx, in.forms.found)
		return in.noted(again, nil), err
	}
	return in.noted(src, nil), nil
}

// look surveys the start of the file. It ignores errors, which occur again when the table is read.
func (in *Input) look() {
	file := in
	if in.parts != nil {
		if in.parts[0].kept != nil {
			return
		}
		first, end, err := in.parts[0].open(in.opt)
		if err != nil {
			return
		}
		defer end()
		if file = first; !file.textTable() || file.Format == XLSX {
			return
		}
	}
	if file.spool() != nil && file.Compression != "" {
		return // decompressing the start takes more of the stream than is kept in memory
	}
	content, end, err := file.content()
	if err != nil {
		return
	}
	head, err := io.ReadAll(io.LimitReader(content, lookBytes+1))
	end()
	if err != nil {
		return
	}
	whole := len(head) <= lookBytes && in.parts == nil
	if len(head) > lookBytes {
		head = head[:bytes.LastIndexByte(head[:lookBytes], '\n')+1]
	}
	src, err := file.openStream(bytes.NewReader(head), nil)
	if err != nil {
		return
	}
	defer src.Close()
	in.decimal = csv.Decimal(src)
	s, err := csv.NewSurvey(src.Columns(), csv.Settings{CSVSettings: in.opt.CSV}, in.decimal, true)
	if err != nil {
		return
	}
	var b dataset.Batch
	for err == nil {
		if err = src.Next(context.Background(), &b); err == nil {
			s.Add(&b)
		}
	}
	f := &in.forms
	if err == io.EOF && whole {
		f.fixed = true
		f.found, f.notes = s.Forms()
		return
	}
	f.passes = append(f.passes, s)
}

// survey reads the whole table to detect the forms of its columns.
func (in *Input) survey(ctx context.Context) error {
	src, err := in.raw(ctx, nil)
	if err != nil {
		return err
	}
	defer src.Close()
	if fields, ok := src.(*arFields); ok {
		if err := fields.selectFields(); err != nil {
			return err
		}
	}
	s, err := csv.NewSurvey(src.Columns(), csv.Settings{CSVSettings: in.opt.CSV}, in.decimal, true)
	if err != nil {
		return err
	}
	if in.Format == XLSX {
		s.Typed(src.Columns())
	}
	var b dataset.Batch
	for {
		if err := src.Next(ctx, &b); err == io.EOF {
			break
		} else if err != nil {
			if ctx.Err() != nil {
				return err
			}
			break // the error occurs again when the table is read
		}
		s.Add(&b)
	}
	f := &in.forms
	f.fixed, f.passes = true, nil
	f.found, f.notes = s.Forms()
	if sheet, ok := src.(*xlsxSource); ok && sheet.stray != "" {
		f.stray = []string{"Cells right of the columns are not read, such as " + sheet.stray + "."}
	}
	return nil
}

// A formed source reports notes on the forms of its columns, and detects forms if watch is not nil.
type formed struct {
	dataset.Source
	in    *Input
	watch *csv.Survey
	part  bool // some columns were not selected
}

// A formedParts is a formed source over several files.
type formedParts struct{ *formed }

// noted wraps a source. It returns nil for nil.
func (in *Input) noted(src dataset.Source, watch *csv.Survey) dataset.Source {
	if src == nil {
		return nil
	}
	s := &formed{Source: src, in: in, watch: watch}
	if _, several := src.(dataset.Locator); several {
		return formedParts{s}
	}
	return s
}

func (s formedParts) Locate(row int) (file string, within int) {
	return s.Source.(dataset.Locator).Locate(row)
}

func (s *formed) Select(columns []int) error {
	if err := s.Source.Select(columns); err != nil {
		return err
	}
	if s.watch != nil {
		s.part = true
		s.watch.Select(columns)
	}
	return nil
}

func (s *formed) Next(ctx context.Context, b *dataset.Batch) error {
	err := s.Source.Next(ctx, b)
	switch {
	case s.watch == nil:
	case err == nil:
		s.watch.Add(b)
	case err == io.EOF && !s.part && !s.watch.Needed(): // another pass would give the same
		s.in.forms.fixed, s.in.forms.passes = true, nil
	}
	return err
}

func (s *formed) Notes() []string { return slices.Concat(notesOf(s.Source), s.in.forms.stray) }

func (s *formed) ColumnNotes() []dataset.ColumnNote { return s.in.forms.notes }
