package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestSpreadStudyIsLocal checks that a study with units of work has the records and graphs of the local one,
// except times, and omits the same data for the same reasons.
func TestSpreadStudyIsLocal(t *testing.T) {
	st, data := read(t, tiny), t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(data, "mine.csv"), []byte("a,b\n1,2\n2,4.5\n3,5\n4,9\n"), 0o644))
	for i := range st.Experiments {
		st.Experiments[i].Figures = nil // drawing takes longer than the runs
	}
	type result struct{ records, graphs, outcome string }
	do := func(runner work.Runner) result {
		runs := must.Get(st.Expand(Select{}))
		dir := t.TempDir()
		j := must.Get(OpenJournal(filepath.Join(dir, "records.jsonl")))
		defer j.Close()
		out := must.Get(Execute(t.Context(), runs, j, Execution{Jobs: 1, Graphs: filepath.Join(dir, "graphs.jsonl"), Load: Folder(data), Runner: runner}))
		var records strings.Builder
		for _, r := range runs {
			for _, rec := range j.Records() {
				if rec.Key == r.Key {
					fmt.Fprintln(&records, timeless(rec))
				}
			}
		}
		graphs := must.Get(ReadGraphs(filepath.Join(dir, "graphs.jsonl")))
		text := must.Get(json.Marshal(graphs))
		return result{records.String(), string(text), fmt.Sprintf("%+v", *out)}
	}
	want := do(nil)
	got := do(work.Pool{Workers: 3, Handlers: work.Handlers{KindRun: Handler(1, 0)}})
	if got != want {
		t.Errorf("spread:\n%+v\nlocal:\n%+v", got, want)
	}
	if !strings.Contains(want.records, `"dataset":"csv"`) && !strings.Contains(want.records, "mine.csv") {
		t.Error("the study has no given data: it was not shipped")
	}
}

func TestTableThroughBytes(t *testing.T) {
	x := matrix.New[float64](3, 2)
	for i := range x.Data {
		x.Data[i] = math.Sqrt(float64(i))
	}
	b := encodeTable(&dataset.NamedRows{Names: []string{"a", "b"}, Rows: x}, []string{"a note"})
	v := must.Get(decodeTable(b))
	back := v.(*shipped)
	if again := encodeTable(back.table, back.notes); string(again) != string(b) {
		t.Error("the table differs")
	}
	for cut := range len(b) {
		if _, err := decodeTable(b[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are taken for a table", cut, len(b))
		}
	}
}

// TestHandlerBoundsMemory checks that every size in the body of a unit is validated before any allocation.
func TestHandlerBoundsMemory(t *testing.T) {
	const limit = 1 << 30
	table := encodeTable(&dataset.NamedRows{Names: []string{"a", "b"}, Rows: matrix.New[float64](1000, 2)}, nil)
	in := work.NewInputs(func(context.Context, string) ([]byte, error) { return table, nil })
	body := func(r Run, table string) json.RawMessage {
		r.Key = r.key()
		text := must.Get(json.Marshal(r))
		b := must.Get(json.Marshal(runBody{text, table}))
		return b
	}
	h := work.Handlers{KindRun: Handler(1, limit)}
	for name, r := range map[string]Run{
		"rows of cost":                  {Kind: KindCost, Point: Point{Nodes: 10, Samples: 1_000_000_000}},
		"rows of learn":                 {Kind: KindLearn, Method: "order", Point: Point{Nodes: 10, Samples: 1_000_000_000}},
		"columns of cost":               {Kind: KindCost, Point: Point{Nodes: 100_000, Samples: 10}},
		"columns beside a dataset":      {Kind: KindCost, Point: Point{Nodes: 100_000, Samples: 10, Dataset: "x"}},
		"columns of a cycle":            {Kind: KindCycle, Point: Point{Nodes: 100_000}},
		"hidden units of many networks": {Kind: KindLearn, Method: "notears-mlp", Set: Settings{"hidden": "1000"}, Point: Point{Nodes: 1000, Samples: 10}},
	} {
		u := must.Get(work.NewUnit(KindRun, body(r, "")))
		if _, err := h.Do(t.Context(), &u, in, limit); !errors.Is(err, work.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	given := body(Run{Kind: KindLearn, Method: "order", Point: Point{Dataset: "csv", File: "x.csv"}}, work.Hash(table))
	if _, err := Handler(1, 1<<10).Do(t.Context(), given, in); !errors.Is(err, work.ErrLimit) {
		t.Errorf("a given table: %v", err)
	}
	if _, err := Handler(1, 0).Do(t.Context(), body(Run{Kind: "other", Point: Point{Nodes: 10, Samples: 1_000_000_000}}, ""), in); err == nil || !strings.Contains(err.Error(), "unknown kind") {
		t.Errorf("an unknown kind: %v", err)
	}
}

// TestHandlerRefuses checks that a refusal of a worker names the problem.
func TestHandlerRefuses(t *testing.T) {
	h := Handler(1, 0)
	for name, body := range map[string]string{
		"a path":        `{"run": {}, "path": "/etc/passwd"}`,
		"no run":        `{"run": {"kind": "learn"}}`,
		"another field": `{"run": {"kind": "cycle", "file": "x"}}`,
		"a string":      `"x"`,
	} {
		if _, err := h.Do(t.Context(), json.RawMessage(body), work.NewInputs(nil)); err == nil {
			t.Errorf("%s is taken", name)
		}
		if _, err := h.Memory(json.RawMessage(body)); err == nil {
			t.Errorf("%s has an estimate", name)
		}
	}
}
