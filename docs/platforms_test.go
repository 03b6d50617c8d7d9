package docs_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A listed package is one that go list prints.
type listed struct {
	ImportPath, Dir string
	GoFiles, Deps   []string
	ImportMap       map[string]string
}

// packagesFor returns the packages of polydag and all that they need on a platform, each after those that it imports.
func packagesFor(t *testing.T, platform string) []listed {
	t.Helper()
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Deps,ImportMap", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", platform, err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		must.Succeed(t, d.Decode(&p))
		all = append(all, p)
	}
	return all
}

// An importer holds the packages checked so far.
type importer struct {
	checked map[string]*gotypes.Package
	named   map[string]string // the paths of packages that the current package imports by another name
}

func (i *importer) Import(name string) (*gotypes.Package, error) {
	if actual, ok := i.named[name]; ok {
		name = actual
	}
	return i.checked[name], nil
}

// TestOtherPlatforms checks the types of every package that has files of its own for another platform. make cross runs it and
// looks at the assembly of arm64, make dist compiles everything.
func TestOtherPlatforms(t *testing.T) {
	if os.Getenv("POLYDAG_PLATFORMS") == "" {
		t.Skip("make cross runs it: set POLYDAG_PLATFORMS=1")
	}
	here := map[string][]string{}
	for _, p := range packagesFor(t, "linux/amd64") {
		here[p.ImportPath] = p.GoFiles
	}
	for _, platform := range []string{"windows/amd64", "darwin/arm64"} {
		all := packagesFor(t, platform)
		own, needed := map[string]bool{}, map[string]bool{}
		for _, p := range all {
			if strings.HasPrefix(p.ImportPath, module) && !slices.Equal(p.GoFiles, here[p.ImportPath]) {
				own[p.ImportPath], needed[p.ImportPath] = true, true
				for _, d := range p.Deps {
					needed[d] = true
				}
			}
		}
		if !own[module+"/internal/gemm"] && !own[module+"/internal/atomicfile"] {
			t.Errorf("%s: packages with other files are %v", platform, own)
		}
		_, processor, _ := strings.Cut(platform, "/")
		so := importer{checked: map[string]*gotypes.Package{"unsafe": gotypes.Unsafe}}
		for _, p := range all {
			if !needed[p.ImportPath] || p.ImportPath == "unsafe" {
				continue
			}
			files := token.NewFileSet()
			var parsed []*ast.File
			for _, name := range p.GoFiles {
				f := must.Get(parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))
				parsed = append(parsed, f)
			}
			so.named = p.ImportMap
			check := gotypes.Config{
				Importer: &so, Sizes: gotypes.SizesFor("gc", processor), IgnoreFuncBodies: !own[p.ImportPath],
				Error: func(err error) { t.Errorf("%s: %v", platform, err) },
			}
			so.checked[p.ImportPath], _ = check.Check(p.ImportPath, files, parsed, nil) // Error reports them all
		}
	}
}
