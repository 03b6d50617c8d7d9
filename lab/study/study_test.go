package study

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

const tiny = `
name: tiny
title: Tiny
methods:
  geo: {method: polydag-geo, set: {steps: 60, k: d}}
  order: {method: order, set: {restarts: 0}}
  big: {method: order, max_nodes: 4}
  fails: {method: notears-exp, set: {steps: 400, rate: 1e9}}
experiments:
  - name: a
    title: A
    data: [{nodes: [5, 6], degree: [2], samples: 80}]
    protocols: [raw, standardize]
    methods: [geo, order, big]
    seeds: [1, 2]
    columns: [shd, f1, h_final, dag_valid, finished]
    times: true
    aggregate: true
    figures: [f1, shd, runtime, pipeline]
  - name: b
    title: B
    data: [{nodes: [5], degree: [2], samples: 80}]
    protocols: [raw]
    methods: [order, geo]
    seeds: [1, 2, 3]
    quick: {seeds: [1]}
  - name: t
    title: T
    data: [{nodes: [5], degree: [2], samples: 80}]
    methods: [geo]
    trace: true
    figures: [trace]
  - name: broken
    title: Broken
    data: [{nodes: [5], degree: [2], samples: 80}]
    methods: [fails]
  - name: cost
    title: Cost
    kind: cost
    data: [{nodes: [6, 12], samples: 50}]
    figures: [cost]
  - name: cycle
    title: Cycle
    kind: cycle
    data: [{nodes: [3, 17]}]
  - name: given
    title: Given
    data: [{dataset: demo}, {dataset: celeba}, {dataset: csv, file: mine.csv, truth: [a->b]}]
    methods: [order]
    edges: true
    figures: [graph]
`

func read(t *testing.T, text string) *Study {
	t.Helper()
	st := must.Get(Read(strings.NewReader(text)))
	return st
}

// execute runs a study into a folder and writes everything.
func execute(t *testing.T, st *Study, sel Select, dir, data string, jobs int) (*Outcome, []*Record) {
	t.Helper()
	runs := must.Get(st.Expand(sel))
	j := must.Get(OpenJournal(filepath.Join(dir, "records.jsonl")))
	defer j.Close()
	out := must.Get(Execute(context.Background(), runs, j, Execution{Jobs: jobs, Graphs: filepath.Join(dir, "graphs.jsonl"), Load: Folder(data)}))
	must.Succeed(t, Write(t.Context(), dir, st, sel, j.Records(), nil))
	return out, j.Records()
}

// untimed reads all files of a folder but the records, those with times, and what shows times.
func untimed(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"tables/*.md", "figures/*.svg"} {
		names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		for _, n := range names {
			if base := filepath.Base(n); strings.Contains(base, "runtime") || strings.Contains(base, "constraints") {
				continue
			}
			b := must.Get(os.ReadFile(n))
			rel, _ := filepath.Rel(dir, n)
			files[rel] = string(b)
		}
	}
	graphs := must.Get(ReadGraphs(filepath.Join(dir, "graphs.jsonl")))
	for key, g := range graphs {
		files["graph "+key] = fmt.Sprint(g.edges())
	}
	return files
}

