package docs_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// architecturePage describes the packages. The tests below compare it with the code.
const architecturePage = "docs/design/architecture.md"

// What a program takes on that embeds polydag: mathematics and the standard library. Readers of formats, pictures, the page, the
// server and the command line are for those who import them.
func TestRootIsLight(t *testing.T) {
	out := must.Get(exec.Command("go", "list", "-deps", ".").Output())
	deps := strings.Fields(string(out))
	if len(deps) < 30 {
		t.Fatalf("go list names %q", deps)
	}
	for _, p := range deps {
		own, mine := strings.CutPrefix(p, module+"/")
		for _, heavy := range []string{"gonum", "cobra", "parquet", "arrow", "wazero", "yaml", "nats"} {
			if !mine && strings.Contains(p, heavy) {
				t.Errorf("the root package depends on %s", p)
			}
		}
		if p == "net/http" || p == "image" || strings.HasPrefix(p, "image/") {
			t.Errorf("the root package depends on %s", p)
		}
		for _, heavy := range []string{"dataset/files", "report", "draw/internal/layout", "command/internal/serve", "command", "lab/study", "images/provider"} {
			if mine && (own == heavy || strings.HasPrefix(own, heavy+"/")) {
				t.Errorf("the root package depends on %s", p)
			}
		}
	}
}

// The root package is read in one sitting.
func TestRootIsSmall(t *testing.T) {
	all := must.Get(filepath.Glob("*.go"))
	files := slices.DeleteFunc(all, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	lines := 0
	for _, f := range files {
		lines += strings.Count(string(must.Get(os.ReadFile(f))), "\n")
	}
	if lines < 1000 || lines > 3800 {
		t.Errorf("the root package has %d lines in %d files, want at most 3800", lines, len(files))
	}
}

// cells returns the rows of the table under a heading of the architecture page, without the table head.
func cells(t *testing.T, heading string) [][]string {
	text := must.Get(os.ReadFile(architecturePage))
	_, section, ok := strings.Cut(string(text), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", architecturePage, heading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	var rows [][]string
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			row := strings.Split(strings.Trim(line, "|"), "|")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			rows = append(rows, row)
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s, %q: no table", architecturePage, heading)
	}
	return rows[2:]
}

// packagesIn returns what stands between backquotes; polydag is the root package.
func packagesIn(cell string) []string {
	var out []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		if m[1] == "polydag" {
			m[1] = "."
		}
		out = append(out, m[1])
	}
	return out
}

// A package is public because somebody outside needs it, and the page says who.
func TestPublicPackagesAreNeeded(t *testing.T) {
	const most = 23
	said := map[string]bool{}
	for _, row := range cells(t, "## Public packages, and who outside needs them") {
		for _, p := range packagesIn(row[0]) {
			said[p] = true
			if len(row) < 2 || len(row[1]) < 20 {
				t.Errorf("%s does not say who outside needs %s", architecturePage, p)
			}
		}
	}
	public := 0
	for p := range layers {
		if strings.HasPrefix(p, "internal/") || strings.Contains(p, "/internal/") || strings.HasPrefix(p, "cmd/") || strings.HasPrefix(p, "method/") || wing(p) != "" {
			continue
		}
		public++
		if !said[p] {
			t.Errorf("%s does not say who outside needs %s; if nobody does it belongs under internal", architecturePage, p)
		}
		delete(said, p)
	}
	for p := range said {
		t.Errorf("%s says who needs %s, which is no public package", architecturePage, p)
	}
	if public > most {
		t.Errorf("%d public packages, want at most %d", public, most)
	}
}

// The table of layers on the page has the layers of imports_test.go and the first sentence of each package's documentation.
func TestPageListsThePackages(t *testing.T) {
	packages := slices.SortedFunc(maps.Keys(layers), func(a, b string) int { return cmp.Or(layers[b]-layers[a], strings.Compare(a, b)) })
	const begin, end = "<!-- packages: begin -->\n", "<!-- packages: end -->"
	want := "| layer | package | what it is for |\n|---|---|---|\n"
	for _, p := range packages {
		want += fmt.Sprintf("| %d | `%s` | %s |\n", layers[p], strings.Replace(p, ".", "polydag", 1), synopsis(t, p))
	}
	text := must.Get(os.ReadFile(architecturePage))
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, both := strings.Cut(rest, end)
	switch {
	case !ok || !both:
		t.Fatalf("%s has no %s", architecturePage, begin)
	case got != want && *update:
		must.Succeed(t, os.WriteFile(architecturePage, []byte(before+begin+want+end+after), 0o644))
	case got != want:
		t.Errorf("the table of packages in %s is out of date; write it anew with\n\tgo generate ./docs", architecturePage)
	}
}

// synopsis returns the first sentence of the documentation of a package, without its name.
func synopsis(t *testing.T, folder string) string {
	files := must.Get(filepath.Glob(folder + "/*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments))
		if f.Doc == nil || f.Name.Name == "main" && !strings.Contains(folder, "polydag") && len(files) > 1 && !strings.HasSuffix(name, "/main.go") {
			continue // a generator beside the package
		}
		text := new(doc.Package).Synopsis(f.Doc.Text())
		return strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(text, "Package "+f.Name.Name+" "), "Command "), ".:,"), "|", "/")
	}
	t.Errorf("package %s has no documentation", folder)
	return ""
}

