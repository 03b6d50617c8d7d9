package study

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polydag/polydag/internal/atomicfile"
)

// A FileWriter writes a file completely or not at all, unless ctx has ended. A program that can be interrupted
// at any time passes its own, which tracks temporary files.
type FileWriter func(ctx context.Context, path string, fill func(io.Writer) error) error

// file writes a file by w or, if w is nil, by a temporary file.
func (w FileWriter) file(ctx context.Context, path string, fill func(io.Writer) error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case w != nil:
		return w(ctx, path, fill)
	}
	return atomicfile.Write(path, fill)
}

// Write writes the tables, figures and report of a study to a folder: tables/, tables/time/ (times), figures/
// truths.jsonl (the true graphs) and REPRODUCTION.md. Tables are Markdown and LaTeX, figures SVG, PNG and PDF. It replaces files of the same names and removes tables and figures that are no longer
// part of the study. write may be nil.
func Write(ctx context.Context, dir string, st *Study, sel Select, recs []*Record, write FileWriter) error {
	start := map[string]bool{} // existing files
	for _, sub := range []string{"tables/time", "tables", "figures"} {
		sub = filepath.Join(dir, filepath.FromSlash(sub))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return fmt.Errorf("%w; check the folder and its permissions", err)
		}
		for _, ext := range []string{"*.md", "*.tex", "*.svg", "*.png", "*.pdf"} {
			old, _ := filepath.Glob(filepath.Join(sub, ext)) // fails only for an invalid pattern
			for _, f := range old {
				start[f] = true
			}
		}
	}
	for _, t := range Tables(st, sel, recs) {
		folder := filepath.Join(dir, "tables")
		if t.Timed {
			folder = filepath.Join(dir, "tables", "time")
		}
		for ext, fill := range map[string]func(io.Writer) error{".md": t.Markdown, ".tex": t.LaTeX} {
			place := filepath.Join(folder, t.Name+ext)
			if err := write.file(ctx, place, fill); err != nil {
				return err
			}
			delete(start, place)
		}
	}
	drawn, err := write.figures(ctx, filepath.Join(dir, "figures"), NewView(st, sel, recs))
	if err != nil {
		return err
	}
	for _, f := range drawn {
		delete(start, f)
	}
	for f := range start {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	truths, err := Truths(ctx, st, sel)
	if err != nil {
		return err
	}
	if err := write.file(ctx, filepath.Join(dir, "truths.jsonl"), func(w io.Writer) error { return writeTruths(w, truths) }); err != nil {
		return err
	}
	return WriteReport(ctx, filepath.Join(dir, "REPRODUCTION.md"), "figures", st, sel, recs, write)
}

// WriteReport writes only the report to a file; figures is their folder relative to that file. write may be
// nil.
func WriteReport(ctx context.Context, path, figures string, st *Study, sel Select, recs []*Record, write FileWriter) error {
	return write.file(ctx, path, func(w io.Writer) error { return Report(w, st, sel, recs, figures) })
}
