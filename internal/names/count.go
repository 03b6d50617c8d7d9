package names

import (
	"strconv"
	"strings"

	"github.com/polydag/polydag/internal/visible"
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

// Are is Count with the verb: 1 row is, 2 rows are.
func Are(n int, thing string) string {
	if n == 1 {
		return Count(n, thing) + " is"
	}
	return Count(n, thing) + " are"
}

// List joins names with commas, as they are shown. Beyond most names it lists the first ones and counts the others.
func List(names []string, most int) string {
	list := visible.Name(strings.Join(names[:min(len(names), most)], ", "))
	if more := len(names) - most; more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	return list
}
