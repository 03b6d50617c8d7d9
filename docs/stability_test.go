package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
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
		case !isStable && !says && filepath.Dir(dir) != "method":
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

// No exported type is an alias of an internal type, and no exported field has an internal type, so that go doc shows all fields.
// The methods are excepted: they embed settings that several of them share, which live under method/internal. So is confidence.Walker, which only the group of this module implements.
func TestNoInternalTypesInPublicOnes(t *testing.T) {
	for _, dir := range publicPackages(t) {
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			hidden := map[string]bool{}
			for _, imp := range f.Imports {
				path := strings.Trim(imp.Path.Value, `"`)
				if !strings.Contains(path, "/internal/") {
					continue
				}
				name := path[strings.LastIndex(path, "/")+1:]
				if imp.Name != nil {
					name = imp.Name.Name
				}
				hidden[name] = true
			}
			refuse := func(what string, e ast.Expr) {
				ast.Inspect(e, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := sel.X.(*ast.Ident); ok && hidden[x.Name] {
							t.Errorf("%s: %s shows the internal type %s.%s", fset.Position(sel.Pos()), what, x.Name, sel.Sel.Name)
						}
					}
					return true
				})
			}
			for _, d := range f.Decls {
				decl, ok := d.(*ast.GenDecl)
				if !ok || decl.Tok != token.TYPE {
					continue
				}
				for _, s := range decl.Specs {
					spec := s.(*ast.TypeSpec)
					if !spec.Name.IsExported() {
						continue
					}
					if strings.HasPrefix(dir, "method/") || spec.Name.Name == "Walker" && dir == "confidence" {
						continue
					}
					fields, ok := spec.Type.(*ast.StructType)
					if !ok {
						refuse(spec.Name.Name, spec.Type)
						continue
					}
					for _, field := range fields.Fields.List {
						if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
							refuse(spec.Name.Name, field.Type)
						}
					}
				}
			}
		}
	}
}
