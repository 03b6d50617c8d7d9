// Package serve shows a folder of results in a browser and learns from uploaded tables.
//
//	s, err := serve.New(serve.Settings{Dir: "results", Learn: learn, Page: page, ...})
//	defer s.Close()
//	err = http.Serve(listener, s)
//
// The caller provides the functions that read a table and write a page. This package provides the protection.
// It refuses requests from other sites and for other hosts, and never reads or writes outside the folder. It
// limits bodies and connections and never interprets file or column names as markup.
package serve
