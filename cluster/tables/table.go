// Package tables defines the units of work that read a table: the statistics of its parts, and learning from
// bootstrap samples. The files of a table are inputs, named by hash, and a worker reads them as a local process
// would.
package tables

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/internal/kind"
)

// Files are the files of one table by hash, and the reading settings. They define the same table for every copy
// of the same program.
type Files struct {
	Files []File  `json:"files"`
	Read  Reading `json:"read"`
}

// A File is a file of a table. Its name is only for error messages; a worker does not open it.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Reading has the parts of files.Settings and prepare.Settings that determine the content of a table.
type Reading struct {
	Format       string               `json:"format,omitempty"`
	Sheet        string               `json:"sheet,omitempty"`
	Array        string               `json:"array,omitempty"`
	Delimiter    byte                 `json:"delimiter,omitempty"`
	Decimal      byte                 `json:"decimal,omitempty"`
	Blanks       bool                 `json:"blanks,omitempty"`
	NoHeader     bool                 `json:"no_header,omitempty"`
	NA           []string             `json:"na,omitempty"`
	Encoding     string               `json:"encoding,omitempty"`
	DateOrder    string               `json:"date_order,omitempty"`
	Columns      []string             `json:"columns,omitempty"`
	Drop         []string             `json:"drop,omitempty"`
	FirstRow     int                  `json:"first_row,omitempty"`
	LastRow      int                  `json:"last_row,omitempty"`
	Groups       string               `json:"groups,omitempty"`
	GroupMeans   bool                 `json:"group_means,omitempty"`
	Frequencies  string               `json:"frequencies,omitempty"`
	RowWeights   string               `json:"row_weights,omitempty"`
	Encode       dataset.Encode       `json:"encode"`
	Missing      dataset.Missing      `json:"missing"`
	Targets      string               `json:"targets,omitempty"`
	Environments string               `json:"environments,omitempty"`
	Log          []string             `json:"log,omitempty"`
	NormalScores bool                 `json:"normal_scores,omitempty"`
	Discretize   int                  `json:"discretize,omitempty"`
	Profile      bool                 `json:"profile,omitempty"`
	MaxLevels    int                  `json:"max_levels"`
	Exclude      bool                 `json:"exclude,omitempty"`
	Keep         []string             `json:"keep,omitempty"`
	Kinds        []string             `json:"kinds,omitempty"` // overridden kinds
	Time         dataset.TimeSettings `json:"time,omitzero"`
}

// NewReading returns the transferable part of the settings.
func NewReading(o files.Settings, p polydag.Preparation, kinds []string) Reading {
	return Reading{
		Format: o.Format, Sheet: o.Sheet, Array: o.Array,
		Delimiter: o.CSV.Delimiter, Decimal: o.CSV.Decimal, Blanks: o.CSV.Blanks, NoHeader: o.CSV.NoHeader, NA: o.CSV.NA, Encoding: o.CSV.Encoding, DateOrder: o.CSV.DateOrder,
		Columns: p.Columns, Drop: p.Drop, FirstRow: p.FirstRow, LastRow: p.LastRow, Groups: p.Groups, GroupMeans: p.GroupMeans, Frequencies: p.Frequencies, RowWeights: p.RowWeights, Encode: p.Encode, Missing: p.Missing,
		Targets: p.Targets, Environments: p.Environments, Log: p.Log, NormalScores: p.NormalScores, Discretize: p.Discretize, Profile: p.Profile, MaxLevels: p.MaxLevels,
		Exclude: p.Exclude, Keep: p.Keep, Kinds: kinds, Time: p.Time,
	}
}

// settings restores the settings of NewReading, for one thread and within the given memory.
func (r Reading) settings(memory int64) (files.Settings, polydag.Preparation) {
	o, p := files.DefaultSettings(), polydag.DefaultPreparation()
	o.Format, o.Sheet, o.Array, o.Threads = r.Format, r.Sheet, r.Array, 1
	o.CSV.Delimiter, o.CSV.Decimal, o.CSV.Blanks, o.CSV.NoHeader, o.CSV.NA, o.CSV.Threads = r.Delimiter, r.Decimal, r.Blanks, r.NoHeader, r.NA, 1
	o.CSV.Encoding, o.CSV.DateOrder = r.Encoding, r.DateOrder
	p.Columns, p.Drop, p.FirstRow, p.LastRow, p.Groups, p.Encode, p.Missing = r.Columns, r.Drop, r.FirstRow, r.LastRow, r.Groups, r.Encode, r.Missing
	p.Targets, p.Environments, p.Log, p.NormalScores, p.Discretize, p.Profile, p.MaxLevels = r.Targets, r.Environments, r.Log, r.NormalScores, r.Discretize, r.Profile, r.MaxLevels
	p.GroupMeans = r.GroupMeans
	p.Exclude, p.Keep, p.Frequencies, p.RowWeights = r.Exclude, r.Keep, r.Frequencies, r.RowWeights
	p.Threads, p.Time = 1, r.Time
	if memory > 0 {
		o.MaxMemory, p.MaxMemory = max(1<<20, min(o.MaxMemory, memory)), memory // readers need at least this much
	}
	return o, p
}

