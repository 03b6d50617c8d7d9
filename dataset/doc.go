// Package dataset defines tables as sources of rows and columns, and their moments (count, mean, scatter), which take memory that
// does not grow with the number of rows.
//
//	m, err := dataset.MomentsOf(names, rows, threads)
//	if err == nil {
//		err = m.Validate() // reports every constant column by name
//	}
//	s := m.Covariance() // divided by n
//
// Tables with text, missing values and unneeded columns are Sources. Package dataset/files makes Sources from files of any
// supported format, and polydag.Prepare computes moments from them.
//
// An error in the input is a *ParseError with the file, line, row, column and value. It matches one of the Err values with
// errors.Is.
//
// Experimental: the API of this package may change before 1.0.
package dataset
