package polydag_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The library does not speak the language of the command line: outside of the command no text names a flag. A fault says which
// setting helps (package fault), and internal/cli words it.
func TestLibraryNamesNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[^-])--[a-z][a-z]`)
	speaks := map[string]bool{"internal/cli": true, "internal/study": true, "internal/study/figure": true, "cmd/polydag": true}
	seen := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || nested(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || speaks[filepath.ToSlash(filepath.Dir(path))] {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Errorf("%s: %v", files.Position(lit.Pos()), err)
			}
			if seen++; flag.MatchString(text) {
				t.Errorf("%s: %q names a flag; name the setting in a fault.Remedy", files.Position(lit.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 1000 {
		t.Errorf("only %d strings were looked at: the test looks in the wrong place", seen)
	}
}