// Ship adds the files of a table to a job. They are read once for their hash and again when they are sent.
func Ship(job *work.Job, paths []string, r Reading) (Files, error) {
	t := Files{Read: r}
	if job.Blobs == nil {
		job.Blobs = map[string]work.Blob{}
	}
	add := func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w; check the path and its permissions", path, errors.Unwrap(err))
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
		hash := hex.EncodeToString(h.Sum(nil))
		job.Blobs[hash] = work.Blob{Size: n, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
		t.Files = append(t.Files, File{filepath.Base(path), hash, n})
		return nil
	}
	for _, path := range paths {
		if err := add(path); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Needs returns the inputs of a unit that reads the table.
func (t *Files) Needs() []string {
	var list []string
	for _, f := range t.Files {
		list = append(list, f.SHA256)
	}
	return list
}

// add adds a unit that reads the table to a job.
func (t *Files) add(job *work.Job, kind string, body any) error {
	u, err := work.NewUnit(kind, body, t.Needs()...)
	job.Units = append(job.Units, u)
	return err
}

// oneTable returns a job with n units of a kind on one table.
func oneTable(title string, paths []string, r Reading, kind string, n int, body func(t Files, i int) any) (*work.Job, error) {
	job := &work.Job{Title: title}
	t, err := Ship(job, paths, r)
	for i := 0; i < n && err == nil; i++ {
		err = t.add(job, kind, body(t, i))
	}
	return job, err
}

// extension matches the file extension, which identifies formats without a signature.
var extension = regexp.MustCompile(`(\.[A-Za-z0-9]{1,8}){1,2}$`)

// open writes the inputs to files in a temporary folder, opens them as one table and calls use. It removes the
// folder when use returns.
func (t *Files) open(ctx context.Context, in *work.Inputs, memory int64, use func(*files.Input, polydag.Preparation) error) (err error) {
	if len(t.Files) == 0 || len(t.Files) > 64 {
		return fmt.Errorf("a table of %d files; want 1 to 64", len(t.Files))
	}
	options, settings := t.Read.settings(memory)
	if err := errors.Join(options.Validate(), prepare.Validate(settings), kind.Check(t.Read.Kinds)); err != nil { // as the flags
		return fmt.Errorf("the settings of the table: %w", err)
	}
	dir, err := os.MkdirTemp(in.Folder, "polydag-table-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	paths, names := []string{}, map[string]string{}
	for i, f := range t.Files {
		b, err := in.Once(ctx, f.SHA256)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, fmt.Sprintf("%03d%s", i, extension.FindString(f.Name)))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
		names[path] = f.Name
		paths = append(paths, path)
	}
	source, err := files.OpenAll(paths, strings.NewReader(""), options)
	if err != nil {
		return renamed(err, names)
	}
	defer source.Close()
	if err := use(source, settings); err != nil {
		return renamed(err, names)
	}
	return nil
}

// Prepare reads the table from the inputs and calls use while its files exist.
func (t *Files) Prepare(ctx context.Context, in *work.Inputs, memory int64, use func(*polydag.Table) error) error {
	return t.open(ctx, in, memory, func(source *files.Input, settings polydag.Preparation) error {
		how := analysis.Analysis{Preparation: settings, Kinds: t.Read.Kinds}
		table, err := how.Gather(ctx, source)
		if err != nil {
			return err
		}
		// The units of a time series are about the columns of the unrolled table.
		flat, _, err := table.Unrolled(polydag.DefaultConfig())
		if err != nil {
			return err
		}
		return use(flat)
	})
}

// renamed replaces temporary paths in an error by the original names.
func renamed(err error, names map[string]string) error {
	text := err.Error()
	for path, name := range names {
		text = strings.ReplaceAll(text, path, name)
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
