package polydag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/relations"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// A Table is a prepared table with its data checks, ready to learn from. Prepare makes one from an input, FromMoments from
// moments.
type Table struct {
	Moments *dataset.Moments
	Profile *dataset.Profile // nil if only moments are known
	Sample  *dataset.Sample  // sample of rows for the assumption checks; nil if only moments are known
	Source  Provenance
	// Kinds is the measurement scale of each column, nil if only moments are known. Overrule changes it.
	Kinds []dataset.Variable
	// Regimes are the conditions that the rows were measured under and the intervention targets of each, or nil. Callers
	// that have moments per regime may set it beside Moments.
	Regimes *dataset.Regimes
	// ReadSeconds is the time that Prepare took.
	ReadSeconds float64

	look     bool
	ranks    bool                // columns are normal scores of ranks
	findings []trust.Finding     // results of the last data checks
	looked   *trust.Refusals     // purpose of the last data checks; nil before the first
	clusters *dataset.Clusters   // nil if every row counts fully
	gaps     *missing.Completion // nil if no value is missing, or incomplete rows were dropped
	rules    []string            // rules that overruled kinds
	gathered *prepare.Gathered   // nil if the rows cannot be read again
	replay   replay              // nil if the rows cannot be read again
	noRows   string              // why the rows cannot be read again
	lagged   *lagged             // nil without lags
	unrolled *lagged             // the lags of the table that this one was made from; see Unrolled
	drawn    bool                // rows were drawn with replacement
	bare     bool                // a replicate: only the graph and its weights are needed
}

// replay reads the rows of a table from the first one, several whole rows at a time, with the regime of each row (nil for a
// single regime).
type replay func(ctx context.Context, each func(rows []float64, regimes []int) error) error

// FromMoments returns a table of which only the moments are known.
func FromMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m, noRows: onlyMoments}
}

// WithMoments returns a table of which only these moments are known, for example those of t after a correction. It is a bootstrap
// sample if t is one.
func (t *Table) WithMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m, Source: t.Source, noRows: onlyMoments, drawn: t.drawn, bare: t.bare}
}

const missingRows = "values are missing and were not dropped with their rows"

const onlyMoments = "only moments are known"

// ErrKind is matched by the errors of Table.Overrule.
var ErrKind = kind.ErrRule

