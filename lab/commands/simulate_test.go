package commands

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

func simulate(t *testing.T, want int, args ...string) (text string) {
	t.Helper()
	out, errs := run(t, want, append([]string{"simulate"}, args...)...)
	return out + errs
}

// TestSimulateSaysAllFaults checks that all invalid flags are reported at once, and nothing is written.
func TestSimulateSaysAllFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	said := simulate(t, 2, "--model", "cubic", "--graph", "ring", "--set", "noise=pink", "--set", "design=odd", "--set", "intervention=none", "--nodes", "1", "--rows", "0",
		"--threads", "0", "--set", "noise-variance=1", "--set", "levels=2,2.5", "--set", "root-variance=2,1", "--set", "environment-changes=2", "--set", "codes", "--truth", "x.parquet", "--output", "x.xlsx")
	must.Contain(t, said, "--model cubic: want one of linear, additive, joint, mlp, discrete, mixed", "--graph ring", "--set noise=pink", "--set design=odd", "--set intervention=none", "Nodes = 1",
		"--rows 0", "--threads 0", "--set noise-variance=1: want two numbers", "--set levels=2,2.5: want whole numbers", "RootVariance on [2, 1]",
		"--set environment-changes has no effect: it needs --environments", "--set codes has no effect", "--truth x.parquet", "--output")
	for _, c := range [][]string{
		{"--output", "x.npy", "--set", "interventions=3"}, {"--output", "x.csv", "--model", "joint", "--set", "weight-low=1"}, {"--output", "x.csv", "--edges", "5", "--set", "degree=2"},
		{"--output", "x.csv", "--model", "discrete", "--set", "noise=laplace"}, {"--output", "x.csv", "--set", "interventions=101"}, {"--output", "x.csv", "--environments", "2", "--set", "interventions=2"},
		{"--output", "x.csv", "--model", "mlp", "--set", "design=iscm"}, {"--output", "x.csv", "--set", "levels=1,60", "--model", "mixed"},
	} {
		simulate(t, 2, c...)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSimulateQuiet checks that --quiet prints nothing, and that with --log-format json every line is one object.
func TestSimulateQuiet(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kind := range [][]string{{"--model", "mixed", "--output", "x.npy"}, {"--lags", "1", "--output", "y.csv"}} {
		args := append([]string{"--nodes", "6", "--rows", "30"}, kind...)
		if said := simulate(t, 0, append(args, "--quiet")...); said != "" {
			t.Errorf("--quiet prints %q", said)
		}
		said := simulate(t, 0, append(args, "--log-format", "json")...)
		for line := range strings.Lines(said) {
			if !json.Valid([]byte(line)) {
				t.Errorf("with --log-format json: %q", line)
			}
		}
		if said == "" {
			t.Error("with --log-format json nothing is printed")
		}
	}
}

// TestSimulateWritesEveryModel checks that every model gives the same file on any number of threads, in every
// format, with the requested rows and categories.
func TestSimulateWritesEveryModel(t *testing.T) {
	dir := t.TempDir()
	for _, model := range []string{"linear", "additive", "joint", "mlp", "discrete", "mixed"} {
		var want []byte
		for _, threads := range []string{"1", "3"} {
			path := filepath.Join(dir, model+".csv")
			simulate(t, 0, "--model", model, "--nodes", "8", "--edges", "10", "--rows", "70", "--threads", threads, "--output", path, "--truth", path+".truth.csv")
			text := must.Get(os.ReadFile(path))
			if want == nil {
				want = text
			}
			if !bytes.Equal(text, want) {
				t.Errorf("%s: %s threads give another table", model, threads)
			}
		}
		truth, _ := os.ReadFile(filepath.Join(dir, model+".csv.truth.csv"))
		if lines := strings.Count(string(truth), "\n"); lines != 11 || strings.HasPrefix(string(truth), "from,to,weight\n") != (model == "linear") {
			t.Errorf("%s: truth\n%s", model, truth)
		}
		if levels := strings.Contains(string(want), "v0"); levels != (model == "discrete" || model == "mixed") {
			t.Errorf("%s: text of levels is %v", model, levels)
		}
		for _, ext := range []string{"parquet", "npz", "tsv.gz"} {
			path := filepath.Join(dir, model+"."+ext)
			said := simulate(t, 0, "--model", model, "--nodes", "8", "--edges", "10", "--rows", "70", "--output", path)
			if noted := strings.Contains(said, "contain numbers only"); noted != (ext == "npz" && (model == "discrete" || model == "mixed")) {
				t.Errorf("%s as %s: %s", model, ext, said)
			}
			if out, _ := run(t, 0, "check", path); !strings.Contains(out, "70 rows × 8 columns") {
				t.Errorf("%s as %s is not read:\n%s", model, ext, out)
			}
		}
	}
}

// TestSimulateTargets checks that column target names the intervention targets of each row and is empty without
// an intervention.
func TestSimulateTargets(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	said := simulate(t, 0, "--nodes", "6", "--set", "interventions=5", "--set", "intervention-size=2", "--set", "observational=0.5", "--rows", "100", "--output", path)
	text := must.Get(os.ReadFile(path))
	rows := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())
	count := map[string]int{}
	for _, row := range rows[1:] {
		count[row[6]]++
	}
	if rows[0][6] != "target" || count[""] != 50 || len(count) != 6 || !strings.Contains(said, "5 sets of intervention targets") {
		t.Errorf("%v, %v\n%s", rows[0], count, said)
	}
	for word, k := range count {
		if word != "" && (k != 10 || strings.Count(word, ";") != 1) {
			t.Errorf("target %q in %d rows", word, k)
		}
	}
	said = simulate(t, 0, "--nodes", "6", "--environments", "3", "--rows", "90", "--output", filepath.Join(dir, "r.parquet"))
	if !strings.Contains(said, "3 environments; environment 1 changes x") || !strings.Contains(said, "environment 2 changes x") {
		t.Error(said)
	}
}

