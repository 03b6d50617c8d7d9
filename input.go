package polydag

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/relations"
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
	t, err := prepareOnce(ctx, in, p)
	if err != nil || !p.Exclude || p.Targets != "" || p.Regimes != "" || t.replay == nil {
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
			p.Drop = append(slices.Clone(p.Drop), p.RowWeights)
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
		if (got.Incomplete() || weights != nil) && !p.Lenient {
			if err = t.complete(ctx, &gaps{raw: got.ReplayIncomplete, rows: got.Moments.N, weights: weights, threads: p.Threads}, got.Moments.Names, nil); err != nil {
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