// Overrule sets the kinds of columns: rules are NAME=KIND, and NAME may be a pattern with *. An error matches ErrKind and
// leaves the table unchanged.
func (t *Table) Overrule(rules []string) error {
	if t == nil {
		return nilArgument("the table", "make a table with FromRows, FromColumns or Prepare")
	}
	if l := t.lagged; l != nil {
		if err := l.base.Overrule(rules); err != nil {
			return err
		}
		for j := range t.Kinds {
			name := t.Kinds[j].Name
			t.Kinds[j] = l.base.Kinds[j%len(l.base.Kinds)]
			t.Kinds[j].Name = name
		}
		t.rules = l.base.rules
		return nil
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

// Examine returns the data checks that matter to a run with cfg. A finding with severity error means that Learn refuses the
// table. Learn runs the same checks and stores them in the result; they are computed once.
func (t *Table) Examine(cfg Config) []trust.Finding {
	if t == nil || t.Moments == nil {
		return nil
	}
	if t.lagged != nil {
		return t.lagged.base.Examine(cfg)
	}
	var info method.Info
	if cfg.Method != nil {
		info = cfg.Method.Info()
	}
	purpose := trust.Refusals{Units: !cfg.Standardize && !info.UnitFree, Levels: info.Categories && t.replay != nil}
	if t.look && (t.looked == nil || *t.looked != purpose) {
		moments, _ := t.evidenceMoments()
		t.findings, t.looked = trust.ExamineRefusing(moments, t.Profile, purpose).Findings, &purpose
	}
	return t.findings
}

// Learn finds a graph over the columns of the table. It does not change the table.
//
// When ctx ends early, or the method runs out of steps, Learn returns the best result so far with its Status and no error.
// An error comes with a nil Result or, if a solver failed, with the result at its last finite point.
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
	if t.lagged != nil {
		return t.learnLagged(ctx, cfg, how)
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
	learn := t.learn
	if t.gaps != nil {
		learn = t.learnIncomplete
	}
	res, err := learn(ctx, cfg, how)
	if res == nil {
		return nil, err
	}
	res.Table, res.Program, res.Preflight = t.Source, program(), findings
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
	sum := fingerprint(t.Moments)
	return hex.EncodeToString(sum[:])
}

// suits returns an error if the method needs something that the table lacks.
func (t *Table) suits(m method.Info) error {
	if m.Needs == method.Rows && t.replay == nil {
		return t.without(method.ErrNoRows.Error())
	}
	if t.noRows == missingRows && !m.Tests {
		return fault.New(ErrPairwise, fmt.Sprintf("method %s needs one covariance matrix, and correlations of different rows are none", m.Name), "use %s", fault.Set("missing", "auto"))
	}
	if g := t.gaps; g != nil && g.Weights != nil && m.Unweighted != "" {
		return fault.New(ErrWeights, fmt.Sprintf("method %s does not support row weights: %s", m.Name, m.Unweighted),
			"use %s, or ignore the weights with %s instead of %s", fault.Set("method", Methods()[0].Info().Name), fault.Columns("drop", g.Column), fault.Columns("row-weights", g.Column))
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

// without returns the error for a table that lacks the rows a method needs, with the reason and a remedy.
func (t *Table) without(text string) error {
	way := fault.Out("give the table itself")
	if t.noRows == missingRows {
		way = fault.Out("use %s", fault.Set("missing", "auto"))
	}
	return &fault.Error{Err: method.ErrNoRows, Text: text + ": " + t.noRows, Way: way.Text, Remedies: way.Remedies}
}

// ErrPairwise is matched where pairwise correlations of a table with missing values meet a method that does not learn from tests.
var ErrPairwise = fault.Kind("pairwise-unused", "pairwise correlations are for methods that learn from independence tests; handle missing values in another way")

// ErrWeights is matched where a table with row weights meets a method that does not support them.
var ErrWeights = fault.Kind("weights-unused", "the method does not support row weights; use another method")

// ErrNotNumbers is matched where a table with a column of levels meets a method that takes numbers only.
var ErrNotNumbers = fault.Kind("levels-unused", "the method accepts numeric columns only; use another method, or encode the categorical columns")

// ErrRegimes is matched if a table has intervention targets or regimes (environments) and the method does not support them, or if
// some of its rows are incomplete.
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
		setting = "environment"
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

// takesRegimes names the first method that supports regimes.
func takesRegimes() string {
	for _, m := range Methods() {
		if info := m.Info(); info.Regimes {
			return info.Name
		}
	}
	return ""
}

// regimes returns the regimes that matter to a run. It is nil without interventions, and with a single environment.
func (t *Table) regimes() *dataset.Regimes {
	r := t.Regimes
	if r == nil || r.Unknown && len(r.Names) < 2 || !r.Unknown && !r.HasTargets() {
		return nil
	}
	return r
}

// EachRow reads again the rows that Moments count. It calls each with several whole rows at a time and the regime of each
// row, nil if the table has none. each must neither change nor keep its arguments. If only moments are known, the error
// matches method.ErrNoRows.
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

// rows returns a function that reads the rows with the columns in the given order.
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

// regimeRows is rows with the regime of each row.
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

// arrangeRows returns the rows with column order[i] in place i. It reuses the memory of room if it is large enough.
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
	out := &dataset.Sample{Columns: len(order), Index: t.Sample.Index, Regimes: t.Sample.Regimes, Weight: t.Sample.Weight, Values: make([]float64, len(t.Sample.Values))}
	for k := range out.Rows() {
		to, from := out.Row(k), t.Sample.Row(k)
		for i, v := range order {
			to[i] = from[v]
		}
	}
	return out
}

// program describes the running build.
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

// refused joins the findings that prevent learning.
func refused(findings []trust.Finding) error {
	var faults []error
	for _, f := range findings {
		if f.Severity == trust.Error {
			faults = append(faults, &fault.Error{Err: fault.Kind(f.Code, f.Sentence), Text: f.Sentence, Way: f.WayOut, Remedies: f.Remedies})
		}
	}
	return errors.Join(faults...)
}

// learnable returns an error for moments that no method can learn from.
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
	for k, v := range data.Scatter { // on demand, every entry is finite
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

// counted returns the moments with the effective number of rows.
func (t *Table) counted() (*dataset.Moments, error) {
	if t.gaps != nil {
		return t.Moments.CountedAs(t.gaps.Effective()), nil
	}
	if t.clusters == nil {
		if _, records := t.repeated(); records > 0 {
			return t.Moments.CountedAs(records), nil
		}
		return t.Moments, nil
	}
	n := t.clusters.EffectiveRows
	if n < 3 {
		return nil, fmt.Errorf("%s Want at least 3: two points fit any line; give more groups", t.clusters.Sentence())
	}
	return t.Moments.CountedAs(n), nil
}

// repeated detects columns that repeat the same records. It returns the number of such columns and of distinct records, or 0
// if they are not a majority. Repeated records do not add observations of the relations between these columns.
func (t *Table) repeated() (columns, records int) {
	s := t.Sample
	if s == nil || s.Rows() != t.Moments.N || t.Kinds == nil || t.Regimes != nil || t.clusters != nil || t.gaps != nil {
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

// rowWeight is the weight of a row; 0 stands for 1.
func (t *Table) rowWeight() float64 {
	if t.gaps != nil {
		return max(3, t.gaps.Paired) / float64(t.Moments.N)
	}
	if t.clusters == nil {
		if _, records := t.repeated(); records > 0 {
			return float64(records) / float64(t.Moments.N)
		}
		return 0
	}
	return float64(t.clusters.EffectiveRows) / float64(t.clusters.Rows)
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

// A Column is a named column in memory. A table keeps its slices and reads them while it learns, so do not change them
// before learning ends.
type Column = dataset.MemoryColumn

// Columns is a table in memory, an Input for Prepare.
type Columns = dataset.Memory

// RowColumns returns the columns of rows[i][j], the value of column names[j] in row i. It copies the rows.
func RowColumns(names []string, rows [][]float64) (Columns, error) {
	return dataset.MemoryRows(names, rows)
}

// Preparation holds the settings for preparing a table. Start from DefaultPreparation.
type Preparation = dataset.Preparation

// DefaultPreparation takes text as categories, excludes columns that no graph can be learned from, uses rows with missing values
// under the assumption that they are missing at random, and runs the data checks.
func DefaultPreparation() Preparation {
	p := prepare.DefaultSettings()
	p.Profile, p.Encode, p.Exclude, p.Missing = true, dataset.EncodeLevels, true, dataset.MissingAuto
	return p
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

// Prepare reads a table in one pass, with memory that does not grow with the number of rows. If Profile is false, Examine
// finds nothing and the kinds of numeric columns are unknown. Methods that need rows read in again while they learn, so
// close it after the last run.
//
// With Exclude, Prepare reads the table a second time if numeric columns are exact linear functions of others, such as a
// total beside its parts. It excludes those columns, because no graph can identify which column of such a relation is the
// cause.
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
	t, err := prepareOnce(ctx, in, p)
	if err != nil || !p.Exclude || p.Targets != "" || p.Regimes != "" || t.replay == nil && !(p.Lenient && t.noRows == missingRows) {
		return t, err
	}
	excluded := t.determined(p.Keep)
	if len(excluded) == 0 {
		return t, nil
	}
	for _, x := range t.Source.Excluded { // keep a duplicate of a newly excluded column excluded
		if x.Reason == prepare.Duplicate {
			excluded = append(excluded, x)
		}
	}
	p.Drop = slices.Clone(p.Drop)
	for _, x := range excluded {
		p.Drop = append(p.Drop, x.Name)
	}
	read := t.ReadSeconds
	if t, err = prepareOnce(ctx, in, p); err != nil {
		return nil, err
	}
	t.ReadSeconds += read
	t.Source.Excluded = append(slices.Clone(t.Source.Excluded), excluded...)
	t.Profile.Excluded = t.Source.Excluded
	t.Profile.Notes = append([]string{prepare.ExcludedNote(excluded)}, t.Profile.Notes...)
	t.Source.Notes = t.Profile.Notes
	return t, nil
}

// determined lists the numeric columns that are linear functions of others up to rounding, except those in keep.
func (t *Table) determined(keep []string) []dataset.Excluded {
	var numbers []int
	for j, k := range t.Kinds {
		if k.Words == nil && k.Kind != kind.Binary && k.Kind != kind.Categorical {
			numbers = append(numbers, j)
		}
	}
	var unit []float64
	if t.Sample != nil {
		for _, j := range numbers {
			unit = append(unit, relations.Unit(t.Sample.Values, t.Sample.Columns, j))
		}
	}
	var out []dataset.Excluded
	for _, r := range relations.Find(t.Moments, numbers, unit) {
		kept := slices.ContainsFunc(keep, func(pattern string) bool {
			return pattern == r.Column || names.Match([]rune(pattern), []rune(r.Column))
		})
		if !kept && !strings.ContainsAny(r.Column, "*,") { // Drop would read these as a pattern or a list
			out = append(out, dataset.Excluded{Name: r.Column, Reason: "linear function of other columns", Detail: r.Relation})
		}
	}
	return out
}

func prepareOnce(ctx context.Context, in Input, p Preparation) (*Table, error) {
	start := time.Now()
	name, format, bytes := in.Describe()
	t := &Table{Source: Provenance{Name: filepath.Base(name), Format: format, Bytes: bytes}}
	if p.File == "" {
		p.File = name
	}
	hashing, cancel := context.WithCancel(ctx)
	defer cancel()
	hashed := make(chan error, 1)
	hash := func() {
		var err error
		t.Source.SHA256, err = in.SHA256(hashing)
		hashed <- err
	}
	if bytes > 0 {
		go hash()
	}
	if t.Moments, t.Profile = in.Saved(); t.Moments == nil {
		var weights []float64
		var got *prepare.Gathered
		var err error
		if p.RowWeights != "" {
			weights, err = prepare.Weights(ctx, in.Source, p)
		}
		if err == nil {
			got, err = prepare.Gather(ctx, in.Source, p)
		}
		if err != nil {
			cancel()
			if bytes > 0 {
				<-hashed
			}
			return nil, err
		}
		t.Moments, t.Profile, t.Sample, t.Kinds, t.Regimes = got.Moments, got.Profile, got.Sample, kind.Decide(got, p.Encode == dataset.EncodeOrdinal), got.Regimes
		t.clusters, t.Source.Clusters = got.Clusters, got.Clusters
		if t.gathered, t.replay = got, got.ReplayRegimes; got.Replayable() != nil {
			t.gathered, t.replay, t.noRows = nil, nil, missingRows
		}
		if got.Incomplete() && p.Profile {
			if t.Profile.Missingness, err = (&missing.Rows{Read: got.ReplayIncomplete, N: got.Moments.N}).Describe(ctx, got.Moments.Names, t.discrete(got.Moments.Dim())); err != nil {
				cancel()
				if bytes > 0 {
					<-hashed
				}
				return nil, err
			}
		}
		if (got.Incomplete() || weights != nil) && !p.Lenient {
			if err = t.complete(ctx, &missing.Completion{Rows: missing.Rows{Read: got.ReplayIncomplete, N: got.Moments.N, Weights: weights, Threads: p.Threads}, Names: got.Moments.Names, Column: p.RowWeights}, nil); err != nil {
				cancel()
				if bytes > 0 {
					<-hashed
				}
				return nil, err
			}
		}
	} else {
		t.noRows = onlyMoments
		if t.Profile != nil && len(t.Profile.Columns) > 0 {
			t.Kinds = kind.Decide(&prepare.Gathered{Moments: t.Moments, Profile: t.Profile, Levels: make([][]string, t.Moments.Dim())}, true)
		}
	}
	t.Source.Missing = t.missingRecord()
	if t.Profile != nil {
		t.Source.Notes, t.Source.Read, t.Source.Excluded = t.Profile.Notes, t.Profile.Read, t.Profile.Excluded
	}
	t.look, t.ranks = p.Profile, p.NormalScores
	if bytes == 0 {
		hash()
	}
	if err := <-hashed; err != nil {
		return nil, err
	}
	t.ReadSeconds = time.Since(start).Seconds()
	return t, nil
}
