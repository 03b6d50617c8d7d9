package order

import (
	"fmt"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/method"
)

// ErrVariance is the fault of equal noise variances where there are targets.
var ErrVariance = fault.Kind("variance-targets", "equal noise variances are compared over rows that are the same for all columns; leave the variance to unequal")

// ErrRegimesBudget is the fault of a budget of edges where regimes act on unknown columns.
var ErrRegimesBudget = fault.Kind("budget-regimes", "a budget of edges would count what regimes change among the edges; leave it out, or say what was set")

// refuse returns an error for equal variances if columns have rows of their own, and for a budget of edges if regimes have edges of their
// own.
func (m *Method) refuse(in *method.Input) error {
	if in.Regimes != nil && in.Regimes.Unknown && m.limited() {
		return fault.New(ErrRegimesBudget, fmt.Sprintf("a budget of edges is for columns, and it is not known what the regimes of column %s act on", in.Regimes.Column),
			"say what was set with %s instead of %s, or leave %s and %s out", fault.Use("targets"), fault.Use("regimes"), fault.Use("max-edges"), fault.Use("min-strength"))
	}
	if in.Regimes == nil || m.Variance != Equal {
		return nil
	}
	return fault.New(ErrVariance, fmt.Sprintf("equal noise variances are compared over rows that are the same for all columns, and column %s says that they are not", in.Regimes.Column),
		"use %s", fault.Set("variance", "unequal"))
}
