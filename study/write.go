package study

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write makes the tables, figures and report of a study in a folder: tables/, tables/time/ (those that hold times), figures/ and
// REPRODUCTION.md. Files of the same names are replaced, each at once.
func Write(dir string, st *Study, sel Select, recs []*Record) error {
	for _, sub := range []string{"tables/time", "figures"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			return fmt.Errorf("study: %w; check the folder and its permissions", err)
		}
	}
	for _, t := range Tables(st, sel, recs) {
		place := filepath.Join(dir, "tables", t.Name+".md")
		if t.Timed {
			place = filepath.Join(dir, "tables", "time", t.Name+".md")
		}
		if err := writeFile(place, t.Markdown); err != nil {
			return err
		}
	}
	if err := writeFigures(filepath.Join(dir, "figures"), newView(st, sel, recs)); err != nil {
		return err
	}
	return WriteReport(filepath.Join(dir, "REPRODUCTION.md"), "figures", st, sel, recs)
}

// WriteReport writes the report alone to a file; figures is their folder as seen from that file.
func WriteReport(path, figures string, st *Study, sel Select, recs []*Record) error {
	return writeFile(path, func(w io.Writer) error { return Report(w, st, sel, recs, figures) })
}
