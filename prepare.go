package polydag

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/groupwise"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/relations"
	"github.com/polydag/polydag/method/param"
)

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

// A Column is a named column in memory:
//
//	Name    string
//	Numbers []float64 // NaN is a missing value
//	Text    []string  // categories; "" is a missing value
//
// A table keeps its slices and reads them while it learns, so do not change them before learning ends.
type Column = dataset.MemoryColumn

// Columns is a table in memory, an Input for Prepare.
type Columns = dataset.Memory

// RowColumns returns the columns of rows[i][j], the value of column names[j] in row i. It copies the rows.
func RowColumns(names []string, rows [][]float64) (Columns, error) {
	return dataset.MemoryRows(names, rows)
}

// Preparation holds the settings for preparing a table. Start from DefaultPreparation, or set a few fields and leave Encode
// empty. [dataset.Preparation] describes each:
//
//	Columns, Drop, Keep, Log                   []string // names or patterns of columns
//	Kinds                                      []string // rules NAME=KIND
//	Exclude, Profile, Lenient, GroupMeans      bool
//	FirstRow, LastRow, Threads, Discretize     int
//	MaxLevels, MaxColumns                      int
//	MaxMemory                                  int64
//	Groups, Frequencies, RowWeights            string // columns
//	Targets, Environments, File                string
//	NormalScores                               bool
//	Time                                       dataset.TimeSettings
//	Encode                                     dataset.Encode
//	Missing                                    dataset.Missing
//	Progress                                   func(bytes int64, rows int)
type Preparation = dataset.Preparation

// DefaultPreparation takes text as categories, excludes columns that no graph can be learned from, uses rows with missing values
// under the assumption that they are missing at random, and runs the data checks.
func DefaultPreparation() Preparation {
	p := prepare.DefaultSettings()
	p.Profile, p.Encode, p.Exclude, p.Missing, p.Groups = true, dataset.EncodeLevels, true, dataset.MissingAuto, dataset.GroupsAuto
	return p
}

// Prepare reads a table in one pass, or in two if it has text, with memory that does not grow with the number of rows. If Profile is false, Examine
// finds nothing and the kinds of numeric columns are unknown. Methods that need rows read in again while they learn, so
// close it after the last run.
//
// With Exclude, Prepare reads the table a second time if numeric columns are exact linear functions of others, such as a
// total beside its parts, or if other formulas compute columns, such as classes, logarithms and ratios. It excludes those
// columns, because no graph can identify which column of such a relation is the cause. If p does not say
// what to do with text, in Encode, its other empty fields stand for those of DefaultPreparation too.
func Prepare(ctx context.Context, in Input, p Preparation) (*Table, error) {
	if err := nilContext(ctx); err != nil {
		return nil, err
	}
	if in == nil {
		return nil, nilArgument("the input", "pass what files.Open returned, or Columns")
	}
	if p.Encode == "" {
		p = param.Fill(p, DefaultPreparation())
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
		t.Source.Pictures = prepare.Pictures(t.Profile.Excluded)
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
	t.got, t.kinds, t.found, t.Source.Groups, t.Source.Scores = got, t.Kinds, found, got.Groups, got.Scores
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
	own, err := groupwise.Center(ctx, t.got, t.Kinds, p.GroupMeans)
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
