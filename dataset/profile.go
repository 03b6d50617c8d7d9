package dataset

// DistinctLimit is how far the different values of a column are counted: at most 64·DistinctLimit bytes a column.
const DistinctLimit = 4096

// RepeatedLimit is how many rows are compared with those before them, by a 64-bit hash: 16·RepeatedLimit bytes. The chance
// that two different rows among them are taken for equal is about 1 in 30 million.
const RepeatedLimit = 1 << 20

// A Profile is what one pass over a table learns beyond its moments: what a look at the data before a run is made of.
// Its columns are those of the moments, and before them those that were left out on the way.
type Profile struct {
	File     string          `json:"file,omitempty"`
	RowsRead int             `json:"rows_read"`
	RowsUsed int             `json:"rows_used"` // less than read where rows with missing values were dropped
	Columns  []ColumnProfile `json:"columns"`
	// RepeatedRows counts rows equal to an earlier one, among the first RepeatedOf.
	RepeatedRows int `json:"repeated_rows"`
	RepeatedOf   int `json:"repeated_of"`
	// Excluded lists columns that are not in the moments since no graph can be learned from them, in the order of the file.
	Excluded []Excluded `json:"excluded,omitempty"`
	// Notes say in sentences what was done to the data: rows dropped, columns encoded, a matrix made positive definite.
	Notes []string `json:"notes,omitempty"`
	// Read says of columns how their cells were read, where that is neither as plain numbers nor as plain words. Notes has the same as
	// sentences.
	Read []ColumnNote `json:"read,omitempty"`
}

// An Excluded column was left out of the graph, for a reason such as identifier or constant; Detail says by what that was decided.
type Excluded struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// A ColumnProfile describes the values of one column as they came, before any transform.
type ColumnProfile struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // number, integer, bool, text, time
	// From is the column of the file that a one-hot column was made of.
	From    string `json:"from,omitempty"`
	Missing int    `json:"missing"`
	// Infinite counts the infinities among the values, which polydag.Preparation.Lenient passed over; InfiniteRow is the data
	// row of the first, from 1, and Place the column of the file, from 1. All are 0 where there is none.
	Infinite    int `json:"infinite,omitempty"`
	InfiniteRow int `json:"infinite_row,omitempty"`
	Place       int `json:"place,omitempty"`
	// Distinct counts different values; where it reaches DistinctLimit it is at least that.
	Distinct int `json:"distinct"`
	// Monotone says that each value is more than the one before, or each less.
	Monotone bool `json:"monotone,omitempty"`
	// Sorted says that no value is less than the one before, or none is more, and that they are not all equal.
	Sorted   bool    `json:"sorted,omitempty"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Mean     float64 `json:"mean"`
	Std      float64 `json:"std"`
	Skewness float64 `json:"skewness"`
	// Kurtosis is the fourth standardized moment less 3; 0 for a Gaussian.
	Kurtosis float64 `json:"kurtosis"`
	// Top is the most frequent value where one makes up most of the column; TopShare is a lower bound of its share, 0
	// where there is none.
	Top      float64 `json:"top,omitempty"`
	TopShare float64 `json:"top_share,omitempty"`
	// Suspect is the smallest or the largest value where it is a number such as -999 that often stands for a missing value,
	// and Suspects is how many rows have it; both are 0 where there is none.
	Suspect  float64 `json:"suspect,omitempty"`
	Suspects int     `json:"suspects,omitempty"`
	// SuspectLone says that Suspect is a negative number in a column whose other values are not negative.
	SuspectLone bool     `json:"suspect_lone,omitempty"`
	Levels      []string `json:"levels,omitempty"` // of a text column, sorted, up to a limit
	// Dropped says why the column is not in the moments; empty where it is.
	Dropped string `json:"dropped,omitempty"`
}