// source calls visit on each Go file of the module that is not a test and not a program of its own.
func source(t *testing.T, visit func(path string, fset *token.FileSet, f *ast.File)) {
	files := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || path != "." && strings.HasPrefix(e.Name(), ".") || nested(path)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		files++
		visit(filepath.ToSlash(path), fset, f)
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
}

// No file but a method's own, the list in internal/methods and the reproduction of the paper knows a method by its name. What differs
// between methods is asked of method.Info. A name that is a word of its own as well, such as order, counts where it is said to be a method
// or compared with one.
func TestNobodySwitchesOnAMethod(t *testing.T) {
	var names []string
	for _, m := range lab.All() {
		names = append(names, m.Info().Name)
	}
	any := strings.Join(names, "|")
	said := regexp.MustCompile(`\bmethods? (` + any + `)\b`)
	isName := func(e ast.Expr) bool {
		lit, ok := e.(*ast.BasicLit)
		return ok && lit.Kind == token.STRING && slices.Contains(names, strings.Trim(lit.Value, "\"`"))
	}
	ofMethod := func(fset *token.FileSet, e ast.Expr) bool {
		var b strings.Builder
		_ = printer.Fprint(&b, fset, e) // a builder takes everything
		text := strings.ToLower(b.String())
		return strings.Contains(text, "method") || strings.HasSuffix(text, "info().name")
	}
	source(t, func(path string, fset *token.FileSet, f *ast.File) {
		if strings.HasPrefix(path, "method/") || strings.HasPrefix(path, "lab/") || path == "internal/methods/methods.go" {
			return
		}
		fault := func(at ast.Node, what string) {
			t.Errorf("%s names a method (%s): ask method.Info instead", fset.Position(at.Pos()), what)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if n.Kind != token.STRING {
					return true
				}
				for _, name := range names {
					if strings.Contains(name, "-") && strings.Contains(n.Value, name) {
						fault(n, name)
					}
				}
				if m := said.FindString(n.Value); m != "" {
					fault(n, m)
				}
			case *ast.BinaryExpr:
				if isName(n.X) && ofMethod(fset, n.Y) || isName(n.Y) && ofMethod(fset, n.X) {
					fault(n, "compared with a name")
				}
			case *ast.SwitchStmt:
				if n.Tag == nil || !ofMethod(fset, n.Tag) {
					return true
				}
				for _, c := range n.Body.List {
					if slices.ContainsFunc(c.(*ast.CaseClause).List, isName) {
						fault(c, "a case of a switch")
					}
				}
			}
			return true
		})
	})
	page, err := filepath.Glob("web/src/*.ts")
	more, err2 := filepath.Glob("web/src/*/*.ts")
	if page = append(page, more...); err != nil || err2 != nil || len(page) < 10 {
		t.Fatalf("%d files of the page, %v, %v", len(page), err, err2)
	}
	for _, path := range page {
		text := must.Get(os.ReadFile(path))
		for _, name := range names {
			if strings.Contains(name, "-") && strings.Contains(string(text), name) {
				t.Errorf("%s names the method %s", path, name)
			}
		}
		if m := regexp.MustCompile(`method\w* *===? *['"](` + any + `)['"]`).FindString(string(text)); m != "" {
			t.Errorf("%s: %s", path, m)
		}
	}
}

// A context is passed on and not kept.
func TestContextsArePassed(t *testing.T) {
	source(t, func(path string, fset *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if sel, ok := field.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Context" {
					t.Errorf("%s: a context in a struct; pass it to the functions that need it", fset.Position(field.Pos()))
				}
			}
			return true
		})
	})
}

// An edge is graph.Edge by number or graph.Link by name; whatever says more of one embeds it.
func TestOneTypeOfEdge(t *testing.T) {
	other := map[string]string{
		"explain/explanation.go": "two variables that are asked about, not an edge",
		"trust/curvature.go":     "from may be the sum of the parents, which is no node",
	}
	seen := 0
	source(t, func(path string, fset *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			has := map[string]bool{}
			for _, field := range s.Fields.List {
				if kind, ok := field.Type.(*ast.Ident); !ok || kind.Name != "int" && kind.Name != "string" {
					continue
				}
				for _, name := range field.Names {
					has[strings.ToLower(name.Name)] = true
				}
			}
			if !has["from"] || !has["to"] {
				return true
			}
			if seen++; strings.HasPrefix(path, "graph/") || other[path] != "" {
				return true
			}
			t.Errorf("%s: a type with From and To; embed graph.Edge or graph.Link", fset.Position(s.Pos()))
			return true
		})
	})
	if seen < 2+len(other) {
		t.Errorf("%d types with From and To, want the two of graph and %d that are no edges", seen, len(other))
	}
}
