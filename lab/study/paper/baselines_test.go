package paper

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/study"
)

// TestBaselinesHaveEveryContinuousMethod checks that every continuous method of the program is in the table,
// under both protocols and at both sizes, and so is the default.
func TestBaselinesHaveEveryContinuousMethod(t *testing.T) {
	st, err := Baselines()
	must.Succeed(t, err)
	runs := must.Get(st.Expand(study.Select{}))
	methods := 0
	for k, m := range lab.All() {
		info := m.Info()
		n := len(slices.DeleteFunc(slices.Clone(runs), func(r study.Run) bool { return r.Method != info.Name }))
		want := 0
		if info.Continuous || k == 0 {
			want, methods = 2*2*3, methods+1
		}
		if n != want {
			t.Errorf("%s has %d runs, want %d", info.Name, n, want)
		}
	}
	if methods < 5 || len(runs) != methods*12 {
		t.Errorf("%d runs of %d methods", len(runs), methods)
	}
}

// TestBaselineReferences checks that every published value is a number and belongs to a row of ours; those of
// other methods stay in the file.
func TestBaselineReferences(t *testing.T) {
	st := must.Get(Baselines())
	v := study.NewView(st, study.Select{}, nil)
	for _, ref := range st.References {
		if v.Rows(&ref) == 0 {
			t.Errorf("no row for %+v", ref)
		}
	}
	all := &study.Study{}
	must.Succeed(t, yaml.Unmarshal(baselines, all))
	if len(st.References) == 0 || len(all.References) < len(st.References) {
		t.Errorf("%d of %d references", len(st.References), len(all.References))
	}
	for _, ref := range all.References {
		for m, text := range ref.Values {
			if _, err := study.Number(text); err != nil {
				t.Errorf("%s of %s: %v", m, ref.Method, err)
			}
		}
	}
}

// TestBaselinesRun runs the study and checks that its report has one row per method and columns of published
// numbers.
func TestBaselinesRun(t *testing.T) {
	st, err := Baselines()
	must.Succeed(t, err)
	runs := must.Get(st.Expand(study.Select{Quick: true}))
	runs = slices.DeleteFunc(runs, func(r study.Run) bool {
		return r.Method != "notears-exp" && r.Method != lab.All()[0].Info().Name
	})
	j := must.Get(study.OpenJournal(filepath.Join(t.TempDir(), "records.jsonl")))
	defer j.Close()
	must.Get(study.Execute(t.Context(), runs, j, study.Execution{Jobs: 1}))
	for _, rec := range j.Records() {
		if rec.Status == study.StatusError {
			t.Errorf("%s: %s", rec.Method, rec.Error)
		}
	}
	var b bytes.Buffer
	must.Succeed(t, study.Report(&b, st, study.Select{Quick: true}, j.Records(), "figures"))
	for _, word := range []string{"NOTEARS (h_exp)", "polydag's default", "standardize", "d = 8", "`polydag reproduce --set baselines "} {
		if !strings.Contains(b.String(), word) {
			t.Errorf("the report does not say %q", word)
		}
	}
}
