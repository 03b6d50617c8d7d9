package polydag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/relations"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// A Table is a table that was read and looked over, ready to be learned from. Prepare makes one from an input, FromMoments
// from numbers that a program has already.
type Table struct {
	Moments *dataset.Moments
	Profile *dataset.Profile // nil where only moments are known
	Sample  *dataset.Sample  // some rows, to hold the model's assumptions against; nil where only moments are known
	Source  Provenance
	// Kinds says what each column is taken as; nil where only moments are known. Overrule changes it.
	Kinds []dataset.Variable
	// Regimes are the conditions that the rows were measured under, with what was set in each; nil where no column says so.
	// Whoever has moments by regime may set it beside Moments.
	Regimes *dataset.Regimes
	// ReadSeconds is how long Prepare took.
	ReadSeconds float64

	look     bool
	ranks    bool              // columns are normal scores of their ranks
	findings []trust.Finding   // of the last look
	looked   *trust.Refusals   // what it was a look for; nil before
	clusters *dataset.Clusters // nil where every row counts
	rules    []string          // by which kinds were overruled
	gathered *prepare.Gathered // nil where there are no rows to be read again
	replay   replay            // reads them; nil where there are none
	noRows   string            // why there are none
	drawn    bool              // with replacement
	bare     bool              // a replicate, of which nothing but the graph and its weights is asked for
}

// replay reads the rows of a table from the first one, some whole rows at a time, with the regime of each, nil where there is one only.
type replay func(ctx context.Context, each func(rows []float64, regimes []int) error) error

// FromMoments returns the table of which only moments are known.
func FromMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m, noRows: onlyMoments}
}

const missingRows = "values are missing and were not dropped with their rows"

const onlyMoments = "only moments are known, and they show straight lines alone"

// ErrKind is matched by the errors of Table.Overrule.
var ErrKind = kind.ErrRule

// Overrule takes columns as another kind than their values tell: rules are NAME=KIND, where NAME may be a pattern with *. An error
// matches ErrKind and changes nothing.
func (t *Table) Overrule(rules []string) error {
	if t == nil {
		return nilArgument("the table", "make a table with FromRows, FromColumns or Prepare")
	}
	if len(rules) > 0 && t.Kinds == nil {
		return fmt.Errorf("%w: there are only moments, which are of numbers", ErrKind)
	}
	kinds, err := kind.Overrule(t.Kinds, rules)
	if err == nil {
		t.Kinds, t.rules = kinds, append(t.rules, rules...)
	}
	return err
}

// Examine returns what a look at the table turned up that matters to a run with cfg. A finding of severity error keeps the
// table from being learned from. Learn looks, too, and keeps the findings in the result; the second look costs nothing.
func (t *Table) Examine(cfg Config) []trust.Finding {
	if t == nil || t.Moments == nil {
		return nil
	}
	var info method.Info
	if cfg.Method != nil {
		info = cfg.Method.Info()
	}
	purpose := trust.Refusals{Units: !cfg.Standardize && !info.UnitFree, Levels: info.Categories && t.replay != nil}
	if t.look && (t.looked == nil || *t.looked != purpose) {
		t.findings, t.looked = trust.ExamineRefusing(t.Moments, t.Profile, purpose).Findings, &purpose
	}
	return t.findings
}

// Learn finds a graph over the columns of the table. It changes nothing in it.
//
// When ctx ends early, or the method runs out of steps, Learn returns the best result so far with its Status and no
// error. An error comes with a nil Result, or, when a solver failed on the way, with the result at its last
// finite point.
//
// Where how.Store holds the state of an interrupted run with the same data and settings, the run goes on from there, on any
// number of threads, and ends in the same bytes (Timing aside) as if nothing had happened; the state of another run is an
// error. A finished run leaves its last state: learning again from it takes no time. The bytes are those of
// one machine: another processor may round differently.
func (t *Table) Learn(ctx context.Context, cfg Config, how Run) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	if err := learnable(t.Moments); err != nil {
		return nil, err
	}
	findings := t.Examine(cfg)
	if err := refused(findings); err != nil {
		return nil, err
	}
	if err := t.suits(cfg.Method.Info()); err != nil {
		return nil, err
	}
	if err := t.regimesSuit(cfg.Method.Info()); err != nil {
		return nil, err
	}
	res, err := t.learn(ctx, cfg, how)
	if res == nil {
		return nil, err
	}
	res.Table, res.Program, res.Preflight = t.Source, program(), findings
	res.Table.Moments = t.Fingerprint()
	res.Timing.ReadSeconds = t.ReadSeconds
	return res, err
}

