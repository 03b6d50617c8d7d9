package dataset

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
	// Regimes is the regime of each row, or nil.
	Regimes []int
}

// Rows returns the number of rows.
func (s *Sample) Rows() int { return len(s.Index) }

// Row returns row i, which shares memory with the sample.
func (s *Sample) Row(i int) []float64 { return s.Values[i*s.Columns : (i+1)*s.Columns] }
