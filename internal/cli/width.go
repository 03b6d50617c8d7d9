package cli

import (
	"io"
	"os"
	"strconv"
)

// These are the limits of the text width; other terminal widths are clamped.
const (
	narrowest = 60
	widest    = 200
)

// columns returns the text width for w: COLUMNS, or the width of the terminal, or 0 if w is not a terminal.
func columns(w io.Writer) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n <= 0 {
		n = 0
		if f, ok := w.(*os.File); ok && terminal(w) {
			n = terminalColumns(f)
		}
	}
	if n <= 0 {
		return 0
	}
	return min(max(n, narrowest), widest)
}
