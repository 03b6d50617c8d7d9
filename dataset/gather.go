package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
)

// GatherOptions say which part of a table to take and what to do with what is not a number. Start from
// DefaultGatherOptions.
type GatherOptions struct {
	// Columns are the names of the columns to take, patterns in which * stands for any letters, or lists of both with
	// commas between; none takes all. Drop are those to leave out, of these. The order of the file is kept.
	Columns, Drop []string
	// FirstRow and LastRow are data rows of the file, from 1, both inclusive; 0 leaves an end open.
	FirstRow, LastRow int
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
	// column) or "pairwise" (each covariance from the rows that have both values).
	Missing string
	// Log are names or patterns of columns to take the natural logarithm of.
	Log []string
	// NormalScores replaces every value by Φ⁻¹(rank/(n+1)) of its rank in its column, after Log: the Gaussian copula
	// (nonparanormal). It keeps all rows in memory.
	NormalScores bool
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

// DefaultGatherOptions returns: all rows and columns, errors for text and missing values, all processors, at most 50
// levels and 20,000 columns (3.2 GB of moments).
func DefaultGatherOptions() GatherOptions {
	return GatherOptions{Encode: "error", Missing: "error", Threads: runtime.GOMAXPROCS(0), MaxLevels: 50, MaxColumns: 20_000}
}

// Validate reports every fault of the options.
func (o GatherOptions) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("dataset: "+format, args...)) }
	switch o.Encode {
	case "error", "levels", "onehot", "ordinal", "drop":
	default:
		bad("Encode = %q, want error, levels, onehot, ordinal or drop", o.Encode)
	}
	switch o.Missing {
	case "error", "drop", "mean", "pairwise":
	default:
		bad("Missing = %q, want error, drop, mean or pairwise", o.Missing)
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

// Gathered is what a pass over a table leaves.
type Gathered struct {
	Moments *Moments
	// Profile is never nil; its Columns and repeated rows are there only if GatherOptions.Profile asked for them.
	Profile *Profile
	// Sample is nil unless GatherOptions.Profile asked for a profile.
	Sample *Sample
	// Levels has, for each column of the moments that was made from text as levels or as ordinal, what its numbers 0, 1, …
	// stand for; nil for the others.
	Levels [][]string

	replay *replay
}

// Gather reads a table and returns its moments: of the chosen rows and columns, with text encoded, missing values
// handled and transforms applied, in this order: rows and columns, Encode, Log, Missing, NormalScores. For the same numbers
// the moments have the same bytes as those of FromRows and ReadCSV, on any number of threads.
//
// It is one pass in memory that does not grow with the rows, O(d²), except for NormalScores. Where a column
// holds text and Encode is not "error", open is called again, up to twice: the levels of the text are learned before
// they are encoded. Gather closes each source that open returned. The next batch is read while one is worked on.
//
// A fault of the data is a *ParseError or, for missing values, a *MissingError. When ctx is done Gather returns its error.
func Gather(ctx context.Context, open func(context.Context) (Source, error), opt GatherOptions) (*Gathered, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { src.Close() }()
	chosen, err := chooseColumns(src.Columns(), &opt)
	if err != nil {
		return nil, err
	}
	var found []string
	if n, ok := src.(Noter); ok {
		found = n.Notes()
	}
	found = append(slices.Clone(found), unreadableNotes(src.Columns(), chosen, opt.Drop)...)
	g, err := gatherChosen(ctx, &src, open, chosen, &opt)
	if err == nil {
		g.Profile.Notes = slices.Concat(found, g.Profile.Notes)
		if g.replay != nil {
			g.replay.open = open
		}
	}
	return g, err
}

// gatherChosen is Gather of the chosen columns. src is the source under way, which it replaces where it needs another
// pass.
func gatherChosen(ctx context.Context, at *Source, open func(context.Context) (Source, error), chosen []chosenColumn, opt *GatherOptions) (*Gathered, error) {
	src := *at
	defer func() { *at = src }()
	again := func() error {
		err := src.Close()
		next, err2 := open(ctx)
		if err2 != nil {
			return errors.Join(err, fmt.Errorf("dataset: text columns need a second pass, but the table could not be opened again: %w", err2))
		}
		src = next
		return err
	}
	plan := numbersOnly(chosen)
	if learn := opt.Encode != "error"; !learn || !declaresText(chosen) {
		g, err := gatherOnce(ctx, src, chosen, plan, opt)
		if !learn || !errors.Is(err, ErrNotNumber) {
			return g, err
		}
		if err := again(); err != nil {
			return nil, err
		}
	}
	levels, err := learnLevels(ctx, src, chosen, opt)
	if err != nil {
		return nil, err
	}
	if plan, err = planEncoding(chosen, levels, opt); err != nil {
		return nil, err
	}
	if err := again(); err != nil {
		return nil, err
	}
	return gatherOnce(ctx, src, chosen, plan, opt)
}
