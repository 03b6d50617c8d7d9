package study

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// timeless is a record without what two runs of one program differ in.
func timeless(rec *Record) string {
	c := *rec
	c.Seconds, c.Cost = nil, maps.Clone(c.Cost)
	for name := range c.Cost {
		c.Cost[name] = Cost{}
	}
	text, err := json.Marshal(&c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestRunsThroughJSON encodes every run of a study as JSON, runs it as another process would, and compares the
// record and the graph with Execute. A failure must have the same message.
func TestRunsThroughJSON(t *testing.T) {
	st, data, dir := read(t, tiny), t.TempDir(), t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(data, "mine.csv"), []byte("a,b\n1,2\n2,4.5\n3,5\n4,9\n"), 0o644))
	for i := range st.Experiments {
		st.Experiments[i].Figures = nil // drawing takes longer than the runs
	}
	out, recs := execute(t, st, Select{}, dir, data, 1)
	graphs := must.Get(ReadGraphs(filepath.Join(dir, "graphs.jsonl")))
	known := map[string]*Record{}
	for _, rec := range recs {
		known[rec.Key] = rec
	}
	runs := must.Get(st.Expand(Select{}))
	kinds := map[string]int{}
	for _, r := range runs {
		text := must.Get(json.Marshal(r))
		sent := must.Get(DecodeRun(text))
		if again, err := json.Marshal(sent); err != nil || string(again) != string(text) {
			t.Errorf("%s became %s, %v", text, again, err)
		}
		rec, learned, err := sent.Do(t.Context(), Execution{Jobs: 1, Load: Folder(data)})
		want := known[r.Key]
		if want == nil {
			if err == nil || out.Without[r.Label] != err.Error() {
				t.Errorf("%s: %v, and Execute said %q", text, err, out.Without[r.Label])
			}
			kinds["without data"]++
			continue
		}
		must.Succeed(t, err)
		if got := timeless(rec); got != timeless(want) {
			t.Errorf("the record\n%s\nis not\n%s", got, timeless(want))
		}
		if !reflect.DeepEqual(learned, graphs[r.Key]) {
			t.Errorf("%s: the graph %+v is not %+v", text, learned, graphs[r.Key])
		}
		kinds[r.Kind]++
	}
	for _, kind := range []string{KindLearn, KindCost, KindCycle, "without data"} {
		if kinds[kind] == 0 {
			t.Errorf("the study has no run %s: %v", kind, kinds)
		}
	}
}

// TestDecodeRunRefuses checks that an invalid run, or one of another version, is rejected with a remedy.
func TestDecodeRunRefuses(t *testing.T) {
	st := read(t, tiny)
	r := st.runs(&st.Experiments[0], false)[0]
	text := must.Get(json.Marshal(r))
	other := r
	other.Seed++
	changed, _ := json.Marshal(other)
	other = r
	other.Set = Settings{"no-such": "1"}
	unknown, _ := json.Marshal(other)
	for _, c := range []struct{ text, want string }{
		{"", "not a run"},
		{`{"key": 1}`, "not a run"},
		{strings.Replace(string(text), `"key"`, `"kind of"`, 1), "unknown field"},
		{string(changed), "use the version of polydag that it comes from"},
		{string(unknown), "no-such"},
	} {
		if _, err := DecodeRun([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

const slow = `
name: slow
title: Slow
methods:
  slow: {method: polydag}
experiments:
  - name: a
    title: A
    data: [{nodes: [8], degree: [2], samples: 80}]
    protocols: [raw]
    methods: [slow]
    seeds: [1]
`

// TestBudget checks that a run at its time limit has a record that states it, also in the tables. It is not
// repeated with the same budget, but with a larger one, whose record then counts, also after the file is read
// again.
func TestBudget(t *testing.T) {
	st, file := read(t, slow), filepath.Join(t.TempDir(), "records.jsonl")
	runs := must.Get(st.Expand(Select{}))
	for _, step := range []struct {
		budget time.Duration
		ran    int
		left   float64 // the rest of the budget in the record
	}{{10 * time.Millisecond, 1, 0.01}, {10 * time.Millisecond, 0, 0.01}, {0, 1, 0}, {time.Minute, 0, 0}} {
		j := must.Get(OpenJournal(file))
		out := must.Get(Execute(t.Context(), runs, j, Execution{Jobs: 1, Budget: step.budget}))
		recs := j.Records()
		if out.Ran != step.ran || len(recs) != 1 || recs[0].BudgetSeconds != step.left {
			t.Errorf("budget %v: %d runs, records %+v", step.budget, out.Ran, recs)
		}
		rows := Tables(st, Select{}, recs)[0].Rows
		if said := rows[0][len(rows[0])-1]; strings.Contains(said, "1 stopped after 0.01 s") != (step.left > 0) {
			t.Errorf("budget %v: the table says %q", step.budget, said)
		}
		must.Succeed(t, j.Close())
	}
}

const further = `
name: further
title: Further
methods:
  geo: {method: polydag-geo, set: {steps: 60}}
  on: {method: continuous}
experiments:
  - name: a
    title: A
    data: [{nodes: [12], degree: [6], samples: 60}]
    protocols: [raw]
    methods: [geo, on]
    seeds: [1, 2, 3, 4, 5, 6]
`

// TestARecordIsOfTheAnswerWhereAMethodGoesOn checks that a record has the metrics of the thresholded graph if
// the method only breaks its cycles, and otherwise those of the answer.
func TestARecordIsOfTheAnswerWhereAMethodGoesOn(t *testing.T) {
	runs := must.Get(read(t, further).Expand(Select{}))
	elsewhere := 0
	for _, r := range runs {
		rec, res, err := r.learn(t.Context(), Execution{})
		must.Succeed(t, err)
		left := must.Get(thresholdedGraph(res))
		switch {
		case r.MethodName == "geo":
			if rec.Edges != left.NumEdges() || rec.Cut != len(res.Continuous.Cut) {
				t.Errorf("seed %d: %d edges and %d cut, want %d and %d", r.Seed, rec.Edges, rec.Cut, left.NumEdges(), len(res.Continuous.Cut))
			}
		case wentOn(left, res):
			elsewhere++
			if rec.Edges != res.Graph.NumEdges() || !rec.DAGValid || rec.Thresholded.EdgesEstimated != res.Graph.NumEdges() {
				t.Errorf("seed %d: the record has %d edges, want %d of the answer", r.Seed, rec.Edges, res.Graph.NumEdges())
			}
		}
	}
	if elsewhere == 0 {
		t.Error("the method never went on; this test has nothing to show")
	}
}
