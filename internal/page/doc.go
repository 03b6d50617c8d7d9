// Package page writes results as one HTML file that opens from disk, with no network and no other file.
//
//	err := page.Write(ctx, w, page.Input{Results: []page.Labelled{{Label: "result.json", Result: res}}})
//
// The page itself is built from web/ with Vite and embedded; it is filled here with the results, where every node and arrow goes
// (package layout), how a result compares with the truth (package metric) and how two results differ. The page computes views of the
// graph and nothing else. Its Content-Security-Policy names the one script and the styles by their hashes and allows no request;
// names of columns are data in it, never markup. The same input gives the same bytes.
package page
