package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// partsOf returns the files of a table that is kept in several, sorted by name: those of a folder, or those that a pattern
// such as part-*.csv fits. It returns nil where path is one file, or none. Hidden files, and those that begin with an
// underscore as the marks of other programs do, are no parts.
func partsOf(path string) ([]string, error) {
	st, err := os.Stat(path)
	pattern := path
	switch {
	case err == nil && !st.IsDir():
		return nil, nil
	case err == nil:
		pattern = filepath.Join(globQuote.Replace(path), "*")
	case !strings.ContainsAny(path, "*?["):
		return nil, nil
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; * stands for any letters, ? for one", path, err)
	}
	var parts []string
	for _, p := range found {
		base := filepath.Base(p)
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && base[0] != '.' && base[0] != '_' {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil, located(path, ErrNoTable, "no file is there")
	}
	if kind := byExtension(parts[0]); pattern != path && slices.ContainsFunc(parts, func(p string) bool { return byExtension(p) != kind }) {
		return nil, fmt.Errorf("cannot read %s: it is a directory with files of several kinds; name a file, or a pattern such as '%s'", path, filepath.Join(path, "*"+filepath.Ext(parts[0])))
	}
	return parts, nil
}

// globQuote makes a path mean itself in a pattern.
var globQuote = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// openParts opens the first of several files, which says what all of them are.
func openParts(path string, parts []string, opt Options) (*Input, error) {
	first, err := Open(parts[0], nil, opt)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if first.Format == Moments {
		return nil, located(path, ErrNoTable, "%s holds saved moments: merge them into one file first", parts[0])
	}
	return &Input{Name: path, Format: first.Format, Compression: first.Compression, opt: opt, parts: parts}, nil
}

// A joined source hands out the rows of several files, one after the other. All have the same columns in the same order.
type joined struct {
	parts   []string // still to come
	opt     Options
	names   []dataset.Column // of the first file
	columns []dataset.Column // chosen
	chosen  []int            // nil: all
	notes   []string
	in      *Input
	src     dataset.Source
	passed  int64 // bytes of earlier files
	last    int64 // bytes of this one
}

func openJoined(ctx context.Context, parts []string, opt Options) (dataset.Source, error) {
	s := &joined{parts: parts, opt: opt}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	s.names = slices.Clone(s.src.Columns())
	s.columns = s.names
	if n, ok := s.src.(dataset.Noter); ok {
		s.notes = append(s.notes, n.Notes()...)
	}
	s.notes = append(s.notes, fmt.Sprintf("The table is in %d files, read by name from %s to %s.", len(parts), parts[0], parts[len(parts)-1]))
	return s, nil
}

// open goes on to the next file.
func (s *joined) open(ctx context.Context) error {
	path := s.parts[0]
	s.parts = s.parts[1:]
	var err error
	if s.in, err = Open(path, nil, s.opt); err != nil {
		return err
	}
	if s.src, err = s.in.Source(ctx); err != nil {
		s.in.Close()
		s.in = nil
		return err
	}
	if s.names == nil {
		return nil
	}
	columns := s.src.Columns()
	for j := range max(len(columns), len(s.names)) {
		if j >= len(columns) || j >= len(s.names) || columns[j].Name != s.names[j].Name {
			return located(path, ErrParts, "column %d is %s, in the first file %s", j+1, nameAt(columns, j), nameAt(s.names, j))
		}
	}
	if s.chosen != nil {
		return s.src.Select(s.chosen)
	}
	return nil
}

func nameAt(columns []dataset.Column, j int) string {
	if j >= len(columns) {
		return "not there"
	}
	return fmt.Sprintf("%q", columns[j].Name)
}

// Columns implements dataset.Source.
func (s *joined) Columns() []dataset.Column { return s.columns }

// Notes implements dataset.Noter.
func (s *joined) Notes() []string { return s.notes }

// Select implements dataset.Source.
func (s *joined) Select(columns []int) error {
	if err := s.src.Select(columns); err != nil {
		return err
	}
	s.chosen = slices.Clone(columns)
	s.columns = slices.Clone(s.src.Columns())
	return nil
}

// Next implements dataset.Source.
func (s *joined) Next(ctx context.Context, b *dataset.Batch) error {
	for {
		if s.src == nil {
			return io.EOF
		}
		err := s.src.Next(ctx, b)
		if err == nil {
			s.last = b.Bytes
			b.Bytes += s.passed
		}
		if err != io.EOF {
			return err
		}
		s.passed += s.last
		s.last = 0
		if err := s.Close(); err != nil {
			return err
		}
		if len(s.parts) == 0 {
			return io.EOF
		}
		if err := s.open(ctx); err != nil {
			return err
		}
	}
}

// Close implements dataset.Source.
func (s *joined) Close() error {
	var err error
	if s.src != nil {
		err = s.src.Close()
	}
	if s.in != nil {
		if e := s.in.Close(); err == nil {
			err = e
		}
	}
	s.src, s.in = nil, nil
	return err
}
