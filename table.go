package polydag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// A Table is a prepared table with its data checks, ready to learn from. Prepare makes one from an input, FromMoments from
// moments. It is the third of the five shapes of a table: a dataset.Source has the cells of a file, a dataset.Rows reads them as numbers, a
// Table has their moments and kinds, a method.Input is what a method sees of it, and a Result has the graph.
type Table struct {
	Moments *dataset.Moments
	Profile *dataset.Profile // nil if only moments are known
	Sample  *dataset.Sample  // sample of rows for the assumption checks; nil if only moments are known
	Source  Provenance
	// Kinds is the measurement scale of each column, nil if only moments are known. Overrule changes it.
	Kinds []dataset.Variable
	// Environments are the conditions that the rows were measured under and the intervention targets of each, or nil. Callers
	// that have moments per environment may set it beside Moments.
	Environments *dataset.Environments
	// ReadSeconds is the time that Prepare took.
	ReadSeconds float64

	rows      tableRows // how the rows are read and what they count for; see form
	lags      lags
	checks    checks
	asked     asked
	replicate replicate
}

// asked are settings of the preparation that matter later.
type asked struct {
	ranks   bool     // columns are normal scores of ranks
	byGroup bool     // rows are differences to the means of their groups, or these means
	kinds   []string // rules that overruled kinds
}

// checks are the data checks of a table.
type checks struct {
	on, done bool
	purpose  trust.Refusals // of the findings, if done
	findings []trust.Finding
}

// replicate says what is special about a table that stands for another one, such as a bootstrap sample of it.
type replicate struct {
	drawn bool // rows were drawn with replacement
	bare  bool // only the graph and its weights are needed
}

// FromMoments returns a table of which only the moments are known.
func FromMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m, rows: plainRows{why: methods.OnlyMoments}}
}

// WithMoments returns a table of which only these moments are known, for example those of t after a correction. It is a bootstrap
// sample if t is one.
func (t *Table) WithMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m, Source: t.Source, rows: plainRows{why: methods.OnlyMoments}, replicate: t.replicate}
}

// ErrKind is matched by the errors of Table.Overrule.
var ErrKind = kind.ErrRule

// Overrule sets the kinds of columns: rules are NAME=KIND, and NAME may be a pattern with *. An error matches ErrKind and
// leaves the table unchanged.
func (t *Table) Overrule(rules []string) error {
	if t == nil {
		return nilArgument("the table", "make a table with FromRows, FromColumns or Prepare")
	}
	if t.lags.folded() {
		base := t.lags.base
		if err := base.Overrule(rules); err != nil {
			return err
		}
		for j := range t.Kinds {
			name := t.Kinds[j].Name
			t.Kinds[j] = base.Kinds[j%len(base.Kinds)]
			t.Kinds[j].Name = name
		}
		t.asked.kinds = base.asked.kinds
		return nil
	}
	if len(rules) > 0 && t.Kinds == nil {
		return fault.New(ErrKind, "the table has only moments, which are those of numeric columns", "give the rows to set kinds")
	}
	kinds, err := kind.Overrule(t.Kinds, rules)
	if err == nil && t.asked.byGroup {
		for j, v := range kinds {
			if v.Kind.Discrete() && !t.Kinds[j].Kind.Discrete() {
				return fault.New(ErrKind, fmt.Sprintf("column %s was centred within groups, so it has no categories", v.Name), "learn without groups with %s", fault.Set("groups", "none"))
			}
		}
	}
	if err == nil {
		t.Kinds, t.asked.kinds = kinds, append(t.asked.kinds, rules...)
	}
	return err
}

// Examine returns the data checks that matter to a run with cfg. A finding with severity error means that Learn refuses the
// table. Learn runs the same checks and stores them in the result; they are computed once.
func (t *Table) Examine(cfg Config) []trust.Finding {
	if t == nil || t.Moments == nil {
		return nil
	}
	if t.lags.folded() { // an equal row is the value at another time, and the order of the rows is known
		return kept(t.lags.base.Examine(cfg), func(f trust.Finding) bool { return f.Code != trust.RepeatedRows && f.Code != trust.TimeOrder })
	}
	var info method.Info
	if cfg.Method != nil {
		info = cfg.Method.Info()
	}
	purpose := trust.Refusals{Units: !cfg.Standardize && !info.UnitFree, Levels: info.Categories && t.form().pass() != nil}
	if c := &t.checks; c.on && (!c.done || c.purpose != purpose) {
		moments, _ := t.form().evidence(t)
		c.findings, c.purpose, c.done = trust.ExamineRefusing(moments, t.Profile, purpose).Findings, purpose, true
	}
	return kept(t.checks.findings, func(f trust.Finding) bool { // a kind that the user set needs no warning
		return f.Code != trust.CodeLike || !slices.ContainsFunc(t.Kinds, func(v dataset.Variable) bool {
			return v.Reason == kind.Asked && slices.Contains(f.Columns, v.Name)
		})
	})
}

