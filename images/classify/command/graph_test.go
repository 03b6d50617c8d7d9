package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// program runs a command of the main program and returns its output.
func program(t *testing.T, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	if code := command.Run(context.Background(), lab.All, args, strings.NewReader(""), &out, &said, wings.All...); code != 0 {
		t.Fatalf("polydag %v: exit code %d\n%s", args, code, said.String())
	}
	return out.String() + said.String()
}

// distance learns a graph and returns its structural Hamming distance to the truth, and what was printed.
func distance(t *testing.T, dir, table string, flags ...string) (int, string) {
	t.Helper()
	result := filepath.Join(dir, "result.json")
	said := program(t, append([]string{"learn", table, "--output", result}, flags...)...)
	var e struct {
		SHD int `json:"shd"`
	}
	text := program(t, "evaluate", "--truth", filepath.Join(dir, "edges.csv"), result, "--json")
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return e.SHD, said
}

// TestGraphOfScenes goes from drawn scenes with known attributes to a graph, with a model that was trained on other
// scenes. POLYDAG_STUDY=12 draws 1,000 scenes for each of 12 graphs and prints the structural Hamming distances.
func TestGraphOfScenes(t *testing.T) {
	seeds, samples := 1, "300"
	if s, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); err == nil {
		seeds, samples = s, "1000"
	}
	var sums [3]int
	for seed := 1; seed <= seeds; seed++ {
		dir := t.TempDir()
		in := func(name string) string { return filepath.Join(dir, name) }
		program(t, "simulate", "--model", "logit", "--nodes", strconv.Itoa(attributes), "--edges", "10", "--set", "levels=2,2", "--set", "codes", "--rows", samples,
			"--images", in("scenes"), "--output", in("true.csv"), "--truth", in("edges.csv"), "--seed", strconv.Itoa(seed))
		var names []string
		for j := range attributes {
			names = append(names, "x"+strconv.Itoa(j))
		}
		model := writeModel(t, dir)
		write(t, in("labels.txt"), []byte(strings.Join(names, "\n")))
		images(t, 0, append(model, in("scenes"), "--decide", "--output", in("table.csv"), "--quiet")...)
		writeValidation(t, in("true.csv"), in("human.csv"), 200)

		best, _ := distance(t, dir, in("true.csv"))
		labels, said := distance(t, dir, in("table.csv"))
		if !strings.Contains(said, "unvalidated") {
			t.Errorf("nothing is said about errors of labels:\n%s", said)
		}
		validated, said := distance(t, dir, in("table.csv"), "--validation", in("human.csv"))
		if !strings.Contains(said, "sensitivity") || strings.Contains(said, "unvalidated") {
			t.Errorf("the errors are not shown:\n%s", said)
		}
		t.Logf("graph %d: SHD %d with true attributes, %d with labels, %d with validated labels", seed, best, labels, validated)
		sums[0], sums[1], sums[2] = sums[0]+best, sums[1]+labels, sums[2]+validated
	}
	if sums[1] > sums[0]+2*seeds || sums[2] > sums[0]+2*seeds || seeds > 1 && sums[2] > sums[0]+seeds {
		t.Errorf("sums of SHD over %d graphs: %v", seeds, sums)
	}
}

// writeValidation copies the first rows of a table, with the image as the key of a table of polydag-images.
func writeValidation(t *testing.T, from, to string, rows int) {
	t.Helper()
	text := must.Get(os.ReadFile(from))
	lines := strings.SplitAfterN(string(text), "\n", rows+2)
	lines[0] = strings.Replace(lines[0], "image", "classified_image", 1)
	write(t, to, []byte(strings.Join(lines[:rows+1], "")))
}
