package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/dataset/files"
)

// tableFormat returns the writer for the extension of an output; standard output is CSV. An unsupported
// extension is a usage error, reported before any work.
func tableFormat(flag, path string) (files.Writer, error) {
	w, err := files.WriterFor(path)
	if err != nil {
		return w, usagef("%s: %s", flag, worded(err))
	}
	return w, nil
}

// edgeListName refuses an extension other than .csv for an edge list.
func edgeListName(flag, path string) error {
	if w, err := files.WriterFor(path); err != nil || w.Format != files.CSV || w.Compression != "" {
		return usagef("%s %s: an edge list is written as CSV; end the name in .csv", flag, path)
	}
	return nil
}

// writeTable writes a table completely or not at all.
func (a *app) writeTable(ctx context.Context, path string, w files.Writer, t files.Content) error {
	if w.Format == files.NPY && !slices.Equal(t.Names, plainNames(len(t.Names))) {
		fmt.Fprintf(a.err, "note: an NPY file has no names: the columns of %s will be read as x0, x1, …; a name in .npz keeps them\n", path)
	}
	return a.data(ctx, path, func(to io.Writer) error { return w.Write(to, t) })
}

// writeEdges writes an edge list if a file is named.
func (a *app) writeEdges(ctx context.Context, path string, edges []edgelist.Edge) error {
	if path == "" {
		return nil
	}
	return a.data(ctx, path, func(w io.Writer) error { return edgelist.Write(w, edges) })
}

// Pushed returns the rows that sample passes to emit, as a sequence. failed receives the error of sample.
func Pushed(failed *error, sample func(emit func([]float64) error) error) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		stop := errors.New("stop")
		err := sample(func(row []float64) error {
			if !yield(row) {
				return stop
			}
			return nil
		})
		if err != stop {
			*failed = err
		}
	}
}

// plainNames returns the names that columns without names get when read.
func plainNames(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}
