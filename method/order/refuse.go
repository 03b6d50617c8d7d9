package order

import (
	"fmt"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/method"
)

// ErrVariance is returned for equal noise variances with intervention targets.
var ErrVariance = fault.Kind("variance-targets", "equal noise variances cannot be used with environments or intervention targets; use unequal variances")

// ErrEnvironmentsBudget is returned for a budget of edges with environments of unknown targets.
var ErrEnvironmentsBudget = fault.Kind("budget-environments", "max-edges and min-gain cannot be used with an environment column; omit them, or give the intervention targets")

// refuse returns an error for equal variances if columns use different rows, and for a budget of edges if
// environments are nodes.
func (m *Method) refuse(in *method.Input) error {
	if in.Environments != nil && in.Environments.Unknown && m.limited() {
		return fault.New(ErrEnvironmentsBudget, fmt.Sprintf("max-edges and min-gain cannot be used with the environment column %s", in.Environments.Column),
			"give the intervention targets with %s instead of %s, or omit %s and %s", fault.Use("targets"), fault.Use("environments"), fault.Use("max-edges"), fault.Use("min-gain"))
	}
	if in.Environments == nil || m.Variance != Equal {
		return nil
	}
	return fault.New(ErrVariance, fmt.Sprintf("equal noise variances cannot be used with the environments or targets of column %s", in.Environments.Column),
		"use %s", fault.Set("variance", "unequal"))
}