// Fingerprint is the SHA-256 of names, rows, means and second moments, in hexadecimal digits: Provenance.Moments of what is learned from
// the table. It is empty for a table without moments.
func (t *Table) Fingerprint() string {
	if t == nil || t.Moments == nil {
		return ""
	}
	sum := fingerprint(t.Moments)
	return hex.EncodeToString(sum[:])
}

// suits reports what a method needs and the table does not have.
func (t *Table) suits(m method.Info) error {
	if m.Needs == method.Rows && t.replay == nil {
		return t.without(method.ErrNoRows.Error())
	}
	for _, c := range t.Kinds {
		switch {
		case c.Kind != kind.Categorical:
		case !m.Categories:
			return fault.New(ErrNotNumbers, fmt.Sprintf("column %s is categorical (%s), and method %s with these settings accepts numeric columns only", c.Name, c.Reason, m.Name),
				"use another method or model, encode the column with %s, or drop it with %s", fault.Set("encode", "onehot"), fault.Columns("drop", c.Name))
		case t.replay == nil:
			return t.without(fmt.Sprintf("column %s is categorical (%s), and the rows that its levels are counted in are not there", c.Name, c.Reason))
		}
	}
	return nil
}

// without is the fault of a table whose rows are needed and not there, with why they are not and how to have them.
func (t *Table) without(text string) error {
	way := fault.Out("give the table itself")
	if t.noRows == missingRows {
		way = fault.Out("use %s", fault.Set("missing", "auto"))
	}
	return &fault.Error{Err: method.ErrNoRows, Text: text + ": " + t.noRows, Way: way.Text, Remedies: way.Remedies}
}

// ErrNotNumbers is matched where a table with a column of levels meets a method that takes numbers only.
var ErrNotNumbers = fault.Kind("levels-unused", "the method accepts numeric columns only; use another method, or encode the categorical columns")

// ErrRegimes is matched where a table with targets or regimes meets a method that does not take them, or rows that were not
// kept apart.
var ErrRegimes = fault.Kind("regimes-unused", "the method does not support environments or intervention targets; use another method")

// regimesSuit reports why the regimes of the table cannot be used.
func (t *Table) regimesSuit(m method.Info) error {
	r := t.Regimes
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
		setting = "regimes"
	}
	switch {
	case rows != t.Moments.N:
		return fault.New(ErrRegimes, fmt.Sprintf("only %d of %d rows are complete, and column %s can be used for complete rows only", rows, t.Moments.N, r.Column),
			"use %s", fault.Set("missing", "auto"))
	case t.regimes() != nil && !m.Regimes:
		return fault.New(ErrRegimes, fmt.Sprintf("method %s does not support the environments or intervention targets of column %s", m.Name, r.Column),
			"use %s, or ignore the differences between rows with %s instead of %s", fault.Set("method", takesRegimes()), fault.Columns("drop", r.Column), fault.Use(setting))
	}
	return nil
}

// takesRegimes names the first method that can tell regimes apart.
func takesRegimes() string {
	for _, m := range Methods() {
		if info := m.Info(); info.Regimes {
			return info.Name
		}
	}
	return ""
}

// regimes returns the regimes that matter to a run: nil where nothing was set in any row, and where there is one regime only.
func (t *Table) regimes() *dataset.Regimes {
	r := t.Regimes
	if r == nil || r.Unknown && len(r.Names) < 2 || !r.Unknown && !r.HasTargets() {
		return nil
	}
	return r
}

// EachRow reads the rows again, those that Moments count, and calls each with some whole rows at a time and the regime of each row, nil
// where the table has none. each neither changes nor keeps what it gets. Where only moments are known the error matches
// method.ErrNoRows.
func (t *Table) EachRow(ctx context.Context, each func(rows []float64, regimes []int) error) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if each == nil {
		return nilArgument("the function for the rows", "pass one")
	}
	if t.replay == nil {
		return t.without(method.ErrNoRows.Error())
	}
	return t.replay(ctx, each)
}

// rows reads the table again, with its columns in the given order.
func (t *Table) rows(order []int) func(context.Context, func([]float64) error) error {
	if t.replay == nil {
		return nil
	}
	return func(ctx context.Context, each func([]float64) error) error {
		var arranged []float64
		return t.replay(ctx, func(rows []float64, _ []int) error {
			arranged = arrangeRows(arranged, rows, order)
			return each(arranged)
		})
	}
}

