package prepare

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/polydag/polydag/dataset"
)

// Settings say which part of a table to take and what to do with what is not a number. Start from
// DefaultSettings.
type Settings struct {
	// Columns are the names of the columns to take, patterns in which * stands for any letters, or lists of both with
	// commas between; none takes all. Drop are those to leave out, of these. The order of the file is kept.
	Columns, Drop []string
	// Exclude leaves out columns that no graph can be learned from: constants, identifiers, free text, copies of other columns,
	// columns without values and text of too many categories. Profile.Excluded lists them. It looks at columns of numbers only
	// with Profile. Keep are names or patterns of columns to take all the same; a constant is excluded even so.
	Exclude bool
	Keep    []string
	// FirstRow and LastRow are data rows of the file, from 1, both inclusive; 0 leaves an end open.
	FirstRow, LastRow int
	// Clusters is the name of a column whose values tell which rows belong together; "" for none. The column is no variable.
	Clusters string
	// Encode says what to do with columns that hold text: "error", "levels", "onehot", "ordinal" or "drop". A column of only
	// true and false, yes and no, t and f, y and n or on and off is not text: it becomes 1 and 0.
	//
	//   - levels makes one column with a number for each level, for methods that take it as a category; Gathered.Levels
	//     has the levels.
	//   - onehot makes one column of 0 and 1 for each level but the first of the sorted levels, named column=level. A
	//     column for the first too would be 1 less the sum of the others: collinear.
	//   - ordinal makes one column with the place of the level among the sorted levels, from 0.
	//   - drop leaves the column out.
	//
	// Levels are sorted as numbers where all are numbers, else by their bytes.
	Encode string
	// Missing says what to do with missing values: "error", "drop" (rows that have one), "mean" (put the mean of the
	// column), "pairwise" (each covariance from the rows that have both values) or "auto": drop, and where too few rows
	// would be left, first exclude the columns that are mostly missing. "auto" needs Exclude and Profile.
	Missing string
	// Targets names the column that says, row by row, which columns were set from outside: names with ; between them, or places
	// of columns from 1, and nothing or 0 where nothing was set; or, as COLUMN:VALUE=NAMES,VALUE=NAMES, what was set where the column has
	// these values. Regimes names one whose values tell conditions apart of which it
	// is not known what they change. Either is no variable; at most one of them is given.
	Targets, Regimes string
	// Log are names or patterns of columns to take the natural logarithm of.
	Log []string
	// NormalScores replaces every value by Φ⁻¹(rank/(n+1)) of its rank in its column, after Log: the Gaussian copula
	// (nonparanormal). It keeps all rows in memory.
	NormalScores bool
	// Discretize cuts each column of numbers with more than ten different values into so many classes, from 2 to 10, after Log; 0
	// leaves them as they are. It keeps all rows in memory.
	Discretize int
	// Threads is the most goroutines that compute. The result does not depend on it.
	Threads int
	// Lenient is for a look at a table that a run might refuse: an infinity is passed over like a missing value and counted
	// in the profile, and a table with fewer than two columns of numbers has moments too. It needs a Missing other than
	// "error".
	Lenient bool
	// Profile asks for the Columns of the profile, the repeated rows and a sample of rows.
	Profile bool
	// MaxLevels bounds the levels of a column that is encoded as levels or onehot. MaxColumns bounds the columns of moments,
	// whose memory is 8·d² bytes.
	MaxLevels, MaxColumns int
	// MaxMemory bounds the bytes of the moments, and of what needs all rows in memory; 0 sets no bound.
	MaxMemory int64
	// File is the name that errors and the profile mention; it is not opened.
	File string
	// Progress, if not nil, is called now and then, never from two goroutines at once, with the bytes and data rows
	// taken in so far. It starts from 0 again where a second pass is needed.
	Progress func(bytes int64, rows int)
}

// options are Settings and the state of one call of Gather.
type options struct {
	Settings
	cluster *chosenColumn  // of Clusters; nil for none
	auto    bool           // Missing was "auto"
	seen    *observed      // by the pass under way; nil without Exclude
	place   map[string]int // of each column in the file

	unreadable []dataset.Excluded
}

// DefaultSettings returns: all rows and columns, errors for text and missing values, all processors, at most 50
// levels and 20,000 columns (3.2 GB of moments).
func DefaultSettings() Settings {
	return Settings{Encode: "error", Missing: "error", Threads: runtime.GOMAXPROCS(0), MaxLevels: 50, MaxColumns: 20_000}
}

// Validate reports every fault of the settings.
func (o Settings) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch o.Encode {
	case "error", "levels", "onehot", "ordinal", "drop":
	default:
		bad("Encode = %q, want error, levels, onehot, ordinal or drop", o.Encode)
	}
	switch o.Missing {
	case "auto", "error", "drop", "mean", "pairwise":
	default:
		bad("Missing = %q, want auto, error, drop, mean or pairwise", o.Missing)
	}
	if _, _, err := SplitTargets(o.Targets); err != nil {
		bad("Targets: %w", err)
	}
	if o.Targets != "" && o.Regimes != "" {
		bad("Targets and Regimes both tell rows apart; give one of them")
	}
	if o.Clusters != "" && (o.Targets != "" || o.Regimes != "") {
		bad("Clusters with Targets or Regimes: how much rows that belong together tell is not known for parts of a table; leave one of them out")
	}
	if o.Lenient && o.Missing == "error" {
		bad("Lenient needs Missing drop, mean or pairwise")
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
