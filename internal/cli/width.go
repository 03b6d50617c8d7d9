package cli

import (
	"io"
	"os"
	"strconv"
)

// The widths that text is laid out for. A terminal outside of them is taken as the nearer one.
const (
	narrowest = 60
	widest    = 200
)

// columns returns the width to lay text for w out for: that of COLUMNS, or of the terminal that w is, and 0 where it is none.
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
