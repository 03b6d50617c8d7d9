package docs_test

import (
	"go/ast"
	goimporter "go/importer"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// stable are the public packages whose API keeps its promises before 1.0, as docs/reference/stability.md lists them.
var stable = []string{".", "confidence", "dataset/files", "knowledge"}

// experimental is the sentence that every other public package has in its package comment.
const experimental = "Experimental: the API of this package may change before 1.0."

// publicPackages returns the folders of all packages that other modules can import, relative to the root.
func publicPackages(t *testing.T) []string {
	t.Helper()
	out := must.Get(exec.Command("go", "list", "-f", "{{if and .GoFiles (ne .Name \"main\")}}{{.ImportPath}}{{end}}", "./...").Output())
	var dirs []string
	for _, path := range strings.Fields(string(out)) {
		dir := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if dir == "" {
			dir = "."
		}
		if !slices.Contains(strings.Split(dir, "/"), "internal") {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) < 20 {
		t.Fatalf("go list names only %q", dirs)
	}
	return dirs
}

// parsePackage parses the files of a folder that are not tests.
func parsePackage(t *testing.T, dir string) (*token.FileSet, []*ast.File) {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(dir, "*.go")))
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution))
		files = append(files, f)
	}
	return fset, files
}

// Every public package is either stable or says that it is experimental, and docs/reference/stability.md lists the stable ones. The package
// comment of method speaks for the methods.
func TestPublicPackagesAreStableOrExperimental(t *testing.T) {
	page := must.Get(os.ReadFile("docs/reference/stability.md"))
	packages := publicPackages(t)
	for _, dir := range packages {
		doc := ""
		_, files := parsePackage(t, dir)
		for _, f := range files {
			doc += f.Doc.Text()
		}
		says := strings.Contains(strings.Join(strings.Fields(doc), " "), experimental)
		switch isStable := slices.Contains(stable, dir); {
		case isStable && says:
			t.Errorf("the stable package %s says that it is experimental", dir)
		case !isStable && !says && filepath.Dir(dir) != "method" && wing(dir) == "": // the page lists the wings, not their packages
			t.Errorf("the package comment of %s lacks the sentence %q", dir, experimental)
		}
	}
	for _, dir := range stable {
		name := dir
		if name == "." {
			name = "polydag"
		}
		if !slices.Contains(packages, dir) || !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/reference/stability.md does not list the stable package %s, or there is no such package", name)
		}
	}
}

// shown lists the internal types that public packages may show, each with the reason.
var shown = map[string]string{
	"internal/counts.Data":     "score.Count makes one for score.NewDiscrete and the tests of package independence; its fields are hidden",
	"internal/basis.Settings":  "method/scores hands the basis of curves on to the methods that fit curves",
	"internal/basis.Functions": "as basis.Settings",
	"internal/counts.Joiner":   "method/scores counts joint categories with it; methods hand it on",
	"internal/role.Readings":   "report.ColumnNames prints what polydag check understood; only the command has it",
}

// TestNoInternalTypesInPublicOnes checks that no exported type, function, method, variable or field of a public package mentions a type
// of an internal package, so that go doc explains it and other modules can use it. Packages under method/ may: settings that several
// methods share have types under method/internal.
func TestNoInternalTypesInPublicOnes(t *testing.T) {
	exports := map[string]string{}
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	from := goimporter.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	used := map[string]bool{}
	for _, dir := range publicPackages(t) {
		if wing(dir) != "" {
			continue // the interfaces of the wings may change
		}
		pkg := must.Get(from.Import(strings.TrimSuffix(module+"/"+dir, "/.")))
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				for _, hidden := range internalTypes(obj) {
					if strings.HasPrefix(dir, "method/") && strings.HasPrefix(hidden, "method/internal/") {
						continue
					}
					if used[hidden] = true; shown[hidden] == "" {
						t.Errorf("%s.%s shows the internal type %s", pkg.Path(), name, hidden)
					}
				}
			}
		}
	}
	for name := range shown {
		if !used[name] {
			t.Errorf("no public package shows %s any more; remove it from the list", name)
		}
	}
	if len(shown) > 5 {
		t.Errorf("public packages show %d internal types, want at most 5", len(shown))
	}
}

// internalTypes returns the internal types that an exported object mentions.
func internalTypes(obj gotypes.Object) (found []string) {
	seen := map[gotypes.Type]bool{}
	var visit func(t gotypes.Type)
	named := func(name *gotypes.TypeName, args *gotypes.TypeList) {
		if p := name.Pkg(); p != nil && strings.HasPrefix(p.Path(), module) && slices.Contains(strings.Split(p.Path(), "/"), "internal") {
			found = append(found, strings.TrimPrefix(p.Path(), module+"/")+"."+name.Name())
		}
		for t := range args.Types() {
			visit(t)
		}
	}
	parts := func(t *gotypes.Tuple) {
		for v := range t.Variables() {
			visit(v.Type())
		}
	}
	visit = func(t gotypes.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *gotypes.Alias:
			named(t.Obj(), t.TypeArgs())
			visit(t.Rhs())
		case *gotypes.Named:
			named(t.Obj(), t.TypeArgs())
		case *gotypes.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					visit(f.Type())
				}
			}
		case *gotypes.Interface:
			for m := range t.ExplicitMethods() {
				if m.Exported() {
					visit(m.Type())
				}
			}
			for e := range t.EmbeddedTypes() {
				visit(e)
			}
		case *gotypes.Union:
			for term := range t.Terms() {
				visit(term.Type())
			}
		case *gotypes.Signature:
			parts(t.Params())
			parts(t.Results())
			for p := range t.TypeParams().TypeParams() {
				visit(p.Constraint())
			}
		case *gotypes.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() gotypes.Type }: // pointers, slices, arrays and channels
			visit(t.Elem())
		}
	}
	own, ok := obj.Type().(*gotypes.Named)
	if _, isType := obj.(*gotypes.TypeName); !isType || !ok {
		visit(obj.Type())
		return found
	}
	visit(own.Underlying())
	for p := range own.TypeParams().TypeParams() {
		visit(p.Constraint())
	}
	for m := range own.Methods() {
		if m.Exported() {
			visit(m.Type())
		}
	}
	return found
}
