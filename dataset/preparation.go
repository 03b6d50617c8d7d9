package dataset

import (
	"errors"
	"fmt"
)

// Missing is the treatment of missing values.
type Missing string

const (
	MissingAuto     Missing = "auto"     // estimate from incomplete rows, assuming that values are missing at random. Needs Exclude and Profile
	MissingError    Missing = "error"    // a missing value is an error
	MissingDrop     Missing = "drop"     // drop rows with a missing value
	MissingPairwise Missing = "pairwise" // compute each correlation from the rows that have both values; for methods by tests
)

// GroupsAuto is the value of Preparation.Groups that looks for a column of repeated subjects and uses it if the rows of a group are
// alike.
const GroupsAuto = "auto"

// Encode is the encoding of text columns. Categories are sorted as numbers if all are numbers, otherwise by their bytes.
type Encode string

const (
	EncodeError   Encode = "error"   // a text column is an error
	EncodeLevels  Encode = "levels"  // one nominal variable; Table.Kinds has its categories
	EncodeOneHot  Encode = "onehot"  // a column of 0 and 1 for each category but the first one, named column=category
	EncodeOrdinal Encode = "ordinal" // the rank of the category among the sorted categories, from 0
	EncodeDrop    Encode = "drop"    // exclude the column
)

// Preparation defines how to prepare a table: rows and columns, text, missing values, transforms and data
// checks. Start from polydag.DefaultPreparation.
type Preparation struct {
	// Columns are the columns to read: names, patterns in which * matches any characters, or comma-separated
	// lists of both. Empty reads all columns. Drop are columns to exclude from these. The order of the file is
	// kept.
	Columns, Drop []string
	// Exclude excludes columns that no graph can be learned from: constants, identifiers, free text, copies of other columns,
	// columns without values and text with too many categories. Profile.Excluded lists them. Without Profile, Exclude checks text
	// columns only. Keep are names or patterns of columns that are not excluded; constants always are.
	Exclude bool
	Keep    []string
	// FirstRow and LastRow are data rows of the file, from 1, both inclusive; 0 leaves an end open.
	FirstRow, LastRow int
	// Groups is the name of a column whose values identify groups of rows; "" for none. GroupsAuto looks for one. The column is
	// excluded from the graph. Numeric columns are centred within groups, and columns that are constant within groups are excluded.
	// GroupMeans learns from the means of the groups instead, one row per group.
	Groups     string
	GroupMeans bool
	// Frequencies is the name of a column that says how many equal rows a row stands for: whole numbers, 0 or more. The result is that
	// of the table with all these rows, which FirstRow and LastRow count; only the check that rows are independent is left out.
	// RowWeights is the name of a column with survey or importance weights, 0 or more; a row with weight 0 is left out. Both columns
	// are excluded from the graph; "" for none.
	Frequencies, RowWeights string
	// Time says how the rows follow each other in time. The zero value is for rows without an order.
	Time TimeSettings
	// Encode selects how text columns become numbers. A column of only true and false, yes and no, t and f, y
	// and n or on and off is not text: it becomes 1 and 0.
	Encode Encode
	// Missing is the treatment of missing values.
	Missing Missing
	// Targets names the column with the intervention targets of each row: names separated by ;, or column numbers from 1; empty or
	// 0 without an intervention. COLUMN:VALUE=NAMES,VALUE=NAMES gives the targets for each value of a column. Environments names an
	// environment column whose intervention targets are unknown. Set at most one of the two; the column is excluded from the graph.
	Targets, Environments string
	// Log are names or patterns of columns that are replaced by their natural logarithm.
	Log []string
	// NormalScores replaces every value by Φ⁻¹(rank/(n+1)) of its rank in its column, after Log: the Gaussian copula
	// (nonparanormal). Text, and columns with at most ten distinct values among more than 20 rows, stay unchanged. It keeps all rows
	// in memory.
	NormalScores bool
	// Discretize bins each numeric column with more than ten distinct values into this number of classes, 2–10, after Log; 0
	// bins none. It keeps all rows in memory.
	Discretize int
	// Kinds are rules NAME=KIND as Table.Overrule takes them. Here only those of scores count: a column of NAME=score has scores of a label,
	// such as probabilities, logits or similarities, and becomes 0 and 1. With Exclude, columns of probabilities that pile up near 0 and 1
	// are scores unless a rule gives another kind.
	Kinds []string
	// Threads is the largest number of goroutines. The result does not depend on it.
	Threads int
	// Lenient is for data checks of a table that Learn might refuse: an infinity counts as a missing value, and a table with fewer
	// than two numeric columns has moments too. It needs a Missing other than MissingError.
	Lenient bool
	// Profile computes the column profiles, the repeated rows and a sample of rows.
	Profile bool
	// MaxLevels limits the categories of a column that is encoded as levels or onehot. MaxColumns limits the columns of moments,
	// whose memory is 8·d² bytes, or 2·d² with few rows.
	MaxLevels, MaxColumns int
	// MaxMemory limits the bytes of the moments and of steps that keep all rows in memory; 0 sets no limit.
	MaxMemory int64
	// File is the name in errors and in the profile; it is not opened.
	File string
	// Progress, if not nil, is called from time to time with the bytes and data rows read so far, never from two goroutines at
	// once. A second pass starts from 0 again.
	Progress func(bytes int64, rows int)
}

