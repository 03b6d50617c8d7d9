// Package layout places the boxes and arrows of a directed acyclic graph on a page, causes above effects.
//
//	g := layout.Graph{
//		Nodes: []layout.Node{{"age", 40, 20}, {"income", 60, 20}},
//		Edges: []layout.Edge{{From: 0, To: 1, Weight: 0.4}},
//	}
//	drawing, err := layout.Layered(ctx, g, layout.DefaultSettings())
//
// It uses dot of Graphviz, embedded as WebAssembly. No program has to be installed, and a malicious graph can
// only make it fail. The first drawing loads it, so other programs only have 5 MB more.
//
// Graphviz is licensed under the Eclipse Public License 1.0, https://graphviz.org/license/; the source of
// version 12.1.2 is at https://gitlab.com/graphviz/graphviz/-/tree/12.1.2, and the recipe of the build in the
// module github.com/goccy/go-graphviz (MIT license) at version 0.2.10, the newest one that the Go proxy has. The
// program contains Expat 2.6.3, which Graphviz calls for HTML-like labels. Package layout writes none.
package layout
