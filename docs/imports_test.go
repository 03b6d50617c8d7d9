package docs_test

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

const module = "github.com/polydag/polydag"

// methodLayer is the layer of a folder method/NAME that the table of layers does not list.
const methodLayer = 8

// wingFolders are the folders of what most users never need. The core imports none of them; the programs under cmd join them.
var wingFolders = []string{"lab", "gpu", "images", "cluster"}

// wing returns the wing of a package, or nothing for one of the core.
func wing(p string) string {
	top, _, _ := strings.Cut(p, "/")
	if slices.Contains(wingFolders, top) {
		return top
	}
	return ""
}

// layerOf returns the layer of a package.
func layerOf(p string) (layer int, ok bool) {
	if layer, ok = layers[p]; !ok {
		layer, ok = methodLayer, path.Dir(p) == "method" || path.Dir(p) == "lab"
	}
	return layer, ok
}

// The core imports no wing, and each wing has its packages in the table of layers.
func TestCoreImportsNoWing(t *testing.T) {
	out := must.Get(exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...").Output())
	core, met := 0, map[string]bool{}
	for line := range strings.Lines(string(out)) {
		list := strings.Fields(line)
		for i, p := range list {
			list[i] = strings.TrimPrefix(strings.TrimPrefix(p, module), "/")
		}
		own := list[0]
		if met[wing(own)] = true; wing(own) != "" || strings.HasPrefix(own, "cmd/") {
			continue
		}
		core++
		for _, p := range list[1:] {
			if wing(p) != "" {
				t.Errorf("%s of the core depends on %s", cmp.Or(own, "polydag"), p)
			}
		}
	}
	if core < 60 || len(met) != len(wingFolders)+1 {
		t.Errorf("%d packages of the core, and wings %v", core, met)
	}
}

// layers is the table of allowed imports: a package may import only packages of lower layers. Methods have methodLayer.
// List every other new package here.
var layers = map[string]int{
	"internal/gemm": 0, "internal/vec": 0, "internal/demo": 0, "lab/internal/timing": 0, "internal/names": 1, "internal/role": 3, "command/internal/ask": 3, "internal/memory": 1, "internal/must": 0,
	"internal/wire": 0, "internal/jsonlist": 0, "internal/intset": 0, "internal/bif": 0, "internal/atomicfile": 0, "dataset/internal/absent": 0, "internal/liberation": 0, "internal/licenses": 0, "internal/splitmix": 0, "internal/parallel": 0, "internal/visible": 0, "internal/resample": 3, "cluster/work": 1, "method/param": 0, "fault": 0,
	"matrix": 1, "graph": 1, "internal/chol": 1, "internal/counts": 1, "method/stage": 1,
	"internal/assign": 2, "internal/checkpoint": 2, "draw/internal/layout": 2, "lab/tape": 2, "lab/constraint": 5, "lab/internal/curves": 6, "lab/internal/steps": 2, "lab/optimize": 4,
	"dataset": 2, "knowledge": 2, "acyclic": 2, "search": 2, "metric": 2, "independence": 2,
	"internal/sample": 3, "lab/sim": 3, "method/methodtest": 11, "solve": 3, "score": 3, "explain": 3, "internal/questions": 12, "trust": 5, "internal/basis": 4,
	"internal/missing": 4, "dataset/prepare": 3, "internal/relations": 5, "internal/groupwise": 4, "internal/kind": 4, "internal/marginal": 4, "internal/series": 4, "dataset/csv": 3, "internal/tabletest": 3, "command/internal/edgelist": 4, "dataset/files": 4, "images/provider": 5, "images/annotation": 1, "images/internal/matfile": 0, "images/pictures": 3, "images/scene": 0, "images/validation": 4, "images/internal/onnx": 1, "images/internal/onnx/onnxtest": 0, "images/classify": 5, "images/classify/command": 17,
	"method": 4, "method/gaussian": 4, "method/internal/noise": 4, "method/internal/joint": 5, "method/scores": 5, "method/internal/chance": 5, "method/tests": 6, "method/constraint": 5, "method/weighted": 4, "lab/sim/inputtest": 5, "method/linear": 6, "method/greedy": 6, "method/internal/lingam": 6,
	"method/order": 7, "images/causalvae": 8, "lab/network": 7, "lab/posterior": 6, "lab/losses": 3, "lab/lagrangian": 7, "lab/internal/leaves": 7,
	"internal/describe": 6, "internal/methods": 9, ".": 10, "lab": 11, "gpu/devicetest": 6,
	"report": 15, "draw": 11, "internal/sentence": 11, "internal/mechanism": 11, "internal/page": 14, "command/internal/serve": 11, "lab/bench": 11, "command/internal/graphtest": 11, "command/internal/attribution": 12, "confidence": 11,
	"cluster/jetstream": 2, "cluster/hub": 0, "cluster/hub/server": 3, "cluster/tables": 15,
	"lab/study/figure": 11, "lab/study": 15, "lab/study/paper": 16,
	"effect/internal/eliminate": 12, "lab/heldout": 12, "effect": 13, "internal/analysis": 14,
	"gpu/device": 5, "gpu/internal/cuda": 6, "gpu/internal/cuda/internal/ptx": 0, "gpu/internal/cuda/internal/generate": 1, "gpu/internal/emulator": 0,
	"command":      17,
	"lab/commands": 19, "images/commands": 18, "images/audit": 14, "gpu/commands": 18, "cluster/commands": 18, "cmd/wings": 20, "cmd/polydag": 21, "cluster/polydag-hub": 21, "images/polydag-images": 18, "gpu/polydag-cuda": 18, "gpu/polydag-cuda/internal/libcuda": 0,

	// Kits stand above what they check.
	"method/kit": 4,
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
		layer, ok := layerOf(from)
		if !ok {
			t.Errorf("package %s is not in the table of layers; add it to layers in docs/imports_test.go", from)
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
			if target, ok := layerOf(to); !ok || target >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d)", path, layer, to, target)
			}
		}
		return nil
	})
	must.Succeed(t, err)
	for p := range layers {
		if !seen[p] {
			t.Errorf("the table names %s, which has no Go file", p)
		}
	}
}

// Who learns from moments carries no reader of files: the root knows tables, and not how they are written.
func TestRootReadsNoFiles(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"/dataset/prepare") {
		t.Fatalf("the root does not depend on dataset/prepare: the test looks at the wrong list, %v", deps)
	}
	for _, reader := range []string{"dataset/csv", "command/internal/edgelist", "dataset/files"} {
		if slices.Contains(deps, module+"/"+reader) {
			t.Errorf("the root depends on %s", reader)
		}
	}
}

// A library that only tests import belongs into the module test: this one is what a program takes on that embeds polydag.
func TestNoLibraryIsForTestsOnly(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	must.Succeed(t, err)
	unused := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && strings.HasPrefix(line, "\t") {
			unused[f[0]] = true
		}
	}
	if len(unused) == 0 {
		t.Fatal("go.mod requires nothing")
	}
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || nested(path)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			for library := range unused {
				if strings.HasPrefix(strings.Trim(imp.Path.Value, `"`)+"/", library+"/") {
					delete(unused, library)
				}
			}
		}
		return nil
	})
	must.Succeed(t, err)
	for library := range unused {
		t.Errorf("go.mod requires %s, which only tests import: move them to the module test", library)
	}
}

// nested reports whether the folder is a module of its own.
func nested(path string) bool {
	m, _ := filepath.Glob(filepath.Join(path, "go.mod"))
	return path != "." && len(m) > 0
}
