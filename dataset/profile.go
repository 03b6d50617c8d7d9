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
	// Frequencies is Preparation.Frequencies: equal rows then stand one after the other by construction.
	Frequencies string `json:"frequencies,omitempty"`
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

// Missingness describes which values of a table are missing together, and which observed columns predict that a value is missing.
// Whether a missing value depends on its own size cannot be tested.
type Missingness struct {
	Rows         int `json:"rows"` // evenly spaced rows of a long table
	CompleteRows int `json:"complete_rows"`
	// Together lists groups of columns that are missing in nearly the same rows: the correlation of their absence is at least 0.9.
	Together [][]string `json:"together,omitempty"`
	// Apart lists pairs of columns that no row has both values of, at most 20. The table does not show how they are related.
	Apart [][2]string `json:"apart,omitempty"`
	// Predicted lists what predicts that a value is missing, strongest first, at most 20.
	Predicted []MissingPredictor `json:"predicted,omitempty"`
}

// A MissingPredictor is a column whose values differ between the rows in which another column is missing and those in which it is not.
type MissingPredictor struct {
	Column string `json:"column"` // column with missing values
	By     string `json:"by"`     // column that predicts which
	// P is the p-value of a test of independence (Welch's t-test for a number, χ² for categories), corrected for the number of tests
	// by Holm's method. Only values below 0.05 are listed.
	P float64 `json:"p"`
	// Missing is the share of By that is missing itself.
	Missing float64 `json:"missing"`
}

// A Preview shows the values of a table as its file has them, before any column is excluded.
type Preview struct {
	// Rows has the first rows as text, with a value for each of Columns. A missing value is empty, and long text is cut.
	Rows [][]string `json:"rows"`
	// Sample has rows at equal distances in the file as text, in their order, for plots. It is empty unless it was asked for.
	Sample [][]string `json:"sample,omitempty"`
	// Sampled is the number of rows that the distributions of Columns count, at equal distances in the file.
	Sampled int             `json:"sampled"`
	Columns []ColumnPreview `json:"columns"`
}

// A ColumnPreview is the distribution of one column among the sampled rows: a histogram of numbers with many values, or the
// counts of categories.
type ColumnPreview struct {
	Name    string `json:"name"`
	Missing int    `json:"missing"`
	// Low and High are the ends of the histogram, whose bins are equally wide. Counts has one entry per bin.
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	Counts []int   `json:"counts,omitempty"`
	// Categories has the most frequent texts, or all values of a column with few numbers. Other counts the rest.
	Categories []CategoryCount `json:"categories,omitempty"`
	Other      int             `json:"other,omitempty"`
}

// A CategoryCount is a value and the number of sampled rows that have it.
type CategoryCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A Sample has rows of a table after all preparation, for the residuals of the assumption checks. It has all rows of a table with
// at most 4096. From a longer table it has 2048 to 4096 rows in blocks of 16 consecutive rows, evenly spaced. Above 256 columns it
// has fewer rows, at least 256. The choice of rows depends only on the size of the table.
type Sample struct {
	Columns int
	// Values has the rows one after the other; NaN is a missing value.
	Values []float64
	// Index is the position of each row among the rows that the moments count, from 0.
	Index []int
	// Weight is what a row of the sample counts if that differs from the weight of a row of the table: values that are missing carry
	// no information. 0 stands for the weight of a row.
	Weight float64
	// Environments is the environment of each row, or nil.
	Environments []int
}

// Rows returns the number of rows.
func (s *Sample) Rows() int { return len(s.Index) }

// Row returns row i, which shares memory with the sample.
func (s *Sample) Row(i int) []float64 { return s.Values[i*s.Columns : (i+1)*s.Columns] }
