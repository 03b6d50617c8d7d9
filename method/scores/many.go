package scores

import (
	"fmt"

	"github.com/polydag/polydag/method"
)

// Every evaluation of a parent set under the discrete model passes over all rows, so that tables with many rows need a limit on the
// number of evaluations, and on the memory of the rows.
//
//   - Above ManyRows rows, the form of the probability tables is chosen, and most of the search is made, on about PartRows of the rows.
//     The search then continues on all rows (method/order/many.go).
//   - Above mostCodes values, every k-th row is kept, with the smallest k that suffices.
const (
	ManyRows = 1 << 18
	PartRows = 1 << 17

	mostCodes = 1 << 29
)

// codeStep returns k if every k-th row of a table is kept.
func codeStep(rows, columns int) int {
	most := max(1, mostCodes/max(1, columns))
	return max(1, (rows+most-1)/most)
}

// Warn adds a warning to an answer from a part of the rows.
func (t *ScoredTable) Warn(a *method.Answer) {
	if t.Step > 1 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the discrete model counted one row in %d (%d of %d rows), to limit memory", t.Step, t.Counts.Given(), t.In.RowCount()))
	}
}
