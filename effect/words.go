package effect

import (
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/kind"
)

// label returns the name of the value x of a column.
func label(words []string, x float64) string {
	if x >= 0 && int(x) < len(words) && x == float64(int(x)) {
		return words[int(x)]
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// words returns the categories of each column.
func words(res *polydag.Result, kinds []kind.Column) [][]string {
	out := make([][]string, len(res.Names))
	for v := range out {
		switch {
		case kinds != nil:
			out[v] = kinds[v].Words
		case len(res.Nodes) > 0:
			out[v] = res.Nodes[v].Levels
		}
	}
	return out
}
