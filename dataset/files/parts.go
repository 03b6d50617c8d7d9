package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// partsOf returns the files of a table in several files, sorted by name: those of a directory, or those that match a pattern such
// as part-*.csv. It returns nil if path is a single file or does not exist. It skips hidden files and those that begin with an
// underscore, which are markers of other programs.
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
	if err := refuseDelta(path, found); err != nil {
		return nil, err
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

// refuseDelta returns an error if one of the files is in the folder of a Delta Lake table. Such a folder can have files of earlier
// versions, so reading all files would bring removed rows back.
func refuseDelta(path string, files []string) error {
	checked := map[string]bool{}
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		for dir := filepath.Dir(file); !checked[dir]; dir = filepath.Dir(dir) { // the root is its own parent
			checked[dir] = true
			if st, err := os.Stat(filepath.Join(dir, "_delta_log")); err == nil && st.IsDir() {
				return located(path, ErrFormat, "it is a Delta Lake table, whose files can have removed rows: in Python run import deltalake; deltalake.DeltaTable(%q).to_pandas().to_parquet('table.parquet')", filepath.ToSlash(dir))
			}
		}
	}
	return nil
}

// globQuote escapes a path for use in a pattern.
var globQuote = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// Parts returns the files that OpenAll reads for paths, in reading order. Each path is a file, a directory or a pattern. A repeated
// file is an error, because its rows would count twice.
func Parts(paths []string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for _, path := range paths {
		base, _, err := locate(path, Settings{})
		if err != nil {
			return nil, err
		}
		found := []string{base}
		if base != "-" {
			if parts, err := partsOf(base); err != nil {
				return nil, err
			} else if parts != nil {
				found = parts
			} else if len(paths) > 1 {
				if err := refuseDelta(base, found); err != nil {
					return nil, err
				}
			}
		}
		for _, file := range found {
			file += path[len(base):]
			key := filepath.Clean(file)
			if seen[key] {
				return nil, located(file, ErrTwice, "")
			}
			seen[key] = true
			all = append(all, file)
		}
	}
	return all, nil
}

// OpenAll opens several files as one table: their rows in the order of paths, where each path is as in Open. All files must have
// the same columns in the same order. Standard input cannot be one of several.
func OpenAll(paths []string, stdin io.Reader, opt Settings) (*Input, error) {
	if len(paths) == 1 {
		return Open(paths[0], stdin, opt)
	}
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	files, err := Parts(paths)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 || slices.Contains(files, "-") {
		return nil, errors.New("a table in several files needs the name of each; standard input can only be read alone")
	}
	name := files[0]
	if more := len(files) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return openParts(name, files, opt)
}

// A part is one file of a table in several files. A part that is not a regular file, such as a pipe, can be opened only once and is
// kept open.
type part struct {
	path string
	kept *Input
}

// open returns the file and a function that closes it.
func (p part) open(opt Settings) (*Input, func() error, error) {
	if p.kept != nil {
		return p.kept, func() error { return nil }, nil
	}
	in, err := Open(p.path, nil, opt)
	if err != nil {
		return nil, nil, err
	}
	return in, in.Close, nil
}

// openParts opens the first of several files, which determines the format of all of them.
func openParts(name string, files []string, opt Settings) (*Input, error) {
	all := &Input{Name: name, opt: opt}
	for k, file := range files {
		p := part{path: file}
		base, _, _ := locate(file, opt) // Open reports errors
		st, err := os.Stat(base)
		regular := err == nil && st.Mode().IsRegular()
		if regular && all.size >= 0 {
			all.size += st.Size()
		}
		if k == 0 || err == nil && !regular {
			in, err := Open(file, nil, opt)
			if err != nil {
				all.Close()
				return nil, err
			}
			if k == 0 {
				all.Format, all.Compression = in.Format, in.Compression
			}
			if p.kept = in; regular {
				p.kept = nil
				in.Close()
			} else {
				all.size = -1
			}
		}
		all.parts = append(all.parts, p)
	}
	if all.Format == Moments {
		all.Close()
		return nil, savedPart(files[0])
	}
	return all, nil
}

// savedPart is the error for a part that has no rows.
func savedPart(path string) error {
	return located(path, ErrNoTable, "it holds saved moments: merge them into one file first")
}

// A joined source reads the rows of several files one after the other. All files must have the same columns in the same order.
type joined struct {
	parts   []part // files not yet opened
	opt     Settings
	forms   map[string]csv.Form // column forms, common to all files
	names   []dataset.Column    // columns of the first file
	columns []dataset.Column    // selected columns
	chosen  []int               // nil for all columns
	notes   []string
	src     dataset.Source
	close   func() error // closes the file that src reads
	begun   []beginning
	rows    int
	passed  int64 // bytes of the previous files
	last    int64 // bytes read of the current file
}

// A beginning is the first row, from 0, of a file in the table.
type beginning struct {
	path string
	row  int
}

func openJoined(ctx context.Context, parts []part, opt Settings, forms map[string]csv.Form) (dataset.Source, error) {
	s := &joined{parts: parts, opt: opt, forms: forms}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	s.names = slices.Clone(s.src.Columns())
	s.columns = s.names
	s.notes = append(s.notes, notesOf(s.src)...)
	s.notes = append(s.notes, fmt.Sprintf("The table is in %d files, read in this order: %s to %s.", len(parts), parts[0].path, parts[len(parts)-1].path))
	return s, nil
}

// open opens the next file.
func (s *joined) open(ctx context.Context) error {
	p := s.parts[0]
	s.parts = s.parts[1:]
	in, closeFile, err := p.open(s.opt)
	if err != nil {
		return err
	}
	s.close = closeFile
	if in.Format == Moments {
		return savedPart(p.path)
	}
	src, err := in.raw(ctx, s.forms)
	if err != nil {
		return err
	}
	s.src, s.begun = src, append(s.begun, beginning{p.path, s.rows})
	if s.names == nil {
		return nil
	}
	columns := s.src.Columns()
	for j := range max(len(columns), len(s.names)) {
		if j >= len(columns) || j >= len(s.names) || columns[j].Name != s.names[j].Name {
			return located(p.path, ErrParts, "column %d is %s, in %s %s", j+1, nameAt(columns, j), s.begun[0].path, nameAt(s.names, j))
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

func (s *joined) Locate(row int) (file string, within int) {
	at := s.begun[0]
	for _, b := range s.begun {
		if b.row < row {
			at = b
		}
	}
	return at.path, row - at.row
}

func (s *joined) Columns() []dataset.Column { return s.columns }

func (s *joined) Notes() []string { return s.notes }

func (s *joined) Select(columns []int) error {
	if err := s.src.Select(columns); err != nil {
		return err
	}
	s.chosen = slices.Clone(columns)
	s.columns = slices.Clone(s.src.Columns())
	return nil
}

func (s *joined) Next(ctx context.Context, b *dataset.Batch) error {
	for {
		if s.src == nil {
			return io.EOF
		}
		err := s.src.Next(ctx, b)
		if err == nil {
			s.rows += b.Rows
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

func (s *joined) Close() error {
	var err error
	if s.src != nil {
		err = s.src.Close()
	}
	if s.close != nil {
		err = errors.Join(err, s.close())
	}
	s.src, s.close = nil, nil
	return err
}