// Learn finds a graph over the columns of the table. It does not change the table.
//
// When ctx ends early, Learn returns the best result so far and an error that wraps ctx.Err(); BestSoFar drops the error. A method that
// runs out of steps says so in Status, without an error. If ctx ends before the first graph of a table with missing values is complete, Learn returns a nil Result and the error of ctx.
// Any other error comes with a nil Result or, if a solver failed, with the result at its last finite point.
//
// If how.Store has the state of an interrupted run with the same data and settings, Learn resumes it on any number of
// threads. The result has the same bytes, except for Timing, as an uninterrupted run on the same processor type. The state
// of a different run is an error. A finished run leaves its last state, so learning again from it takes no time.
func (t *Table) Learn(ctx context.Context, cfg Config, how Run) (*Result, error) {
	cfg = cfg.Filled()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	if t.lags.folded() {
		return t.learnLagged(ctx, cfg, how)
	}
	if err := prepare.Learnable(t.Moments); err != nil {
		return nil, err
	}
	findings := t.Examine(cfg)
	if err := refused(findings); err != nil {
		return nil, err
	}
	if err := t.suits(cfg); err != nil {
		return nil, err
	}
	res, err := t.form().learn(ctx, t, cfg, how)
	if res == nil {
		return nil, err
	}
	res.Table, res.Program, res.DataChecks = t.Source, program(), findings
	res.Table.Moments = t.Fingerprint()
	res.Timing.ReadSeconds = t.ReadSeconds
	if err == nil {
		err = res.Stopped(ctx)
	}
	return res, err
}

// Learn finds a graph over the columns of the table with the default settings. Package confidence adds a confidence to each edge.
func Learn(ctx context.Context, table *Table) (*Result, error) {
	return table.Learn(ctx, Config{}, Run{})
}

// Fingerprint is the SHA-256 of names, rows, means and second moments in hexadecimal, as in Provenance.Moments. It is empty
// for a table without moments.
func (t *Table) Fingerprint() string {
	if t == nil || t.Moments == nil {
		return ""
	}
	sum := prepare.Fingerprint(t.Moments, nil)
	return hex.EncodeToString(sum[:])
}

// suits returns an error if the table lacks what the method needs, or has what it does not support.
func (t *Table) suits(cfg Config) error {
	own := methods.Facts{Moments: t.Moments, Kinds: t.Kinds, Environments: t.Environments, Differ: t.environments() != nil, Rows: t.form().pass() != nil, NoRows: t.form().unreadable(), Methods: cfg.Methods.All}
	if r, ok := t.completed(); ok && r.Weights != nil {
		own.Weights = r.Column
	}
	return own.Suits(cfg.Method.Info())
}

// without returns the error for a table that lacks the rows a method needs, with the reason and a remedy.
func (t *Table) without(text string) error { return methods.WithoutRows(text, t.form().unreadable()) }

// Errors of a table and a method that do not fit each other.
var (
	// ErrPairwise is matched where pairwise correlations of a table with missing values meet a method that does not learn from tests.
	ErrPairwise = methods.ErrPairwise
	// ErrWeights is matched where a table with row weights meets a method that does not support them.
	ErrWeights = methods.ErrWeights
	// ErrNotNumbers is matched where a table with a column of levels meets a method that takes numbers only.
	ErrNotNumbers = methods.ErrNotNumbers
	// ErrEnvironments is matched if a table has intervention targets or environments (environments) and the method does not support them, or if
	// some of its rows are incomplete.
	ErrEnvironments = methods.ErrEnvironments
)

// environments returns the environments that matter to a run. It is nil without interventions, and with a single environment.
func (t *Table) environments() *dataset.Environments {
	r := t.Environments
	if r == nil || r.Unknown && len(r.Names) < 2 || !r.Unknown && !r.HasTargets() {
		return nil
	}
	return r
}

// EachRow reads again the rows that Moments count, with the environment of each row if the table has environments. It is a
// [dataset.Rows]. If only moments are known, the error matches method.ErrNoRows.
func (t *Table) EachRow(ctx context.Context, each func(dataset.RowBatch) error) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if each == nil {
		return nilArgument("the function for the rows", "pass one")
	}
	rows := t.form().pass()
	if rows == nil {
		return t.without(method.ErrNoRows.Error())
	}
	return rows(ctx, each)
}

// ErrNil is matched by the error of a function that was given a nil argument.
var ErrNil = errors.New("an argument is nil")

// nilArgument returns the error for a nil argument and says what to pass instead.
func nilArgument(name, instead string) error {
	return fmt.Errorf("%w: %s; %s", ErrNil, name, instead)
}

func nilContext(ctx context.Context) error {
	if ctx == nil {
		return nilArgument("the context", "pass context.Background()")
	}
	return nil
}

// usable reports a nil context and a table without moments.
func (t *Table) usable(ctx context.Context) error {
	if t == nil || t.Moments == nil {
		return nilArgument("the table or its moments", "make a table with FromRows, FromColumns, Prepare or FromMoments")
	}
	return nilContext(ctx)
}

// kept returns the elements for which ok is true, or nil for nil.
func kept[T any](list []T, ok func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !ok(x) })
}
