package polydag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/groupwise"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/relations"
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
// When ctx ends early, or the method runs out of steps, Learn returns the best result so far with its Status and no error.
// If ctx ends before the first graph of a table with missing values is complete, Learn returns a nil Result and the error of ctx.
// Any other error comes with a nil Result or, if a solver failed, with the result at its last finite point.
//
// If how.Store has the state of an interrupted run with the same data and settings, Learn resumes it on any number of
// threads. The result has the same bytes, except for Timing, as an uninterrupted run on the same processor type. The state
// of a different run is an error. A finished run leaves its last state, so learning again from it takes no time.
func (t *Table) Learn(ctx context.Context, cfg Config, how Run) (*Result, error) {
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
	return res, err
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

// An Input is a table to read. files.Open makes one from a file of any supported format; Columns is one in memory.
type Input interface {
	// Describe returns the file name, format and size.
	Describe() (name, format string, bytes int64)
	// Source opens the rows from the first one. It can be called more than once.
	Source(context.Context) (dataset.Source, error)
	// Saved returns the moments of an input that stores moments instead of rows, or nil.
	Saved() (*dataset.Moments, *dataset.Profile)
	// SHA256 returns the hash of the bytes in hexadecimal, or "" if the bytes are gone. If Describe knows the size, SHA256
	// is called while the rows are read.
	SHA256(context.Context) (string, error)
}

// FromRows prepares a table of numbers in memory with DefaultPreparation. rows[i][j] is the value of column names[j] in row
// i. FromRows copies the rows. NaN is a missing value; see Preparation.Missing.
func FromRows(names []string, rows [][]float64) (*Table, error) {
	columns, err := RowColumns(names, rows)
	if err != nil {
		return nil, err
	}
	return FromColumns(columns...)
}

// FromColumns prepares a table of numeric and text columns in memory with DefaultPreparation. For other settings, call
// Prepare on Columns.
func FromColumns(columns ...Column) (*Table, error) {
	return Prepare(context.Background(), Columns(columns), DefaultPreparation())
}

// A Column is a named column in memory: Name, and Numbers or Text, as [dataset.MemoryColumn] describes. A table keeps its slices and
// reads them while it learns, so do not change them before learning ends.
type Column = dataset.MemoryColumn

// Columns is a table in memory, an Input for Prepare.
type Columns = dataset.Memory

// RowColumns returns the columns of rows[i][j], the value of column names[j] in row i. It copies the rows.
func RowColumns(names []string, rows [][]float64) (Columns, error) {
	return dataset.MemoryRows(names, rows)
}

// Preparation holds the settings for preparing a table, which [dataset.Preparation] lists. Start from DefaultPreparation.
type Preparation = dataset.Preparation

// DefaultPreparation takes text as categories, excludes columns that no graph can be learned from, uses rows with missing values
// under the assumption that they are missing at random, and runs the data checks.
func DefaultPreparation() Preparation {
	p := prepare.DefaultSettings()
	p.Profile, p.Encode, p.Exclude, p.Missing, p.Groups = true, dataset.EncodeLevels, true, dataset.MissingAuto, dataset.GroupsAuto
	return p
}

// Prepare reads a table in one pass, with memory that does not grow with the number of rows. If Profile is false, Examine
// finds nothing and the kinds of numeric columns are unknown. Methods that need rows read in again while they learn, so
// close it after the last run.
//
// With Exclude, Prepare reads the table a second time if numeric columns are exact linear functions of others, such as a
// total beside its parts, or if other formulas compute columns, such as classes, logarithms and ratios. It excludes those
// columns, because no graph can identify which column of such a relation is the cause.
func Prepare(ctx context.Context, in Input, p Preparation) (*Table, error) {
	if err := nilContext(ctx); err != nil {
		return nil, err
	}
	if in == nil {
		return nil, nilArgument("the input", "pass what files.Open returned, or Columns")
	}
	if p.Time.Given() {
		return prepareSeries(ctx, in, p)
	}
	r, err := prepareOnce(ctx, in, p)
	if err != nil {
		return nil, err
	}
	t := r.Table
	if rows := t.form(); !p.Exclude || p.Targets != "" || p.Environments != "" || rows.pass() == nil && !(p.Lenient && rows.unreadable() == methods.MissingRows) {
		return t, nil
	}
	excluded := relations.Determined(t.Moments, t.Sample, t.Kinds, p.Keep)
	computed, err := r.computed(ctx, p.Keep, excluded)
	if err != nil {
		return nil, err
	}
	excluded = append(excluded, computed...)
	if len(excluded) == 0 {
		return t, nil
	}
	for _, x := range t.Source.Excluded { // keep a duplicate of a newly excluded column excluded
		if x.Reason == prepare.Duplicate {
			excluded = append(excluded, x)
		}
	}
	if p.Groups == dataset.GroupsAuto {
		if p.Groups = ""; t.form().groups() != nil {
			p.Groups = t.form().groups().Column
		}
	}
	p.Drop = slices.Clone(p.Drop)
	for _, x := range excluded {
		p.Drop = append(p.Drop, x.Name)
	}
	again, err := prepareOnce(ctx, in, p)
	if err != nil {
		return nil, err
	}
	again.ReadSeconds += t.ReadSeconds
	t = again.Table
	t.Source.Excluded = append(slices.Clone(t.Source.Excluded), excluded...)
	t.Profile.Excluded = t.Source.Excluded
	notes := []string{prepare.ExcludedNote(excluded)}
	if r.found != "" {
		notes = append([]string{r.found}, notes...)
	}
	for _, x := range computed {
		notes = append(notes, fmt.Sprintf("Column %s: set aside; %s uses it.", x.Detail, fault.Columns("keep", x.Name)))
	}
	t.Profile.Notes = append(notes, t.Profile.Notes...)
	t.Source.Notes = t.Profile.Notes
	return t, nil
}

// computed lists the columns that formulas of other columns give in every row. It reads the rows again if the sample has only some of
// them and a formula fits these.
func (r *reading) computed(ctx context.Context, keep []string, skip []dataset.Excluded) ([]dataset.Excluded, error) {
	got, t := r.got, r.Table
	if got == nil || got.Sample == nil || r.kinds == nil || t.Environments != nil {
		return nil, nil
	}
	s, names := got.Sample, got.Moments.Names // before rows were centred in groups, which hides formulas
	if s.Rows() < got.Moments.N && !got.Incomplete() && got.Replayable() != nil {
		return nil, nil
	}
	return relations.Computed(names, s, r.kinds, keep, skip, func(visit func(row []float64)) error {
		d := len(names)
		rows := dataset.Rows(got.Replay)
		switch {
		case s.Rows() >= got.Moments.N:
			rows = dataset.RowBatch{Values: s.Values}.Rows(d)
		case got.Incomplete():
			rows = got.ReplayIncomplete
		}
		return rows(ctx, func(b dataset.RowBatch) error {
			for at := 0; at < len(b.Values); at += d {
				visit(b.Values[at : at+d])
			}
			return nil
		})
	})
}

// A reading is a table with what Prepare needs of the input beyond it.
type reading struct {
	*Table
	got   *prepare.Gathered  // the rows before missing values were filled in or rows were centred; nil if the input has only moments
	kinds []dataset.Variable // of the columns of got
	found string             // note on the group column that was found or proposed
}

// prepareOnce is Prepare without a second reading. It hashes an input of known size while it reads the rows.
func prepareOnce(ctx context.Context, in Input, p Preparation) (*reading, error) {
	start := time.Now()
	name, format, bytes := in.Describe()
	if p.File == "" {
		p.File = name
	}
	hashing, cancel := context.WithCancel(ctx)
	defer cancel()
	hash := sync.OnceValues(func() (string, error) { return in.SHA256(hashing) })
	if bytes > 0 {
		go hash()
	}
	t, err := read(ctx, in, p)
	if err != nil {
		if cancel(); bytes > 0 {
			hash() // wait for the end, because the caller may close the input
		}
		return nil, err
	}
	t.Source.Name, t.Source.Format, t.Source.Bytes = filepath.Base(name), format, bytes
	if t.Source.SHA256, err = hash(); err != nil {
		return nil, err
	}
	t.ReadSeconds = time.Since(start).Seconds()
	return t, nil
}

// read reads the rows or the moments of an input.
func read(ctx context.Context, in Input, p Preparation) (*reading, error) {
	t := &reading{Table: &Table{checks: checks{on: p.Profile}, asked: asked{ranks: p.NormalScores}}}
	if t.Moments, t.Profile = in.Saved(); t.Moments != nil {
		t.rows = plainRows{why: methods.OnlyMoments}
		if t.Profile != nil && len(t.Profile.Columns) > 0 {
			t.Kinds = kind.Decide(&prepare.Gathered{Moments: t.Moments, Profile: t.Profile, Levels: make([][]string, t.Moments.Dim())}, true)
		}
	} else if err := t.gather(ctx, in, p); err != nil {
		return nil, err
	}
	t.Source.Missing = t.missingRecord()
	if t.Profile != nil {
		t.Source.Notes, t.Source.Read, t.Source.Excluded = t.Profile.Notes, t.Profile.Read, t.Profile.Excluded
	}
	return t, nil
}

// gather reads the rows of an input and completes them if values are missing.
func (t *reading) gather(ctx context.Context, in Input, p Preparation) (err error) {
	rows := missing.Rows{Threads: p.Threads}
	if p.RowWeights != "" {
		if rows.Weights, err = prepare.Weights(ctx, in.Source, p); err != nil {
			return err
		}
	}
	got, found, err := prepare.GatherGroups(ctx, in.Source, &p)
	if err != nil {
		return err
	}
	t.Moments, t.Profile, t.Sample, t.Kinds, t.Environments = got.Moments, got.Profile, got.Sample, kind.Decide(got, p.Encode == dataset.EncodeOrdinal), got.Environments
	t.got, t.kinds, t.found, t.Source.Groups = got, t.Kinds, found, got.Groups
	plain := plainRows{read: got.Replay}
	if got.Replayable() != nil {
		plain = plainRows{why: methods.MissingRows}
	}
	if t.rows = plain; got.Groups != nil {
		t.rows = groupedRows{tableRows: plain, of: got.Groups, labels: got.ReplayGroups}
	}
	names := got.Moments.Names
	rows.Read, rows.N = got.ReplayIncomplete, got.Moments.N
	if got.Incomplete() && p.Profile {
		if t.Profile.Missingness, err = rows.Describe(ctx, names, t.discrete(len(names))); err != nil {
			return err
		}
	}
	if (got.Incomplete() || rows.Weights != nil) && !p.Lenient {
		err = t.complete(ctx, &missing.Completion{Rows: rows, Names: names, Column: p.RowWeights}, nil)
	} else if p.Groups != "" {
		err = t.byGroup(ctx, p)
	}
	if found != "" {
		t.Profile.Notes = append([]string{found}, t.Profile.Notes...)
	}
	return err
}

// ErrGroupMeans is matched if the means of the groups are no table to learn from.
var ErrGroupMeans = groupwise.ErrMeans

// byGroup replaces the rows of a table with groups by their differences to the means of the groups, or by these means.
func (t *reading) byGroup(ctx context.Context, p Preparation) error {
	if t.got.Groups == nil || t.form().pass() == nil {
		if p.GroupMeans {
			return t.without("the means of groups")
		}
		return nil
	}
	own, err := groupwise.Of(ctx, t.got, t.Kinds, p.GroupMeans)
	if err != nil {
		return err
	}
	t.Profile = own.Profile
	if own.Rows == nil {
		return nil
	}
	t.Moments, t.Sample, t.Kinds, t.Source.Groups, t.asked.byGroup = own.Moments, own.Sample, own.Kinds, own.Groups, true
	if t.rows = (plainRows{read: own.Rows}); own.Groups != nil {
		t.rows = groupedRows{tableRows: t.rows, of: own.Groups}
	}
	return nil
}