// ClassifiedColumn is the column with the names of images in a table of polydag-images, whose other columns are those of a model.
const ClassifiedColumn = "classified_image"

// ClassifiedGroups is the column of such a table with the same number for near duplicates.
const ClassifiedGroups = "classified_group"

// A Score is a column of scores of a label that was replaced by its decisions: 1 from Cut on, 0 below.
type Score struct {
	Column string  `json:"column"`
	Cut    float64 `json:"cut"`
	// Probability reports that the scores lie within 0–1. Unsure is then the mean probability of the value that was not chosen: the share of
	// wrong decisions if the scores are calibrated.
	Probability bool    `json:"probability,omitempty"`
	Unsure      float64 `json:"unsure,omitempty"`
}

// TimeSettings say how the rows of a table follow each other in time. The zero value is for a table without an order.
type TimeSettings struct {
	// Column is the time column: numbers or dates. "." uses the order of the rows. Series is the column that identifies the series of a
	// row, if the table has several; no lag crosses a series. Both are excluded from the graph.
	Column, Series string
	// Lags is the number of past steps whose values may be causes; 0 chooses it by the score.
	Lags int
	// Gaps says what to do if a step is longer than the others: GapsError, or GapsBreak to start a new segment.
	Gaps string
	// Step is the distance of two points, such as 1h, 7d, 1mo or 0.5; empty for the median distance of the rows. Aggregate is
	// AggregateMean to average the rows within a step; otherwise two of them are an error.
	Step, Aggregate string
	// PooledMeans keeps the differences between the means of the series, which are removed otherwise (fixed effects).
	PooledMeans bool
	// Difference replaces numeric columns by their changes, Detrend removes linear trends, and Season removes the mean of each step of a
	// season of this length; 0 for none.
	Difference, Detrend bool
	Season              int
}

// The values of Gaps and Aggregate.
const (
	GapsError     = "error"
	GapsBreak     = "break"
	AggregateMean = "mean"
)

// Given reports whether the rows follow each other in time.
func (t TimeSettings) Given() bool { return t.Column != "" }

// MostLags and MostSeason are the largest number of lags and the longest season.
const (
	MostLags   = 200
	MostSeason = 1 << 20
)

// Validate reports every invalid setting. Settings of a table without an order have no effect, and are not checked.
func (t TimeSettings) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !t.Given() {
		return nil
	}
	if t.Series == t.Column {
		bad("series %q is the time column; name the column that identifies a series, such as a person", t.Column)
	}
	if t.Lags < 0 || t.Lags > MostLags {
		bad("lags %d: want a number from 1 to %d, or 0 to choose it", t.Lags, MostLags)
	}
	if t.Gaps != "" && t.Gaps != GapsError && t.Gaps != GapsBreak {
		bad("gaps %q is unknown; choose %s or %s", t.Gaps, GapsError, GapsBreak)
	}
	if t.Aggregate != "" && t.Aggregate != AggregateMean {
		bad("aggregate %q is unknown; choose %s", t.Aggregate, AggregateMean)
	}
	if t.Season < 0 || t.Season == 1 || t.Season > MostSeason {
		bad("season %d: want 2 to %d steps, or 0 for none", t.Season, MostSeason)
	}
	return errors.Join(errs...)
}
