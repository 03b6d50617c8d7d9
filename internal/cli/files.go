package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
		return buffered(a.out, fill)
	}
	fail := func(err error) error {
		return fmt.Errorf("cannot write %s: %w; check the folder and its permissions", path, cause(err))
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		if st.IsDir() {
			return fail(fmt.Errorf("it is a directory"))
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a device or a pipe: nothing to rename
		if err != nil {
			return fail(err)
		}
		defer f.Close()
		return buffered(f, fill)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fail(err)
	}
	defer os.Remove(f.Name()) // fails, as it should, once renamed
	if err := buffered(f, fill); err != nil {
		f.Close()
		return fail(err)
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return fail(err)
	}
	if err := f.Close(); err != nil {
		return fail(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fail(err)
	}
	return nil
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
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the folder and its permissions", path, cause(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

func buffered(w io.Writer, fill func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := fill(b); err != nil {
		return err
	}
	return b.Flush()
}

// cause drops the path that the os package repeats in its errors.
func cause(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}
