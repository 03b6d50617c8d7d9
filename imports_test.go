package polydag_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/polydag/polydag"

// floors is the table of allowed imports: a package may import only packages of lower floors. A
// package that is not listed fails the test: give it a place in the house first.
var floors = map[string]int{
	"gemm": 0, "vec": 0,
	"matrix": 1, "dag": 1,
	"checkpoint": 2, "layout": 2,
	"dataset": 2, "knowledge": 2, "acyclic": 2, "score": 2, "metric": 2,
	"sim": 3, "solve": 3, "order": 3, "diagnose": 3, "dataset/basis": 3,
	".":        4,
	"provider": 3, "explain": 3, "ingest": 3,
	"report": 5, "draw": 5, "report/page": 6, "serve": 5,
	"study/figure": 5, "study": 6,
	"internal/demo": 0, "internal/timing": 0, "internal/names": 0, "internal/memory": 0, "internal/wire": 0, "internal/bench": 5,
	"internal/cli": 7,
	"cmd/polydag":  8,

	// Kits stand beside what they check and import only its floor and below.
	"acyclictest": 2, "scoretest": 2, "solvetest": 4,
	// An implementation of gonum's interface, for programs that want it.
	"gemm/gonumblas": 1,
}

func TestImportsGoDown(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			name := e.Name()
			if path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "docs" || nested(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		for _, c := range f.Comments {
			if strings.HasPrefix(c.Text(), "go:build ignore") || strings.Contains(c.List[0].Text, "//go:build ignore") {
				return nil
			}
		}
		from := filepath.ToSlash(filepath.Dir(path))
		floor, ok := floors[from]
		if !ok {
			t.Errorf("package %s is not in the table of floors", from)
			return nil
		}
		seen[from] = true
		for _, imp := range f.Imports {
			to, mine := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module)
			if !mine {
				continue
			}
			to = strings.TrimPrefix(to, "/")
			if to == "" {
				to = "."
			}
			if target, ok := floors[to]; !ok || target >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d)", path, floor, to, target)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range floors {
		if !seen[p] {
			t.Errorf("the table names %s, which has no Go file", p)
		}
	}
}

// nested reports whether the folder is a module of its own.
func nested(path string) bool {
	m, _ := filepath.Glob(filepath.Join(path, "go.mod"))
	return path != "." && len(m) > 0
}
