package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// frequencyNames are lower-case names of columns that count the cases of a row.
var frequencyNames = []string{"freq", "frequency", "frequencies", "count", "counts", "n"}

// frequencies finds tables in which each row stands for a number of cases: one column has such a name and whole numbers, and every
// combination of the values of the others occurs once. There are then as many rows as combinations, and any two of the other columns
// are uncorrelated.
func (e *examination) frequencies() {
	if e.p == nil || e.p.Frequencies != "" {
		return
	}
	at, combinations := -1, 1
	var factors []int
	for j, c := range e.column {
		switch {
		case c.Missing > 0 || c.From != "":
			return
		case at < 0 && c.Kind == dataset.Integer.String() && c.Min >= 0 && slices.Contains(frequencyNames, strings.ToLower(c.Name)):
			at = j
		case c.Distinct < 2 || c.Distinct > fewLevels && c.Kind != dataset.Text.String() || combinations > e.m.N:
			return
		default:
			factors, combinations = append(factors, j), combinations*c.Distinct
		}
	}
	if at < 0 || len(factors) < 2 || combinations != e.m.N {
		return
	}
	for k, i := range factors {
		for _, j := range factors[:k] {
			if math.Abs(e.m.At(i, j)) > 1e-9*math.Sqrt(e.m.At(i, i)*e.m.At(j, j)) {
				return
			}
		}
	}
	name := e.m.Names[at]
	e.add(Frequencies, Warning, []string{name}, fmt.Sprintf("each combination of %s occurs once, so %s seems to count the cases of a row", list(e.names(factors), 6), name),
		fault.Out("%s lets each row stand for that number of equal rows", fault.Set("frequencies", name)))
}