func TestStudyFromEndToEnd(t *testing.T) {
	st := read(t, tiny)
	data := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(data, "mine.csv"), []byte("a,b\n1,2\n2,4.5\n3,5\n4,9\n"), 0o644))
	if testing.Short() { // drawing is slow under the race detector, which should check the jobs
		for i := range st.Experiments {
			st.Experiments[i].Figures = nil
		}
	}
	one, two := t.TempDir(), t.TempDir()
	out, recs := execute(t, st, Select{}, one, data, 1)
	if out.Known != 0 || out.Failed != 1 || len(out.Without) != 1 || out.Ran != len(recs) {
		t.Errorf("outcome %+v with %d records", out, len(recs))
	}
	out, _ = execute(t, st, Select{}, two, data, 3)
	if out.Ran != len(recs) {
		t.Errorf("three jobs: %+v", out)
	}
	a, b := untimed(t, one), untimed(t, two)
	for name, text := range a {
		if b[name] != text {
			t.Errorf("%s differs between one job and three", name)
		}
	}
	for _, name := range []string{"tables/a.md", "tables/a-aggregate.md", "tables/b.md", "tables/t.md", "tables/cycle.md", "tables/given.md", "tables/given-edges-1.md",
		"figures/a-f1.svg", "figures/a-shd.svg", "figures/pipeline.svg", "figures/t-trace.svg", "figures/given-demo-order.svg"} {
		if a[filepath.FromSlash(name)] == "" && !(testing.Short() && strings.HasPrefix(name, "figures")) {
			t.Errorf("no %s", name)
		}
	}
	for _, name := range []string{"tables/time/a-time.md", "tables/time/cost-time.md", "figures/a-runtime.png", "figures/cost-constraints.svg", "REPRODUCTION.md"} {
		if testing.Short() && strings.HasPrefix(name, "figures") {
			continue
		}
		if info, err := os.Stat(filepath.Join(one, filepath.FromSlash(name))); err != nil || info.Size() == 0 {
			t.Errorf("no %s: %v", name, err)
		}
	}
	if text := a["tables/broken.md"]; !strings.Contains(text, "1 failed") || !strings.Contains(text, "Failed: ") {
		t.Errorf("a failed run is not in its table:\n%s", text)
	}
	if text := a["tables/a.md"]; strings.Contains(text, "| big |") && !strings.Contains(text, "d = 5") {
		t.Errorf("max_nodes was not heeded:\n%s", text)
	}
	if again, _ := execute(t, st, Select{}, one, data, 1); again.Ran != 0 || again.Known != len(recs) {
		t.Errorf("a second execution: %+v", again)
	}
	report := must.Get(os.ReadFile(filepath.Join(one, "REPRODUCTION.md")))
	for _, want := range []string{"# Tiny", "## Not run", "list_attr_celeba.txt", "## How this was made"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// TestSharedRuns checks that a run that two experiments share is run once, belongs to the first, and --only
// does not change that.
func TestSharedRuns(t *testing.T) {
	st := read(t, tiny)
	all := must.Get(st.Expand(Select{}))
	keys := map[string]string{}
	for _, r := range all {
		if keys[r.Key] != "" {
			t.Errorf("key %s twice", r.Key)
		}
		keys[r.Key] = r.Experiment
	}
	only := must.Get(st.Expand(Select{Only: []string{"b"}}))
	if len(only) != 6 {
		t.Errorf("%d runs, want 6", len(only))
	}
	shared := 0
	for _, r := range only {
		if r.Experiment != keys[r.Key] {
			t.Errorf("%s belongs to %s, with all experiments to %s", r.Key, r.Experiment, keys[r.Key])
		}
		if r.Experiment == "a" {
			shared++
		}
	}
	if shared != 4 {
		t.Errorf("%d runs of b are those of a, want 4", shared)
	}
	quick, err := st.Expand(Select{Quick: true})
	if err != nil || len(quick) != 2 {
		t.Errorf("quick: %d runs, %v; want those of b with one seed", len(quick), err)
	}
	if _, err := st.Expand(Select{Only: []string{"c"}}); err == nil || !strings.Contains(err.Error(), "the study has a, b") {
		t.Errorf("an experiment that is not there: %v", err)
	}
}

// TestSeedsOfDatasets checks that a dataset is learned from once, because no seed changes it, and with jitter once for each seed.
func TestSeedsOfDatasets(t *testing.T) {
	for data, want := range map[string]int{"{dataset: demo}": 1, "{dataset: demo, jitter: 0.1}": 3, "{nodes: [5], degree: [2], samples: 80}": 3} {
		st := read(t, "name: s\ntitle: S\nmethods: {order: {method: order}}\nexperiments:\n  - {name: a, title: A, data: ["+data+"], methods: [order], seeds: [4, 5, 6]}\n")
		runs, err := st.Expand(Select{})
		if err != nil || len(runs) != want || runs[0].Seed != 4 {
			t.Errorf("%s: %d runs, %v, want %d", data, len(runs), err, want)
		}
	}
}

// TestKey checks that the key depends on everything that determines a result and on nothing else.
func TestKey(t *testing.T) {
	base := read(t, tiny).runs(&read(t, tiny).Experiments[0], false)[0]
	if base.key() != base.Key {
		t.Fatal("the key is not reproduced")
	}
	relabelled := base
	relabelled.Experiment, relabelled.MethodName, relabelled.Label, relabelled.Point.label = "x", "y", "z", "z"
	if relabelled.key() != base.Key {
		t.Error("a label changes the key")
	}
	for name, change := range map[string]func(*Run){
		"seed":     func(r *Run) { r.Seed++ },
		"protocol": func(r *Run) { r.Protocol = "standardize" },
		"setting":  func(r *Run) { r.Method, r.Set = "polydag-geo", Settings{"l1": "0.5"} },
		"samples":  func(r *Run) { r.Point.Samples++ },
		"trace":    func(r *Run) { r.Trace = true },
	} {
		r := base
		change(&r)
		if r.key() == base.Key {
			t.Errorf("%s does not change the key", name)
		}
	}
	unused, plain := base, base
	unused.Method, unused.Set = "polydag-geo", Settings{"htol": "0.5"} // a setting of the other schedule
	plain.Method, plain.Set = "polydag-geo", nil
	if unused.key() != plain.key() {
		t.Error("a setting that the method does not read changes the key")
	}
	// Frozen: a change here makes every record of every user's folder worthless.
	cycle := Run{Kind: KindCycle, Point: Point{Generator: "sim", Graph: "er", Nodes: 17, Degree: 4, Samples: 1000}, Seed: 1}
	if got := cycle.key(); got != "5bd1852a8330c199" {
		t.Errorf("key %s", got)
	}
}

func TestCanceled(t *testing.T) {
	st := read(t, tiny)
	runs := must.Get(st.Expand(Select{Only: []string{"a"}}))
	j := must.Get(OpenJournal(filepath.Join(t.TempDir(), "records.jsonl")))
	defer j.Close()
	ctx, cancel := context.WithCancel(context.Background())
	out, err := Execute(ctx, runs, j, Execution{Jobs: 2, Progress: func(p RunDone) {
		if p.Done == 3 {
			cancel()
		}
		if p.Total != len(runs) || p.Left < 0 || p.Left > time.Hour {
			t.Errorf("progress %+v", p)
		}
	}})
	if err == nil || out.Ran >= len(runs) || out.Ran != len(j.Records()) {
		t.Errorf("%v after %+v with %d records of %d", err, out, len(j.Records()), len(runs))
	}
}

// TestTornLine checks that the journal continues after the complete lines, whatever a crash leaves of the last
// line.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	_, recs := execute(t, read(t, tiny), Select{Only: []string{"cycle"}}, dir, "", 1)
	path := filepath.Join(dir, "records.jsonl")
	whole := must.Get(os.ReadFile(path))
	start := bytes.IndexByte(whole, '\n') + 1
	for cut := start; cut < len(whole); cut += 7 {
		must.Succeed(t, os.WriteFile(path, whole[:cut], 0o644))
		j, err := OpenJournal(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if j.Torn() != (cut > start) || len(j.Records()) != 1 || !j.has(recs[0].Key, 0) || j.has(recs[1].Key, 0) {
			t.Fatalf("cut at %d: torn %v, %d records", cut, j.Torn(), len(j.Records()))
		}
		must.Succeed(t, j.Append(recs[1]))
		j.Close()
		if got, _ := os.ReadFile(path); !bytes.Equal(got, whole) {
			t.Fatalf("cut at %d: the file is not mended", cut)
		}
	}
	zeros := slices.Concat(whole[:start], make([]byte, 20), []byte("\n"))
	if recs, n, err := parseLines(zeros, "record", (*Record).check); err != nil || n != start || len(recs) != 1 {
		t.Errorf("a line of zeros: %d records, %d bytes, %v", len(recs), n, err)
	}
	bad := slices.Concat(whole[:start], []byte("{\n"), whole[start:])
	if _, _, err := parseLines(bad, "record", (*Record).check); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a bad line in the middle: %v", err)
	}
	var r map[string]any
	if err := json.Unmarshal(whole[:start], &r); err != nil || r["schema"] != RecordSchema || r["machine"] == nil || r["versions"] == nil {
		t.Errorf("record %v: %v", r, err)
	}
}

func TestReadReportsFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                "empty",
		"name: x\nfoo: 1": "line 2",
		"name: x":         "no experiments",
		"methods: {m: {method: magic}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m]}]":                                `method "magic" is unknown`,
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{nodes: [1]}], methods: [m]}]":                                 "nodes 1",
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [n]}]":                                 `method "n" is not among`,
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m], columns: [f2]}]":                  `column "f2" is unknown`,
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m], protocols: [cooked]}]":            `protocol "cooked"`,
		"methods: {m: {method: auto}}\nexperiments: [{name: a/b, data: [{nodes: [5]}], methods: [m]}]":                               "file names",
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{dataset: csv}], methods: [m]}]":                               "needs a file",
		"methods: {m: {method: auto, set: {k: 5}}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m]}]":                    "there is no setting k",
		"methods: {m: {method: polydag-geo, set: {k: x}}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m]}]":             "or d",
		"methods: {m: {method: polydag-geo, set: [k]}}\nexperiments: [{name: a, data: [{nodes: [5]}], methods: [m]}]":                "want settings as name: value",
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{generator: released, graph: sf, nodes: [5]}], methods: [m]}]": "no scale-free",
		"methods: {m: {method: auto}}\nexperiments: [{name: a, data: [{dataset: demo, truth: [ab]}], methods: [m]}]":                 "from->to",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
