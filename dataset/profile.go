package dataset

// DistinctLimit is the largest number of distinct values that is counted per column, at most 64·DistinctLimit bytes.
const DistinctLimit = 4096

// RepeatedLimit is the number of rows that are compared with earlier rows by a 64-bit hash, in 16·RepeatedLimit bytes. The
// probability that two different rows are taken for equal is about 1 in 30 million.
const RepeatedLimit = 1 << 20

// A Profile is what one pass over a table computes for the data checks, beyond the moments. Its columns are those of the moments,
// preceded by the excluded ones.
type Profile struct {
	File     string          `json:"file,omitempty"`
	RowsRead int             `json:"rows_read"`
	RowsUsed int             `json:"rows_used"` // less than read if rows with missing values were dropped
	Columns  []ColumnProfile `json:"columns"`
	// RepeatedRows counts rows that equal an earlier row, among the first RepeatedOf rows.
	RepeatedRows int `json:"repeated_rows"`
	RepeatedOf   int `json:"repeated_of"`
	// Missingness describes which values are missing. It is nil if none is, or if incomplete rows were dropped.
	Missingness *Missingness `json:"missingness,omitempty"`
	// Excluded lists the columns excluded from the graph, in file order.
	Excluded []Excluded `json:"excluded,omitempty"`
	// Notes describe what was done to the data: rows dropped, columns encoded, a matrix made positive definite.
	Notes []string `json:"notes,omitempty"`
	// Read describes how the cells of a column were read if they are neither plain numbers nor plain words.
	// Notes has the same information as sentences.
	Read []ColumnNote `json:"read,omitempty"`
}

// An Excluded column was excluded from the graph for a reason such as identifier or constant. Detail explains
// the decision.
type Excluded struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// A ColumnProfile describes the values of one column before any transform.
type ColumnProfile struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // number, integer, bool, text, time
	// From is the file's column that a one-hot column was derived from.
	From    string `json:"from,omitempty"`
	Missing int    `json:"missing"`
	// Infinite counts the infinities, which Preparation.Lenient treats as missing values. InfiniteRow is the data row of the first
	// one, from 1, and Place the column of the file, from 1. All are 0 if there is none.
	Infinite    int `json:"infinite,omitempty"`
	InfiniteRow int `json:"infinite_row,omitempty"`
	Place       int `json:"place,omitempty"`
	// Distinct is the number of distinct values, or DistinctLimit if there are at least that many.
	Distinct int `json:"distinct"`
	// Monotone reports whether the values strictly increase or strictly decrease.
	Monotone bool `json:"monotone,omitempty"`
	// Sorted reports whether the values never decrease or never increase, and are not all equal.
	Sorted   bool    `json:"sorted,omitempty"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Mean     float64 `json:"mean"`
	Std      float64 `json:"std"`
	Skewness float64 `json:"skewness"`
	// Kurtosis is the excess kurtosis; 0 for a Gaussian.
	Kurtosis float64 `json:"kurtosis"`
	// Top is the most frequent value if it makes up most of the column. TopShare is a lower bound of its share, 0 if there is no
	// such value.
	Top      float64 `json:"top,omitempty"`
	TopShare float64 `json:"top_share,omitempty"`
	// Suspect is the smallest or largest value if it is a number such as -999 that often marks a missing value, and Suspects is the
	// number of rows that have it. Suspects is 0 if there is none.
	Suspect  float64 `json:"suspect,omitempty"`
	Suspects int     `json:"suspects,omitempty"`
	// SuspectLone reports that Suspect is negative and all other values of the column are not, or that it is 0 and far below the others.
	SuspectLone bool     `json:"suspect_lone,omitempty"`
	Levels      []string `json:"levels,omitempty"` // sorted categories of a text column, up to a limit
	// Dropped is the reason why the column is not in the moments; empty if it is.
	Dropped string `json:"dropped,omitempty"`
}
