package study

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write makes the tables, figures and report of a study in a folder: tables/, tables/time/ (those that hold times), figures/ and
// REPRODUCTION.md. Files of the same names are replaced, each at once; tables and figures of before that are no longer part of the
// study are removed.
func Write(dir string, st *Study, sel Select, recs []*Record) error {
	start := map[string]bool{} // what is there
	for _, sub := range []string{"tables/time", "tables", "figures"} {
		sub = filepath.Join(dir, filepath.FromSlash(sub))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return fmt.Errorf("study: %w; check the folder and its permissions", err)
		}
		for _, ext := range []string{"*.md", "*.svg", "*.png"} {
			old, _ := filepath.Glob(filepath.Join(sub, ext)) // fails for a bad pattern only
			for _, f := range old {
				start[f] = true
			}
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
		delete(start, place)
	}
	drawn, err := writeFigures(filepath.Join(dir, "figures"), newView(st, sel, recs))
	if err != nil {
		return err
	}
	for _, f := range drawn {
		delete(start, f)
	}
	for f := range start {
		if err := os.Remove(f); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	}
	return WriteReport(filepath.Join(dir, "REPRODUCTION.md"), "figures", st, sel, recs)
}

// WriteReport writes the report alone to a file; figures is their folder as seen from that file.
func WriteReport(path, figures string, st *Study, sel Select, recs []*Record) error {
	return writeFile(path, func(w io.Writer) error { return Report(w, st, sel, recs, figures) })
}
