// Package dataset turns tables of numbers into what a score needs: the names of the
// columns and their moments (count, mean, scatter), gathered in one pass in memory that
// does not grow with the number of rows.
//
//	m, err := dataset.ReadCSV(ctx, file, dataset.DefaultCSVOptions())
//	if err == nil {
//		err = m.Validate() // every constant column, by name
//	}
//	s := m.Covariance() // divided by n
//
// Tables as they come, with text, missing values and columns that nobody asked for, are Sources for Gather:
//
//	opt := dataset.DefaultGatherOptions()
//	opt.Encode, opt.Missing, opt.Profile = "onehot", "drop", true
//	g, err := dataset.Gather(ctx, open, opt) // g.Moments, g.Profile
//
// Callers that need the rows themselves use ReadCSVTable. A fault in the input is a
// *ParseError that names file, line, row, column and value, and matches one of the Err
// values with errors.Is.
package dataset
