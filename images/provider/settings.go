package provider

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Settings select columns and rows. Start from DefaultSettings.
type Settings struct {
	// File is the name for error messages; it is not opened.
	File string
	// Attributes are the columns to keep, in this order. nil keeps all, except collinear ones of FFHQ, which
	// the notes name.
	Attributes []string
	// Rows is the largest number of rows, counted from the top of the file after all other selections.
	Rows int
	// Split selects one part of CelebA: "train", "valid", "test", or "" for all. It needs Partition.
	Split string
	// Partition is CelebA's list_eval_partition.txt, plain or gzip.
	Partition io.Reader
	// Missing selects the treatment of missing hair colors in FFHQ: "rows" drops those faces, "columns" drops
	// the six hair colors.
	Missing string
	// Condition selects an experiment of Sachs et al.: "1" to "14", a label such as "pma", "main" for the 7,466
	// rows of 1 to 9, or "all". "1" is the observational one.
	Condition string
	// Force accepts a file that differs from the published one; the differences become notes.
	Force bool
}

// DefaultSettings selects all rows and columns, the FFHQ faces with every score, and the observational data of
// Sachs et al.
func DefaultSettings() Settings {
	return Settings{Rows: math.MaxInt, Missing: "rows", Condition: "1"}
}

// Validate returns all errors of the settings that do not depend on the data.
func (o Settings) Validate() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrSettings}, args...)...))
	}
	if o.Rows < 2 {
		fail("Rows = %d, want at least 2", o.Rows)
	}
	if o.Attributes != nil && len(o.Attributes) < 2 {
		fail("Attributes = %q, want at least 2 names", o.Attributes)
	}
	for i, name := range o.Attributes {
		if slices.Contains(o.Attributes[:i], name) {
			fail("Attributes names %q twice", name)
		}
	}
	if o.Split != "" {
		if !slices.Contains(splits, o.Split) {
			fail("Split = %q, want train, valid or test", o.Split)
		}
		if o.Partition == nil {
			fail("Split = %q needs Partition: the file list_eval_partition.txt", o.Split)
		}
	}
	if o.Missing != "rows" && o.Missing != "columns" {
		fail("Missing = %q, want rows or columns", o.Missing)
	}
	if _, err := sachsConditions(o.Condition); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// ErrSettings is matched by errors of invalid settings.
var ErrSettings = errors.New("bad option")

// choose returns the indices of the requested attributes in names, or all if want is nil.
func choose(names, want []string) ([]int, error) {
	if want == nil {
		all := make([]int, len(names))
		for j := range all {
			all[j] = j
		}
		return all, nil
	}
	at := make([]int, len(want))
	for k, name := range want {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, fmt.Errorf("%w: no attribute %q; the file has %q", ErrSettings, name, names)
		}
		at[k] = j
	}
	return at, nil
}

// A ReadFunc reads a provider's file, plain or gzip, and returns a table and notes.
type ReadFunc func(r io.Reader, opt Settings) (t *dataset.NamedRows, notes []string, err error)
