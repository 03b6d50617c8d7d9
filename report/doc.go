// Package report renders a result: text for a terminal, JSON for programs, and the file formats of other tools.
//
//	err := report.Text(res)(os.Stdout)
//
//	f, err := report.Formats().ForFile("graph.graphml")
//	err = f.Write(res)(w)
//
// Every format keeps the names of the columns. If its syntax does not support a name, the name is changed
// reversibly, and the file documents the change; docs/reference/formats.md has a sample of each.
//
// Experimental: the API of this package may change before 1.0.
package report
