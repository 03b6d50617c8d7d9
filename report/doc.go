// Package report renders a result and computes nothing: text for a terminal, JSON for programs, and the file formats
// of other tools.
//
//	err := report.Text(res)(os.Stdout)
//
//	f, err := report.Formats().ForFile("graph.graphml")
//	err = f.Write(res)(w)
//
// Every format keeps the names of the columns as they are. Where its syntax cannot hold a name, the name is changed in
// a way that can be undone, and the file says how; docs/reference/formats.md has a sample of each.
//
// Experimental: the API of this package may change before 1.0.
package report
