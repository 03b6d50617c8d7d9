package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/polydag/polydag/internal/atomicfile"
)

// open returns the named input; "-" is standard input. name is what errors should call it.
func (a *app) open(path string) (r io.ReadCloser, name string, err error) {
	if path == "-" {
		return io.NopCloser(newInterruptible(a.ctx, a.in)), "standard input", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, fmt.Errorf("cannot read %s: %w; check the path and its permissions", path, cause(err))
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, path, fmt.Errorf("cannot read %s: it is a directory; name a file", path)
	}
	return f, path, nil
}

// write calls fill with the named output; "-" is standard output. A file is written beside its
// place and renamed, so that there is always the old file or the whole new one.
func (a *app) write(path string, fill func(io.Writer) error) error {
	if path == "-" {
		return buffered("standard output", a.out, fill)
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		if st.IsDir() {
			return cannotWrite(path, errors.New("it is a directory"))
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a device or a pipe: nothing to rename
		if err != nil {
			return cannotWrite(path, err)
		}
		defer f.Close()
		return buffered(path, f, fill)
	}
	var filled error
	err := atomicfile.Write(path, func(w io.Writer) error {
		filled = buffered(path, w, fill)
		return filled
	})
	if err != nil && filled == nil {
		return cannotWrite(path, err)
	}
	return err
}

// cannotWrite says what to do about it, too.
func cannotWrite(path string, err error) error {
	way := "check the folder and its permissions"
	if path == "standard output" {
		way = "check what it is connected to"
	}
	return fmt.Errorf("cannot write %s: %w; %s", path, cause(err), elsewhere(err, way))
}

// elsewhere is the way out of a place that is full, or way where it is not.
func elsewhere(err error, way string) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room or write elsewhere"
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit on the size of files (ulimit -f) or write elsewhere"
	}
	return way
}

// distinct refuses outputs that would overwrite an input or each other. Empty names and - are no files.
func distinct(inputs, outputs []string) error {
	same := func(p, q string) bool {
		if filepath.Clean(p) == filepath.Clean(q) {
			return true
		}
		a, err1 := os.Stat(p)
		b, err2 := os.Stat(q)
		return err1 == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b)
	}
	for i, out := range outputs {
		if out == "" || out == "-" || out == os.DevNull {
			continue
		}
		for _, in := range inputs {
			if in != "" && in != "-" && same(in, out) {
				return usagef("%s is an input: writing to it would destroy it; name another file", out)
			}
		}
		for _, other := range outputs[:i] {
			if other != "" && other != "-" && same(other, out) {
				return usagef("%s is named for two outputs; name two files", out)
			}
		}
	}
	return nil
}

// writable reports early whether write could succeed, so that no hour of work is lost to a typing error.
func (a *app) writable(path string) error {
	if path == "-" || path == "" {
		return nil
	}
	if st, err := os.Stat(path); err == nil {
		if st.IsDir() {
			return fmt.Errorf("cannot write %s: it is a directory; name a file", path)
		}
		if !st.Mode().IsRegular() {
			return nil
		}
	}
	if err := atomicfile.Check(path); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// buffered calls fill with a buffer before w. A fault of the place is told from one of the content.
func buffered(path string, w io.Writer, fill func(io.Writer) error) error {
	to := &sink{w: w}
	b := bufio.NewWriterSize(to, 1<<16)
	err := fill(b)
	if err == nil {
		err = b.Flush()
	}
	if to.err != nil {
		return cannotWrite(path, to.err)
	}
	return err
}

// sink remembers why a write failed.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

// cause drops the path that the os package repeats in its errors.
func cause(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}
