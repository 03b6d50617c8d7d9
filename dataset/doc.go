// Package dataset says what a table is, a source of its rows and their columns, and what learning needs of it: names and
// moments (count, mean, scatter), in memory that does not grow with the number of rows.
//
//	m, err := dataset.FromRows(names, rows, threads)
//	if err == nil {
//		err = m.Validate() // every constant column, by name
//	}
//	s := m.Covariance() // divided by n
//
// Tables as they come, with text, missing values and columns that nobody asked for, are Sources: package dataset/files makes them of
// files of any format, and polydag.Prepare gathers moments from them.
//
// A fault in the input is a *ParseError that names file, line, row, column and value, and matches one of the Err
// values with errors.Is.
//
// Experimental: the API of this package may change before 1.0.
package dataset
