package study

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

const checked = `
name: checked
title: Checked
methods:
  geo: {method: polydag-geo, set: {steps: 60}}
  twice: {method: polydag-geo, set: {steps: 60, check_scale: always}}
experiments:
  - name: a
    title: A
    data: [{nodes: [6], degree: [2], samples: 80}]
    protocols: [raw, standardize]
    methods: [geo, twice]
    seeds: [1, 2, 3, 7]
    trace: true
    quick: {seeds: [5, 6]}
`

// TestARecordIsOfOneSolve checks that a record has the time and the trace of one solve. The scale check runs
// only if the grid requests it, and is then not included.
func TestARecordIsOfOneSolve(t *testing.T) {
	runs := must.Get(read(t, checked).Expand(Select{}))
	for _, r := range runs {
		begin := time.Now()
		rec, res, err := r.learn(t.Context(), Execution{})
		whole := time.Since(begin).Seconds()
		must.Succeed(t, err)
		asked := r.MethodName == "twice"
		if (res.ScaleCheck != nil) != asked {
			t.Errorf("%s: the scale check is %v", r.MethodName, res.ScaleCheck)
		}
		want := map[string]bool{"data": true, "moments": true, "solve": true, "solve: polydag-geo": true, "evaluate": true}
		if asked {
			want["scale check"] = true
		}
		for phase := range rec.Seconds {
			if !want[phase] {
				t.Errorf("%s: there is a time of %q", r.MethodName, phase)
			}
			delete(want, phase)
		}
		if len(want) > 0 {
			t.Errorf("%s: no time of %v", r.MethodName, want)
		}
		// The solve includes its own stage. All phases together, including the check, are within the time of
		// the call; a solve that included the check would count it twice. The slack is for six digits.
		sum := rec.Seconds["data"] + rec.Seconds["moments"] + rec.Seconds["solve"] + rec.Seconds["scale check"] + rec.Seconds["evaluate"]
		if rec.Seconds["solve"] < rec.Seconds["solve: polydag-geo"]*(1-1e-5) || sum > whole*(1+1e-5) {
			t.Errorf("%s: the phases are %v in %g s", r.MethodName, rec.Seconds, whole)
		}
		if len(rec.Trace) == 0 || rec.Trace[0].Step != 0 || rec.Trace[len(rec.Trace)-1].Step != rec.Steps {
			t.Errorf("%s: the trace does not go from step 0 to %d: %v", r.MethodName, rec.Steps, rec.Trace)
		}
		for i := 1; i < len(rec.Trace); i++ {
			if rec.Trace[i].Step <= rec.Trace[i-1].Step {
				t.Fatalf("%s: step %d follows step %d: two runs in one trace", r.MethodName, rec.Trace[i].Step, rec.Trace[i-1].Step)
			}
		}
	}
}

// TestScaleCheckIsPartOfTheKey checks that the key includes a requested scale check and is otherwise unchanged.
func TestScaleCheckIsPartOfTheKey(t *testing.T) {
	st := read(t, checked)
	runs := st.runs(&st.Experiments[0], false)
	plain, twice := runs[0], runs[0]
	twice.Set = maps.Clone(twice.Set)
	twice.Set[checkScale] = string(polydag.CheckScaleAlways)
	if twice.key() == plain.Key {
		t.Error("a run with the check has the key of one without")
	}
	if b, err := json.Marshal(usedOf(plain.checked())); err != nil || strings.Contains(string(b), "check") {
		t.Errorf("%s: %v", b, err)
	}
}

// TestJoinedRecordsAreRunAgain checks that records in which an earlier version had joined two solves are not
// used: their runs are run again.
func TestJoinedRecordsAreRunAgain(t *testing.T) {
	st, dir := read(t, checked), t.TempDir()
	_, recs := execute(t, st, Select{Quick: true}, dir, "", 1)
	recs[0].Seconds["solve: scale check: polydag-geo"] = 1
	joined := t.TempDir()
	j := must.Get(OpenJournal(filepath.Join(joined, "records.jsonl")))
	for _, rec := range recs {
		must.Succeed(t, j.Append(rec))
	}
	j.Close()
	if out, again := execute(t, st, Select{Quick: true}, joined, "", 1); out.Ran != 1 || out.Known != len(recs)-1 || len(again) != len(recs) {
		t.Errorf("%+v with %d records, want one run again of %d", out, len(again), len(recs))
	}
}

// TestReportNamesWhatWasUsed checks that the report names the seeds and jobs of its records and no others.
func TestReportNamesWhatWasUsed(t *testing.T) {
	for _, c := range []struct {
		sel  Select
		jobs int
		want string
	}{
		{Select{}, 2, "Seeds 1 to 3, 7; 2 runs at a time, one thread each."},
		{Select{Quick: true}, 1, "Seeds 5, 6; 1 run at a time, one thread each."},
	} {
		st, dir := read(t, checked), t.TempDir()
		_, recs := execute(t, st, c.sel, dir, "", c.jobs)
		var b bytes.Buffer
		must.Succeed(t, Report(&b, st, c.sel, recs, "figures"))
		head, rest, _ := strings.Cut(b.String(), "\n## A\n")
		if !strings.Contains(head, c.want) || !strings.Contains(rest, c.want) {
			t.Errorf("the report does not say %q:\n%s", c.want, b.String())
		}
		if n := strings.Count(b.String(), "at a time, one thread each"); n != 2 {
			t.Errorf("it speaks of jobs %d times, want at its head and in its one experiment", n)
		}
	}
}
