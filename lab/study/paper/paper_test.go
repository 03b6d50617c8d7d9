package paper

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/study"
)

func read(t *testing.T) *study.Study {
	t.Helper()
	st := must.Get(Study())
	return st
}

// TestReferencesHaveTheirRows checks that every published value is a number and belongs to a row of ours.
func TestReferencesHaveTheirRows(t *testing.T) {
	st := read(t)
	v := study.NewView(st, study.Select{}, nil)
	for _, ref := range st.References {
		for m, text := range ref.Values {
			if _, err := study.Number(text); err != nil {
				t.Errorf("%s, %s: %v", ref.Experiment, m, err)
			}
		}
		if ref.Experiment == "bridge" { // the paper's own second table of times
			continue
		}
		if v.Rows(&ref) == 0 {
			t.Errorf("no row for %+v", ref)
		}
	}
}

// TestPaperGrid checks that all experiments of the paper are present, with its sizes and seeds.
func TestPaperGrid(t *testing.T) {
	st := read(t)
	runs, err := st.Expand(study.Select{})
	must.Succeed(t, err)
	count := map[string]int{}
	for _, e := range st.Experiments {
		of := must.Get(st.Expand(study.Select{Only: []string{e.Name}}))
		count[e.Name] = len(of)
	}
	// sizes × protocols × methods × seeds; polyDAG-Poly at d = 100 only, the unit-free ones at two sizes
	if want := 2 * 3 * (3*3 + 1 + 2*2); count["main"] != want {
		t.Errorf("main has %d runs, want %d", count["main"], want)
	}
	if want := 2 * 10 * 4; count["ten-seeds"] != want {
		t.Errorf("ten-seeds has %d runs, want %d", count["ten-seeds"], want)
	}
	if want := 2 * 3 * 20; count["constraints"] != want {
		t.Errorf("constraints has %d runs, want %d", count["constraints"], want)
	}
	if len(runs) < 250 || len(runs) > 500 {
		t.Errorf("%d runs in all", len(runs))
	}
	quick := must.Get(st.Expand(study.Select{Quick: true}))
	for _, r := range quick {
		if d := r.Point.Dataset; d != "" && d != "demo" {
			t.Errorf("the quick form needs %s", d)
		}
		if r.Flops() > 2e11 {
			t.Errorf("%s, %s, d = %d takes %.1g flops: too much for a quick run", r.Experiment, r.MethodName, r.Point.Nodes, r.Flops())
		}
	}
}

// TestReleasedNumbers checks that on the graphs of the released code the paper's methods reproduce its results
// (SHD of seeds 1 to 3 at d = 100: mean 114.7 with h_exp, 101.7 with h_geo). It uses one seed; all are in the
// records of the full run.
func TestReleasedNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of one core")
	}
	if gemm.Active() == gemm.Portable {
		t.Skip("takes long on the portable kernel; the numbers do not depend on it")
	}
	st := read(t)
	runs, err := st.Expand(study.Select{Only: []string{"main"}})
	must.Succeed(t, err)
	want := map[string]int{"notears-exp": 99, "polydag-geo": 92}
	runs = slices.DeleteFunc(runs, func(r study.Run) bool {
		return want[r.MethodName] == 0 || r.Point.Nodes != 100 || r.Seed != 2 || r.Protocol != "raw"
	})
	j := must.Get(study.OpenJournal(filepath.Join(t.TempDir(), "records.jsonl")))
	defer j.Close()
	must.Get(study.Execute(t.Context(), runs, j, study.Execution{Jobs: 1}))
	for _, rec := range j.Records() {
		if got, w := rec.Thresholded.SHD, want[rec.Method]; !(math.Abs(float64(got-w)) <= 3) { // float32 sums in another order
			t.Errorf("%s: SHD %d, the released code has %d", rec.Method, got, w)
		}
		delete(want, rec.Method)
	}
	if len(want) > 0 {
		t.Errorf("not run: %v", want)
	}
}

// TestNotesAreOfEverySelection checks that notes, which apply to every selection, name neither seeds nor jobs.
func TestNotesAreOfEverySelection(t *testing.T) {
	for _, e := range read(t).Experiments {
		for _, word := range []string{"at a time", "seeds 1 to 3", "Seed 1"} {
			if strings.Contains(e.Note+e.Title, word) {
				t.Errorf("%s: the note speaks of %q", e.Name, word)
			}
		}
	}
}

// TestReproductionPage checks that docs/evidence/reproduction.md equals the report of the committed records,
// byte for byte.
func TestReproductionPage(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "docs", "evidence")
	page, err := os.ReadFile(filepath.Join(folder, "reproduction.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("docs/evidence/reproduction.md is not there yet: polydag reproduce --out docs/evidence/reproduction --report docs/evidence/reproduction.md writes it")
	}
	must.Succeed(t, err)
	recs := must.Get(study.ReadRecords(filepath.Join(folder, "reproduction", "records.jsonl")))
	if len(recs) == 0 {
		t.Fatal("docs/evidence/reproduction.md has no records in docs/evidence/reproduction/records.jsonl")
	}
	var b bytes.Buffer
	must.Succeed(t, study.Report(&b, read(t), study.Select{}, recs, "reproduction/figures"))
	if got, want := b.String(), string(page); got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("docs/evidence/reproduction.md, line %d, is\n%s\nand the records say\n%s\nwrite it again with polydag reproduce --set render --out docs/evidence/reproduction --report docs/evidence/reproduction.md", i+1, w[i], g[i])
			}
		}
		t.Fatalf("docs/evidence/reproduction.md has %d lines, the records make %d", len(w), len(g))
	}
}
