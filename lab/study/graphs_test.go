package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestGraphFile checks that graphs survive a round trip, that an incomplete last line is removed, and that a
// duplicate graph counts once.
func TestGraphFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graphs.jsonl")
	if graphs, err := ReadGraphs(path); graphs != nil || err != nil {
		t.Errorf("no file: %v, %v", graphs, err)
	}
	edges := []polydag.Edge{{Link: polydag.Link{From: "a", To: "c, d"}, Weight: 0.123456}, {Link: polydag.Link{From: "ü", To: "a"}, Weight: -2e-9}, {Link: polydag.Link{From: "ü", To: "c, d"}, Weight: 3}}
	write := func(key string, edges []polydag.Edge) {
		t.Helper()
		f := must.Get(openGraphs(path))
		defer f.f.Close()
		must.Succeed(t, f.append(newGraph(key, edges)))
	}
	write("one", edges)
	write("empty", nil)
	text := must.Get(os.ReadFile(path))
	must.Succeed(t, os.WriteFile(path, append(text, `{"key":"torn","na`...), 0o644))
	write("one", edges)
	graphs, err := ReadGraphs(path)
	if err != nil || len(graphs) != 2 {
		t.Fatalf("%d graphs, %v", len(graphs), err)
	}
	if got := fmt.Sprint(graphs["one"].edges()); got != "[a→c, d: 0.1235 ü→a: -2e-09 ü→c, d: 3]" {
		t.Error(got)
	}
	if !reflect.DeepEqual(graphs["one"].Names, []string{"a", "c, d", "ü"}) || len(graphs["empty"].edges()) != 0 {
		t.Errorf("%+v %+v", graphs["one"], graphs["empty"])
	}
}

func TestGraphFileFaults(t *testing.T) {
	for text, want := range map[string]string{
		"x\n{}\n": "line 1 is not a graph",
		`{"key":"k","names":["a"],"from":[0],"to":[1],"weight":[1]}` + "\n":      "an edge 0 → 1, and 1 names",
		`{"key":"k","names":["a","b"],"from":[0],"to":[1],"weight":[]}` + "\n":   "1, 1 and 0 entries",
		`{"key":"k","names":["a","b"],"from":[-1],"to":[1],"weight":[1]}` + "\n": "an edge -1 → 1",
	} {
		path := filepath.Join(t.TempDir(), "graphs.jsonl")
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := ReadGraphs(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := openGraphs(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := openGraphs(filepath.Join(t.TempDir(), "nosuch", "g")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestReproductionGraphs checks that every learned run of the committed study has a graph with the number of
// edges of its record.
func TestReproductionGraphs(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "evidence", "reproduction")
	recs := must.Get(ReadRecords(filepath.Join(folder, "records.jsonl")))
	graphs := must.Get(ReadGraphs(filepath.Join(folder, "graphs.jsonl")))
	if len(recs) == 0 || len(graphs) == 0 {
		t.Fatalf("%d records, %d graphs", len(recs), len(graphs))
	}
	for _, r := range recs {
		if r.Kind == KindCost || r.Kind == KindCycle || r.Status == StatusError {
			continue
		}
		g := graphs[r.Key]
		if g == nil {
			t.Errorf("no graph of %s", r.Key)
			continue
		}
		if got := len(g.From); got != r.Edges-r.Cut {
			t.Errorf("%s: the graph has %d edges, its record %d", r.Key, got, r.Edges-r.Cut)
		}
		delete(graphs, r.Key)
	}
	for key := range graphs {
		t.Errorf("the graph of %s has no record", key)
	}
}

func TestCommit(t *testing.T) {
	build := func(settings ...debug.BuildSetting) string { return commitOf(&debug.BuildInfo{Settings: settings}) }
	revision, modified := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	if got := build(revision); got != "abc" {
		t.Error(got)
	}
	if got := build(modified, revision); got != "abc+changes" {
		t.Error(got)
	}
	if got := build(); got != "unknown" {
		t.Error(got)
	}
	if ThisVersion().Commit == "" {
		t.Error("a record would not say its commit")
	}
	// A record from before the field has the known part.
	recs, _, err := parseLines([]byte(`{"schema":"`+RecordSchema+`","key":"k"}`+"\n"), "record", (*Record).check)
	if err != nil || recs[0].Versions.Commit != "unknown" {
		t.Errorf("%+v, %v", recs, err)
	}
}

// edges lists the named edges with their weights.
func (g *Graph) edges() (list []string) {
	for k, weight := range g.Weight {
		list = append(list, fmt.Sprintf("%s→%s: %v", g.Names[g.From[k]], g.Names[g.To[k]], weight))
	}
	return list
}
