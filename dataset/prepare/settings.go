package prepare

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/polydag/polydag/dataset"
)

// Settings is the public type that polydag.Prepare takes. Start from DefaultSettings.
type Settings = dataset.Preparation

// options are Settings and the state of one call of Gather.
type options struct {
	Settings
	group *chosenColumn  // the column of Groups; nil without one
	auto  bool           // Missing was "auto"
	seen  *observed      // observations of the present pass; nil without Exclude
	place map[string]int // index of each column in the file

	unreadable []dataset.Excluded
	scores     []dataset.Score // columns to decide; nil before they are known
}

// missingKeep keeps missing values in the rows. Gather uses it for MissingAuto if package missing can fill them in.
const missingKeep dataset.Missing = "keep"

// NoMean is the reason why missing values cannot be replaced by means.
const NoMean = "replacing missing values by the mean was removed, because it biases variances and correlations towards 0 and adds false edges; use auto, or drop"

// fills reports whether MissingAuto keeps incomplete rows. Environments, targets and groups need complete rows.
func fills(o Settings) bool { return o.Targets == "" && o.Environments == "" && o.Groups == "" }

// DefaultSettings returns settings for all rows and columns, with errors for text and missing values, all processors, and at most
// 50 levels and 80,000 columns.
func DefaultSettings() Settings {
	return Settings{Encode: dataset.EncodeError, Missing: dataset.MissingError, Threads: runtime.GOMAXPROCS(0), MaxLevels: 50, MaxColumns: 80_000}
}

// Validate returns all errors of the settings.
func Validate(o Settings) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch o.Encode {
	case dataset.EncodeError, dataset.EncodeLevels, dataset.EncodeOneHot, dataset.EncodeOrdinal, dataset.EncodeDrop:
	default:
		bad("Encode = %q, want error, levels, onehot, ordinal or drop", o.Encode)
	}
	switch o.Missing {
	case dataset.MissingAuto, dataset.MissingError, dataset.MissingDrop, dataset.MissingPairwise:
	case "mean":
		bad("Missing = %q: %s", o.Missing, NoMean)
	default:
		bad("Missing = %q, want auto, error, drop or pairwise", o.Missing)
	}
	if _, _, err := SplitTargets(o.Targets); err != nil {
		bad("Targets: %w", err)
	}
	if o.Targets != "" && o.Environments != "" {
		bad("Targets and Environments both divide the rows into groups; set one of them")
	}
	if o.GroupMeans && o.Groups == "" {
		bad("GroupMeans needs Groups; name the group column")
	}
	if o.Groups == dataset.GroupsAuto { // Gather ignores it
		o.Groups = ""
	}
	if o.Groups != "" && (o.Targets != "" || o.Environments != "") {
		bad("Groups with Targets or Environments are not supported: the effective number of rows is not known for groups of rows; set one of them")
	}
	if o.RowWeights != "" {
		switch {
		case o.Targets != "" || o.Environments != "" || o.Groups != "" || o.Frequencies != "":
			bad("RowWeights cannot be combined with Targets, Environments, Groups or Frequencies")
		case o.Missing == dataset.MissingDrop || o.Missing == dataset.MissingPairwise:
			bad("RowWeights need Missing auto or error")
		}
	}
	if o.Lenient && o.Missing == dataset.MissingError {
		bad("Lenient needs Missing auto, drop or pairwise")
	}
	if o.FirstRow < 0 {
		bad("FirstRow = %d, want at least 0", o.FirstRow)
	}
	if o.LastRow < 0 {
		bad("LastRow = %d, want at least 0", o.LastRow)
	}
	if o.LastRow > 0 && o.LastRow < o.FirstRow {
		bad("LastRow = %d is before FirstRow = %d", o.LastRow, o.FirstRow)
	}
	if o.Discretize != 0 && (o.Discretize < 2 || o.Discretize > 10) {
		bad("Discretize = %d, want 2 to 10 classes, or 0 for none", o.Discretize)
	}
	if o.Discretize != 0 && o.NormalScores {
		bad("Discretize and NormalScores both go by ranks; give one of them")
	}
	if err := o.Time.Validate(); err != nil {
		errs = append(errs, err)
	}
	if o.Threads < 1 {
		bad("Threads = %d, want at least 1", o.Threads)
	}
	if o.MaxLevels < 1 {
		bad("MaxLevels = %d, want at least 1", o.MaxLevels)
	}
	if o.MaxColumns < 1 {
		bad("MaxColumns = %d, want at least 1", o.MaxColumns)
	}
	if o.MaxMemory < 0 {
		bad("MaxMemory = %d, want at least 0", o.MaxMemory)
	}
	return errors.Join(errs...)
}
