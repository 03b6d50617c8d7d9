package polydag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/prepare"
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
	// ReadSeconds is how long Prepare took.
	ReadSeconds float64

	look     bool
	findings []trust.Finding                               // of the last look
	looked   *trust.Refusals                               // what it was a look for; nil before
	open     func(context.Context) (dataset.Source, error) // nil where there are no rows
}

// FromMoments returns the table of which only moments are known.
func FromMoments(m *dataset.Moments) *Table {
	return &Table{Moments: m}
}

// An Input is a table to be read. files.Open makes one from a file of any format.
type Input interface {
	// Describe says what the input is: the name of the file, its format and its size.
	Describe() (name, format string, bytes int64)
	// Source opens the rows from the first one. It may be called again.
	Source(context.Context) (dataset.Source, error)
	// Saved returns moments that were saved instead of rows, or nil.
	Saved() (*dataset.Moments, *dataset.Profile)
	// SHA256 is the hash of the bytes, in hexadecimal digits, or nothing where they are gone. Where Describe knows the size it is
	// called while the rows are read.
	SHA256(context.Context) (string, error)
}

// Preparation says what is done to a table on the way in: which rows and columns, text, missing values, transforms, and
// whether it is looked over.
type Preparation = prepare.Settings

// DefaultPreparation takes everything as it is and looks it over.
func DefaultPreparation() Preparation {
	p := prepare.DefaultSettings()
	p.Profile = true
	return p
}

// Prepare reads a table in one pass, in memory that does not grow with the rows. Where Profile is off, Examine finds nothing.
func Prepare(ctx context.Context, in Input, p Preparation) (*Table, error) {
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
		got, err := prepare.Gather(ctx, in.Source, p)
		if err != nil {
			cancel()
			if bytes > 0 {
				<-hashed
			}
			return nil, err
		}
		t.Moments, t.Profile, t.Sample, t.open = got.Moments, got.Profile, got.Sample, in.Source
	}
	if t.Profile != nil {
		t.Source.Notes = t.Profile.Notes
	}
	t.look = p.Profile
	if bytes == 0 {
		hash()
	}
	if err := <-hashed; err != nil {
		return nil, err
	}
	t.ReadSeconds = time.Since(start).Seconds()
	return t, nil
}

// Examine returns what a look at the table turned up that matters to a run with cfg. A finding of severity error keeps the
// table from being learned from. Learn looks, too, and keeps the findings in the result; the second look costs nothing.
func (t *Table) Examine(cfg Config) []trust.Finding {
	purpose := trust.Refusals{Units: !cfg.Standardize && !cfg.Method.Info().UnitFree}
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
	if err := learnable(t.Moments); err != nil {
		return nil, err
	}
	findings := t.Examine(cfg)
	if err := refused(findings); err != nil {
		return nil, err
	}
	if cfg.Method.Info().Needs == method.Rows && t.open == nil {
		return nil, fmt.Errorf("%w; give the table itself", method.ErrNoRows)
	}
	res, err := t.learn(ctx, cfg, how)
	if res == nil {
		return nil, err
	}
	res.Table, res.Program, res.Preflight = t.Source, program(), findings
	sum := fingerprint(t.Moments)
	res.Table.Moments = hex.EncodeToString(sum[:])
	res.Timing.ReadSeconds = t.ReadSeconds
	return res, err
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
