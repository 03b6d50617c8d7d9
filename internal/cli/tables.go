package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/dataset/files"
)

// tableFormat is the writer for the format that the name of an output says; standard output is CSV. A name of a format
// that is not written is the caller's mistake, found before anything is done.
func tableFormat(flag, path string) (files.Writer, error) {
	w, err := files.WriterFor(path)
	if err != nil {
		return w, usagef("%s: %s", flag, worded(err))
	}
	return w, nil
}

// edgeListName refuses a name under which nobody looks for an edge list, which is CSV.
func edgeListName(flag, path string) error {
	if w, err := files.WriterFor(path); err != nil || w.Format != files.CSV || w.Compression != "" {
		return usagef("%s %s: an edge list is written as CSV; end the name in .csv", flag, path)
	}
	return nil
}

// writeTable writes a table whole or not at all, in the format of the writer.
func (a *app) writeTable(ctx context.Context, path string, w files.Writer, t files.Content) error {
	if w.Format == files.NPY && !slices.Equal(t.Names, plainNames(len(t.Names))) {
		fmt.Fprintf(a.err, "note: an NPY file has no names: the columns of %s will be read as x0, x1, …; a name in .npz keeps them\n", path)
	}
	return a.write(ctx, path, func(to io.Writer) error { return w.Write(to, t) })
}

// plainNames are the names that columns without names are read under.
func plainNames(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}
