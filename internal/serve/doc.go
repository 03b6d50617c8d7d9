// Package serve shows a folder of results in a browser, and learns from a table that is dropped there.
//
//	s, err := serve.New(serve.Settings{Dir: "results", Learn: learn, Page: page, ...})
//	defer s.Close()
//	err = http.Serve(listener, s)
//
// It knows neither how a table is read nor how a page is made: the caller passes both in. What it does own is the guard: requests
// from other sites and for other hosts are refused, nothing outside the folder is read or written, bodies and connections
// are limited, and no name of a file or column is ever markup.
package serve
