package command

import (
	"io"
	"os"
	"strconv"

	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/report"
)

// These are the limits of the text width; other terminal widths are clamped.
const (
	narrowest = 60
	widest    = 200
)

// columns returns the text width for w: COLUMNS, or the width of the terminal, or 0 if w is not a terminal.
func columns(w *visible.Writer) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n <= 0 {
		n = 0
		if w.Terminal() {
			n = terminalColumns(w.File())
		}
	}
	if n <= 0 {
		return 0
	}
	return min(max(n, narrowest), widest)
}

// width returns the text width of an output: that of standard output for -, and 0 for a file.
func (a *app) width(output string) int {
	if output == "-" {
		return columns(a.out)
	}
	return 0
}

// folded returns a function that writes a text in lines that fit standard output.
func (a *app) folded(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(report.Fold(w, columns(a.out)), text)
		return err
	}
}
