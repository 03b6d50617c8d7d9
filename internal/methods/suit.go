package methods

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
)

// The kinds of errors for a table that a method cannot learn from.
var (
	ErrPairwise     = fault.Kind("pairwise-unused", "pairwise correlations are for methods that learn from independence tests; handle missing values in another way")
	ErrWeights      = fault.Kind("weights-unused", "the method does not support row weights; use another method")
	ErrNotNumbers   = fault.Kind("levels-unused", "the method accepts numeric columns only; use another method, or encode the categorical columns")
	ErrEnvironments = fault.Kind("environments-unused", "the method does not support environments or intervention targets; use another method")
)

// The reasons why the rows of a table cannot be read again.
const (
	MissingRows = "values are missing and were not dropped with their rows"
	OnlyMoments = "only moments are known"
)

// Facts decide whether a method can learn from a table.
type Facts struct {
	Moments      *dataset.Moments
	Kinds        []dataset.Variable     // nil if only moments are known
	Environments *dataset.Environments  // or nil
	Differ       bool                   // the environments have targets, or there are several environments
	Rows         bool                   // the rows can be read again
	NoRows       string                 // why not
	Weights      string                 // the column of row weights, or ""
	Methods      func() []method.Method // the methods that a remedy may name, the default method first
}

// Suits returns an error if the method needs something that the table lacks, or the table has something that it does not support.
func (t Facts) Suits(m method.Info) error {
	if m.Needs == method.Rows && !t.Rows {
		return WithoutRows(method.ErrNoRows.Error(), t.NoRows)
	}
	if t.NoRows == MissingRows && !m.Tests {
		return fault.New(ErrPairwise, fmt.Sprintf("method %s needs one covariance matrix, and correlations of different rows are none", m.Name), "use %s", fault.Set("missing", "auto"))
	}
	if t.Weights != "" && m.Unweighted != "" {
		return fault.New(ErrWeights, fmt.Sprintf("method %s does not support row weights: %s", m.Name, m.Unweighted),
			"use %s, or ignore the weights with %s instead of %s", fault.Set("method", t.Methods()[0].Info().Name), fault.Columns("drop", t.Weights), fault.Columns("row-weights", t.Weights))
	}
	for _, c := range t.Kinds {
		switch {
		case c.Kind != kind.Categorical:
		case !m.Categories:
			return fault.New(ErrNotNumbers, fmt.Sprintf("column %s is categorical (%s), and method %s with these settings accepts numeric columns only", c.Name, c.Reason, m.Name),
				"use another method or model, encode the column with %s, or drop it with %s", fault.Set("encode", "onehot"), fault.Columns("drop", c.Name))
		case !t.Rows:
			return WithoutRows(fmt.Sprintf("column %s is categorical (%s), and the rows that its levels are counted in are not there", c.Name, c.Reason), t.NoRows)
		}
	}
	return t.environmentsSuit(m)
}

// WithoutRows returns the error for a table that lacks the rows a method needs, with the reason and a remedy.
func WithoutRows(text, reason string) error {
	way := fault.Out("give the table itself")
	if reason == MissingRows {
		way = fault.Out("use %s", fault.Set("missing", "auto"))
	}
	return &fault.Error{Err: method.ErrNoRows, Text: text + ": " + reason, Way: way.Text, Remedies: way.Remedies}
}

// environmentsSuit returns an error if the environments of the table cannot be used.
func (t Facts) environmentsSuit(m method.Info) error {
	r := t.Environments
	if r == nil {
		return nil
	}
	if err := r.Validate(t.Moments.Dim()); err != nil {
		return err
	}
	rows := 0
	for _, own := range r.Moments {
		rows += own.N
	}
	setting := "targets"
	if r.Unknown {
		setting = "environments"
	}
	switch {
	case rows != t.Moments.N:
		return fault.New(ErrEnvironments, fmt.Sprintf("only %d of %d rows are complete, and column %s can be used for complete rows only", rows, t.Moments.N, r.Column),
			"use %s", fault.Set("missing", "auto"))
	case t.Differ && !m.Environments:
		return fault.New(ErrEnvironments, fmt.Sprintf("method %s does not support the environments or intervention targets of column %s", m.Name, r.Column),
			"use %s, or ignore the differences between rows with %s instead of %s", fault.Set("method", t.takesEnvironments()), fault.Columns("drop", r.Column), fault.Use(setting))
	}
	return nil
}

// takesEnvironments names the first method that supports environments, or the default method.
func (t Facts) takesEnvironments() string {
	all := t.Methods()
	for _, m := range all {
		if info := m.Info(); info.Environments {
			return info.Name
		}
	}
	return all[0].Info().Name
}
