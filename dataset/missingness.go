package dataset

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
