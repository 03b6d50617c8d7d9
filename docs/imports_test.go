package docs_test

import (
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
const methodLayer = 7

// layerOf returns the layer of a package.
func layerOf(p string) (layer int, ok bool) {
	if layer, ok = layers[p]; !ok {
		layer, ok = methodLayer, path.Dir(p) == "method"
	}
	return layer, ok
}

// layers is the table of allowed imports: a package may import only packages of lower layers. Methods have methodLayer.
// List every other new package here.
var layers = map[string]int{
	"internal/gemm": 0, "internal/vec": 0, "internal/demo": 0, "internal/timing": 0, "internal/names": 1, "internal/role": 3, "internal/ask": 3, "internal/memory": 1, "internal/must": 0,
	"internal/wire": 0, "internal/jsonlist": 0, "internal/intset": 0, "internal/bif": 0, "internal/atomicfile": 0, "internal/absent": 0, "internal/liberation": 0, "internal/licenses": 0, "internal/splitmix": 0, "internal/parallel": 0, "internal/visible": 0, "internal/resample": 3, "internal/work": 1, "method/param": 0, "fault": 0,
	"matrix": 1, "graph": 1, "internal/chol": 1, "internal/counts": 1, "method/stage": 1,
	"internal/assign": 2, "internal/checkpoint": 2, "internal/layout": 2, "internal/tape": 2,
	"dataset": 2, "knowledge": 2, "acyclic": 2, "search": 2, "metric": 2, "independence": 2,
	"internal/sample": 3, "sim": 3, "solve": 3, "score": 3, "explain": 3, "internal/questions": 11, "trust": 5, "internal/basis": 4,
	"internal/missing": 4, "internal/prepare": 3, "internal/relations": 5, "internal/groupwise": 4, "internal/kind": 4, "internal/marginal": 4, "internal/series": 4, "internal/csv": 3, "internal/tabletest": 3, "internal/edgelist": 4, "dataset/files": 4, "internal/provider": 5, "internal/annotation": 1, "internal/matfile": 0, "internal/pictures": 3, "internal/scene": 0, "internal/validation": 4, "internal/onnx": 1, "internal/onnx/onnxtest": 0, "internal/classify": 5, "internal/classify/command": 15,
	"method": 4, "method/internal/gaussian": 4, "method/internal/noise": 4, "method/internal/joint": 5, "method/internal/scores": 5, "method/internal/chance": 5, "method/internal/tests": 6, "method/internal/constraint": 5, "method/internal/weighted": 4, "method/internal/inputtest": 5, "method/internal/linear": 6, "method/internal/greedy": 6, "method/internal/lingam": 6,
	"method/order": 6, "method/internal/network": 6, "method/internal/posterior": 6, "method/internal/leaves": 6,
	"internal/describe": 6, "internal/methods": 8, ".": 9,
	"report": 14, "internal/draw": 10, "internal/sentence": 10, "internal/mechanism": 10, "internal/page": 13, "internal/serve": 10, "internal/bench": 10, "internal/graphtest": 10, "internal/attribution": 11, "confidence": 10,
	"internal/wheels": 1, "internal/runtests": 1, "internal/work/jetstream": 2, "internal/work/hub": 3, "internal/work/tables": 11,
	"internal/study/figure": 10, "internal/study": 11, "internal/study/paper": 12, "internal/study/surrogate": 12,
	"internal/eliminate": 11, "internal/heldout": 11, "effect": 12,
	"device": 4, "internal/cuda": 6, "internal/cuda/internal/ptx": 0, "internal/cuda/internal/generate": 1, "internal/emulator": 0,
	"internal/cli": 15,
	"command":      16,
	"cmd/polydag":  17, "cmd/polydag-images": 16, "cmd/polydag-cuda": 16, "cmd/polydag-cuda/internal/libcuda": 0,

	// Kits stand above what they check.
	"internal/contract": 4, "kit": 10,
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
	if !slices.Contains(deps, module+"/internal/prepare") {
		t.Fatalf("the root does not depend on internal/prepare: the test looks at the wrong list, %v", deps)
	}
	for _, reader := range []string{"internal/csv", "internal/edgelist", "dataset/files"} {
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
