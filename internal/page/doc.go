// Package page writes results as one HTML file that opens from disk, with no network and no other file.
//
//	err := page.Write(ctx, w, page.Input{Results: []page.Labelled{{Label: "result.json", Result: res}}})
//
// The page is built from web/ with Vite and embedded. This package adds the results, the positions of nodes and
// arrows (package layout), the comparison with the truth (package metric) and the differences between two
// results. The page itself only computes views of the graph. Its Content-Security-Policy names the one script
// and the styles by their hashes and allows no request, except for linked pictures; names of columns are data in it, never markup. The same
// input gives the same bytes.
package page
