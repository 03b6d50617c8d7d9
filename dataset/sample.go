package dataset

// A Sample holds rows of a table as the moments saw them, after text, logarithms, missing values and scores were dealt with: what
// the residuals of a model are looked at with once the model is known. A table of at most 4096 rows is in it whole. Of a longer
// one it has blocks of 16 consecutive rows, evenly spaced over the table, from half as many rows to as many. Above 256 columns
// the rows are fewer, down to 256. Which rows it has depends on nothing but the size of the table.
type Sample struct {
	Columns int
	// Values has one row after the other; a missing value is NaN.
	Values []float64
	// Index has the place of each row among those that the moments count, from 0: rows with successive indices are neighbours.
	Index []int
	// Regimes has the regime of each row; nil for a table without regimes.
	Regimes []int
}

// Rows returns how many there are.
func (s *Sample) Rows() int { return len(s.Index) }

// Row returns row i, which is the sample's own.
func (s *Sample) Row(i int) []float64 { return s.Values[i*s.Columns : (i+1)*s.Columns] }
