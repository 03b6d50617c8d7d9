package docs_test

import (
	"go/ast"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// learned are the packages in which `polydag learn` takes a graph from the method to the printed table.
var learned = []string{".", "graph", "method", "trust", "internal/describe", "report"}

// Two types say From and To: graph.Edge by index and graph.Link by name. Others embed one of them, and few do so on the way of learn:
// docs/design/architecture.md names the four shapes of the graph there.
func TestStructsOfEdges(t *testing.T) {
	const mostDeclared, mostLearned = 5, 12
	var declared, onTheWay []string
	must.Succeed(t, filepath.WalkDir(".", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if name := e.Name(); name == "testdata" || name == "node_modules" || len(name) > 1 && strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		_, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				s, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if body, ok := s.Type.(*ast.StructType); ok {
					own, embedded := ends(body)
					if own {
						declared = append(declared, path.Join(dir, s.Name.Name))
					}
					if (own || embedded) && slices.Contains(learned, dir) {
						onTheWay = append(onTheWay, path.Join(dir, s.Name.Name))
					}
				}
				return true
			})
		}
		return nil
	}))
	if len(declared) > mostDeclared || !slices.Contains(declared, "graph/Edge") {
		t.Errorf("%d structs have fields From and To, want at most %d; embed graph.Edge or graph.Link: %q", len(declared), mostDeclared, declared)
	}
	if len(onTheWay) > mostLearned || !slices.Contains(onTheWay, "trust/Edge") {
		t.Errorf("%d structs have the ends of an edge on the way of learn, want at most %d; use trust.Edge: %q", len(onTheWay), mostLearned, onTheWay)
	}
}

// ends reports whether a struct has fields From and To, and whether it embeds a type that has them.
func ends(s *ast.StructType) (own, embedded bool) {
	var names []string
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
		if len(f.Names) > 0 {
			continue
		}
		switch typ := f.Type.(type) {
		case *ast.Ident:
			embedded = embedded || slices.Contains(edgeTypes, typ.Name)
		case *ast.SelectorExpr:
			embedded = embedded || slices.Contains(edgeTypes, typ.Sel.Name)
		}
	}
	return slices.Contains(names, "From") && slices.Contains(names, "To"), embedded
}

// edgeTypes are the types that others embed for the ends of an edge.
var edgeTypes = []string{"Edge", "Link", "MarkedEdge", "EdgeRecord"}
