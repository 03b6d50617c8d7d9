package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/polydag/polydag/internal/atomicfile"
)

// input is an open input whose reads fail after the context has ended.
type input struct {
	io.Reader
	io.Closer
}

// open returns the named input; "-" is standard input. name is the name for error messages.
func (a *app) open(ctx context.Context, path string) (r io.ReadCloser, name string, err error) {
	if path == "-" {
		return io.NopCloser(interruptible(ctx, a.in)), inputName(path), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, fmt.Errorf("cannot read %s: %w; check the path and its permissions", path, Cause(err))
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, path, fmt.Errorf("cannot read %s: it is a directory; name a file", path)
	}
	return input{stopping(ctx, f), f}, path, nil
}

func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// write calls fill with the named output; "-" is standard output. A file is written to a temporary name and
// renamed, so that it is never incomplete. After ctx has ended, nothing more is written, and the file is not
// renamed.
//
// On standard output the text is for people: control characters are shown as escapes. See data for machine formats.
func (a *app) write(ctx context.Context, path string, fill func(io.Writer) error) error {
	return a.deliver(ctx, path, a.out, fill)
}

// data is write for machine formats, such as JSON and CSV. Unless standard output is a terminal, every byte is exact.
func (a *app) data(ctx context.Context, path string, fill func(io.Writer) error) error {
	return a.deliver(ctx, path, a.out.Exact(), fill)
}

func (a *app) deliver(ctx context.Context, path string, stdout io.Writer, fill func(io.Writer) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if path == "" {
		return usagef("the name of the output file is empty; name a file, or - for standard output")
	}
	if path == "-" {
		a.at(ctx, "write")
		return buffered(ctx, "standard output", printing{a, stdout}, fill)
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		if st.IsDir() {
			return cannotWrite(path, errors.New("it is a directory"))
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a device or a pipe cannot be renamed
		if err != nil {
			return cannotWrite(path, err)
		}
		defer f.Close()
		return buffered(ctx, path, f, fill)
	}
	var filled error
	err := a.left.atomic.Write(path, func(w io.Writer) error {
		a.at(ctx, "write")
		filled = buffered(ctx, path, w, fill)
		return filled
	})
	switch {
	case errors.Is(err, atomicfile.ErrDiscarded):
		return errInterrupted
	case err != nil && filled == nil:
		return cannotWrite(path, err)
	case err == nil:
		a.left.placed(path)
	}
	return err
}

// printing is standard output, which cannot be undone.
type printing struct {
	a *app
	w io.Writer
}

func (p printing) Write(b []byte) (int, error) {
	p.a.left.printed()
	return p.w.Write(b)
}

func cannotWrite(path string, err error) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	way := "check the folder and its permissions"
	if path == "standard output" {
		way = "check what it is connected to"
	}
	return fmt.Errorf("cannot write %s: %w; %s", path, Cause(err), remedyOf(err, way))
}

// remedyOf returns the remedy for a full disk, or way for other errors.
func remedyOf(err error, way string) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room or write elsewhere"
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit on the size of files (ulimit -f) or write elsewhere"
	}
	return way
}

// outputs checks early that the output files differ from the inputs and from each other and are writable.
func (a *app) outputs(inputs, outputs []string) error {
	if err := distinct(inputs, outputs); err != nil {
		return err
	}
	for _, path := range outputs {
		if err := a.writable(path); err != nil {
			return err
		}
	}
	return nil
}

// distinct refuses outputs that would overwrite an input or each other. Empty names and - are ignored.
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

// writable checks early whether write can succeed, so that a typing error does not waste a long run.
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

// buffered calls fill with a buffered writer. It distinguishes errors of the output from errors of the content.
// Nothing is written to w after ctx has ended.
func buffered(ctx context.Context, path string, w io.Writer, fill func(io.Writer) error) error {
	var fault error // error of the output
	b := bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := w.Write(p)
		if err != nil {
			fault = err
		}
		return n, err
	}), 1<<16)
	err := fill(b)
	if err == nil {
		err = b.Flush()
	}
	switch {
	case fault != nil:
		return cannotWrite(path, fault)
	case err == nil && ctx.Err() != nil: // do not rename the file
		return context.Cause(ctx)
	}
	return err
}

// writerFunc is a function that implements io.Writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Cause removes the path that package os repeats in its errors.
func Cause(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}
