package score

import "github.com/polydag/polydag/internal/counts"

// CountSettings describe the rows besides their categories. The zero value is a plain table.
type CountSettings struct {
	// Weights is the number of rows that each row stands for, possibly 0; nil means 1 each.
	Weights []uint32
	// Environments numbers the experiment that each row comes from, and Targets lists the variables that each experiment
	// intervened on. The counts of a variable leave out the rows in which it was intervened on. Both nil: no interventions.
	Environments []int
	Targets      [][]int
	// Merge merges identical rows of the same experiment and adds their weights.
	Merge bool
}

// Count prepares columns of category codes for NewDiscrete. Codes that no row has do not count. Count neither changes nor keeps
// columns.
func Count(columns [][]int, o CountSettings) (*counts.Data, error) {
	return counts.New(columns, counts.Rows(o))
}