// regimeRows is rows with the regime of each.
func (t *Table) regimeRows(order []int) func(context.Context, func([]float64, []int) error) error {
	if t.replay == nil || t.regimes() == nil {
		return nil
	}
	return func(ctx context.Context, each func([]float64, []int) error) error {
		var arranged []float64
		return t.replay(ctx, func(rows []float64, regimes []int) error {
			arranged = arrangeRows(arranged, rows, order)
			return each(arranged, regimes)
		})
	}
}

// arrangeRows returns the rows with column order[i] in place i, in the memory of room where it is large enough.
func arrangeRows(room, rows []float64, order []int) []float64 {
	room = slices.Grow(room[:0], len(rows))[:len(rows)]
	for at := 0; at < len(rows); at += len(order) {
		for i, v := range order {
			room[at+i] = rows[at+v]
		}
	}
	return room
}

// sample returns the sample with its columns in the given order.
func (t *Table) sample(order []int) *dataset.Sample {
	if t.Sample == nil {
		return nil
	}
	out := &dataset.Sample{Columns: len(order), Index: t.Sample.Index, Regimes: t.Sample.Regimes, Values: make([]float64, len(t.Sample.Values))}
	for k := range out.Rows() {
		to, from := out.Row(k), t.Sample.Row(k)
		for i, v := range order {
			to[i] = from[v]
		}
	}
	return out
}

// program says which build this is.
func program() Program {
	p := Program{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if info.Main.Version != "" {
		p.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			p.Commit = s.Value + p.Commit
		case s.Key == "vcs.modified" && s.Value == "true":
			p.Commit += "+dirty"
		}
	}
	return p
}

// refused joins the findings that keep a table from being learned from.
func refused(findings []trust.Finding) error {
	var faults []error
	for _, f := range findings {
		if f.Severity == trust.Error {
			faults = append(faults, &fault.Error{Err: fault.Kind(f.Code, f.Sentence), Text: f.Sentence, Way: f.WayOut, Remedies: f.Remedies})
		}
	}
	return errors.Join(faults...)
}

// learnable refuses moments that no method can learn from.
func learnable(data *dataset.Moments) error {
	if err := data.Validate(); err != nil {
		return err
	}
	if len(data.Names) < 2 {
		return fmt.Errorf("%d columns, want at least 2", len(data.Names))
	}
	if data.N < 3 {
		return fmt.Errorf("%d rows, want at least 3: two points fit any line", data.N)
	}
	for k, v := range data.Scatter {
		if d := len(data.Names); v-v != 0 {
			return fmt.Errorf("the second moment of %s and %s is %v; sum the table again", data.Names[k/d], data.Names[k%d], v)
		}
	}
	for j, std := range data.Std() {
		if !(std > 0) {
			return fmt.Errorf("column %d (%s): its values are so small that their variance is 0; multiply the column by a power of ten", j+1, data.Names[j])
		}
	}
	return nil
}

// counted returns the moments with the number of rows that they count as.
func (t *Table) counted() (*dataset.Moments, error) {
	if t.clusters == nil {
		if _, records := t.repeated(); records > 0 {
			return t.Moments.CountedAs(records), nil
		}
		return t.Moments, nil
	}
	n := t.clusters.EffectiveRows
	if n < 3 {
		return nil, fmt.Errorf("%s Want at least 3: two points fit any line; give more clusters", t.clusters.Sentence())
	}
	return t.Moments.CountedAs(n), nil
}

// repeated reports how many different records most columns repeat, and in how many columns; 0 where that is not so. The relations of such
// columns have as many observations as there are records, however often a record is repeated.
func (t *Table) repeated() (columns, records int) {
	s := t.Sample
	if s == nil || s.Rows() != t.Moments.N || t.Kinds == nil || t.Regimes != nil || t.clusters != nil {
		return 0, 0
	}
	var tied []int
	for j, k := range t.Kinds {
		if k.Words == nil && k.Levels > kind.FewLevels && 2*k.Levels <= s.Rows() {
			tied = append(tied, j)
		}
	}
	group, records := relations.Records(s.Values, s.Columns, tied)
	if 2*len(group) <= s.Columns || records < 3 || 2*records > s.Rows() {
		return 0, 0
	}
	return len(group), records
}

// rowWeight is what a row counts; 0 stands for 1.
func (t *Table) rowWeight() float64 {
	if t.clusters == nil {
		if _, records := t.repeated(); records > 0 {
			return float64(records) / float64(t.Moments.N)
		}
		return 0
	}
	return float64(t.clusters.EffectiveRows) / float64(t.clusters.Rows)
}
