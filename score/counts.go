package score

import "github.com/polydag/polydag/internal/counts"

// CountOptions hold what is known of the rows besides their categories. The zero value is a plain table.
type CountOptions struct {
	// Weights says how many rows each row stands for; nil is one each. Zero is allowed.
	Weights []uint32
	// Regimes numbers the experiment that each row comes from, and Targets lists the variables that each experiment
	// intervened on. The counts of a variable leave out the rows in which it was intervened on. Both nil: no interventions.
	Regimes []int
	Targets [][]int
	// Merge makes identical rows of the same experiment one row with the sum of their weights.
	Merge bool
}

// Count prepares columns of category codes for NewDiscrete. Codes are only names: a code that no row has does not count. Count
// neither changes nor keeps columns.
func Count(columns [][]int, o CountOptions) (*counts.Table, error) {
	return counts.New(columns, counts.Rows(o))
}
