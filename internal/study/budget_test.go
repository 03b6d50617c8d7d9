package study

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
	runs, err := st.Expand(Select{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		budget time.Duration
		ran    int
		left   float64 // the rest of the budget in the record
	}{{10 * time.Millisecond, 1, 0.01}, {10 * time.Millisecond, 0, 0.01}, {0, 1, 0}, {time.Minute, 0, 0}} {
		j, err := OpenJournal(file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Execute(t.Context(), runs, j, Execution{Jobs: 1, Budget: step.budget})
		if err != nil {
			t.Fatal(err)
		}
		recs := j.Records()
		if out.Ran != step.ran || len(recs) != 1 || recs[0].BudgetSeconds != step.left {
			t.Errorf("budget %v: %d runs, records %+v", step.budget, out.Ran, recs)
		}
		rows := Tables(st, Select{}, recs)[0].Rows
		if said := rows[0][len(rows[0])-1]; strings.Contains(said, "1 stopped after 0.01 s") != (step.left > 0) {
			t.Errorf("budget %v: the table says %q", step.budget, said)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
