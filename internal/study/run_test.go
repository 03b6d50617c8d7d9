package study

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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
	if err := os.WriteFile(filepath.Join(data, "mine.csv"), []byte("a,b\n1,2\n2,4.5\n3,5\n4,9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range st.Experiments {
		st.Experiments[i].Figures = nil // drawing takes longer than the runs
	}
	out, recs := execute(t, st, Select{}, dir, data, 1)
	graphs, err := ReadGraphs(filepath.Join(dir, "graphs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*Record{}
	for _, rec := range recs {
		known[rec.Key] = rec
	}
	runs, err := st.Expand(Select{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, r := range runs {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := DecodeRun(text)
		if err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
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