// TestWordsThatAreNot checks that a number without a word is an error and writes no file.
func TestWordsThatAreNot(t *testing.T) {
	for _, name := range []string{"t.csv", "t.parquet"} {
		w := must.Get(files.WriterFor(name))
		for _, v := range []float64{2, -1, 0.5} {
			table := files.Content{Names: []string{"x", "word"}, Words: [][]string{nil, {"a", "b"}}, Count: 1, Rows: func(yield func([]float64) bool) { yield([]float64{7, v}) }}
			if err := w.Write(&bytes.Buffer{}, table); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row 1, column 2 (word): %v stands for none of 2 words", v)) {
				t.Errorf("%s, %v: %v", name, v, err)
			}
		}
	}
	w, _ := files.WriterFor("t.npy")
	if err := w.Write(&bytes.Buffer{}, files.Content{Names: []string{"x"}, Words: [][]string{{"a"}}, Rows: func(func([]float64) bool) {}}); err == nil || !strings.Contains(err.Error(), "holds numbers only") {
		t.Errorf("text as NPY: %v", err)
	}
}

// TestSimulateOneStandardOutput checks that the table and the graph cannot both go to standard output.
func TestSimulateOneStandardOutput(t *testing.T) {
	if said := simulate(t, 2, "--output", "-", "--truth", "-"); !strings.Contains(said, "--output and --truth cannot both be standard output") {
		t.Error(said)
	}
}

// TestSimulatePendulum checks the table, the images and the true edges of a pendulum, and the flags that it refuses.
func TestSimulatePendulum(t *testing.T) {
	t.Chdir(t.TempDir())
	draw := func(output string) string {
		simulate(t, 0, "--images", "images", "--set", "scene=pendulum", "--set", "image-side=16", "--rows", "3", "--seed", "4", "--output", output, "--truth", "truth.csv")
		text := must.Get(os.ReadFile(output))
		return string(text)
	}
	table := draw("a.csv")
	if !strings.HasPrefix(table, "pendulum_angle,light_position,shadow_length,shadow_position,image\n") || !strings.Contains(table, "scene000003.png") || table != draw("b.csv") {
		t.Errorf("the table is\n%s", table)
	}
	if truth, err := os.ReadFile("truth.csv"); err != nil || strings.Count(string(truth), "\n") != 5 || !strings.Contains(string(truth), "light_position,shadow_length") {
		t.Errorf("the edges are\n%s%v", truth, err)
	}
	f := must.Get(os.Open("images/scene000003.png"))
	defer f.Close()
	if m, err := png.Decode(f); err != nil || m.Bounds().Dx() != 16 {
		t.Errorf("an image of %v, %v", m.Bounds(), err)
	}
	said := simulate(t, 2, "--images", "images", "--set", "scene=pendulum", "--nodes", "5", "--lags", "2", "--set", "image-side=4", "--output", "c.csv")
	must.Contain(t, said, "--nodes has no effect: --set scene=pendulum", "--lags has no effect", "--set image-side=4")
	if said := simulate(t, 2, "--set", "scene=odd", "--output", "c.csv"); !strings.Contains(said, "--set scene=odd: want one of shapes") || !strings.Contains(said, "it needs --images DIR") {
		t.Errorf("an unknown scene:\n%s", said)
	}
}
