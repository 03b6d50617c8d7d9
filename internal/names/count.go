package names

import (
	"strconv"
	"strings"
)

// Count writes a number of things: 1 row, 2 rows, 3 categories.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		return strconv.Itoa(n) + " " + stem + "ies"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
