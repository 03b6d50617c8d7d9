package annotation

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// A reader reads the files of one call into its collector.
type reader struct {
	collector
	ended func() error // why the run was stopped, or nil
	paths []string
	set   Settings
	want  string // the files that the format needs, for messages
	bytes int64  // read so far
	buf   *bufio.Reader
}

// file calls read with the text of a file, decompressed if it is gzip.
func (r *reader) file(path string, read func(*bufio.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if r.buf == nil {
		r.buf = bufio.NewReaderSize(nil, 1<<16)
	}
	r.buf.Reset(stopper{r, f})
	b := r.buf
	if head, _ := b.Peek(2); bytes.Equal(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return fmt.Errorf("%s: damaged gzip data: %w", path, err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
	}
	switch head, err := b.Peek(3); {
	case err != nil && err != io.EOF:
		return fmt.Errorf("%s: %w", path, err)
	case len(head) == 0:
		return fmt.Errorf("%s is empty; want %s", path, r.want)
	case string(head) == "\ufeff":
		b.Discard(3)
	}
	if err := read(b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// A stopper reports progress, and ends reading with the cause of the context.
type stopper struct {
	*reader
	in io.Reader
}

func (s stopper) Read(p []byte) (int, error) {
	if err := s.ended(); err != nil {
		return 0, err
	}
	n, err := s.in.Read(p)
	s.bytes += int64(n)
	if s.set.Observe != nil {
		s.set.Observe(s.bytes, len(s.images))
	}
	return n, err
}

// lines calls each with every line that is not blank, and its number. The line is reused.
func (r *reader) lines(path string, each func(line []byte) error) error {
	return r.file(path, func(b *bufio.Reader) error {
		s := bufio.NewScanner(b)
		s.Buffer(nil, 1<<20)
		n := 0
		for s.Scan() {
			n++
			line := bytes.TrimSpace(s.Bytes())
			if len(line) == 0 {
				continue
			}
			if err := each(line); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if errors.Is(s.Err(), bufio.ErrTooLong) {
			return fmt.Errorf("line %d is longer than 1 MiB; want %s", n+1, r.want)
		}
		return s.Err()
	})
}

// csv calls head with the first record of a CSV file and each with the others.
func (r *reader) csv(path string, head, each func(record []string) error) error {
	return r.file(path, func(b *bufio.Reader) error {
		in := csv.NewReader(b)
		in.ReuseRecord, in.FieldsPerRecord, in.LazyQuotes = true, -1, true
		for n := 0; ; n++ {
			record, err := in.Read()
			if err == io.EOF {
				return nil
			}
			if err == nil && n == 0 {
				err = head(record)
			} else if err == nil {
				err = each(record)
			}
			if err != nil {
				return fmt.Errorf("record %d: %w", n+1, err)
			}
		}
	})
}

// A found is a file in one of the paths, with its name relative to the path.
type found struct{ path, name string }

// files returns the files among the paths, and those in folders among the paths that match, in a fixed order.
func (r *reader) files(match func(name string) bool) ([]found, error) {
	var out []found
	for _, root := range r.paths {
		st, err := os.Stat(root)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			out = append(out, found{root, filepath.Base(root)})
			continue
		}
		err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !e.Type().IsRegular() || !match(e.Name()) {
				return r.ended()
			}
			name, err := filepath.Rel(root, path)
			out = append(out, found{path, filepath.ToSlash(name)})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no such file; want %s", strings.Join(r.paths, ", "), r.want)
	}
	return out, nil
}

// each calls read with each of these files.
func (r *reader) each(match func(name string) bool, read func(found) error) error {
	files, err := r.files(match)
	for _, f := range files {
		if err := read(f); err != nil {
			return err
		}
	}
	return err
}

// one returns the path of the file with this name, with or without .gz, or "".
func (r *reader) one(name string) (string, error) {
	is := func(s string) bool { return s == name || s == name+".gz" }
	all, err := r.files(is)
	if err != nil {
		return "", nil // the caller says what it needs
	}
	all = slices.DeleteFunc(all, func(f found) bool { return !is(filepath.Base(f.path)) })
	switch {
	case len(all) == 0:
		return "", nil
	case len(all) > 1:
		return "", fmt.Errorf("%w: two files %s: %s and %s; pass one of them", ErrSettings, name, all[0].path, all[1].path)
	}
	return all[0].path, nil
}

// need returns the path of the file with this name, or an error.
func (r *reader) need(name string) (string, error) {
	path, err := r.one(name)
	if err == nil && path == "" {
		err = fmt.Errorf("%w: no file %s; want %s", ErrSettings, name, r.want)
	}
	return path, err
}
