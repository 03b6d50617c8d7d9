package study

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

const byRows = `
name: rows
title: Rows
methods:
  auto: {method: auto}
experiments:
  - name: moments
    title: Moments
    data: [{dataset: csv, file: levels.csv}]
    methods: [auto]
    columns: [model, edges]
  - name: rows
    title: With rows
    data: [{dataset: csv, file: levels.csv}, {dataset: csv, file: absent.csv}]
    methods: [auto]
    rows: true
    halves: true
    columns: [model, edges, half_edges, alike, turned, certain_alike, certain_turned]
`

// levels has a → c ← b in 0 and 1 with every row twice in succession, so that both halves are the same table.
func levels() string {
	rng := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	s.WriteString("a,b,c\n")
	for range 400 {
		a, b, c := rng.IntN(2), rng.IntN(2), rng.IntN(2)
		if rng.Float64() < 0.8 {
			c = a | b
		}
		line := fmt.Sprintf("%d,%d,%d\n", a, b, c)
		s.WriteString(line + line)
	}
	return s.String()
}

// TestRowsAndHalves checks that an experiment on rows chooses the model by the column kinds and records the
// agreement of halves.
func TestRowsAndHalves(t *testing.T) {
	data := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(data, "levels.csv"), []byte(levels()), 0o644))
	st := read(t, byRows)
	outcome, recs := execute(t, st, Select{}, t.TempDir(), data, 1)
	if len(recs) != 2 || recs[0].Key == recs[1].Key || !strings.Contains(outcome.Without["csvabsent.csv"], "absent.csv") {
		t.Fatalf("%d records, without %v", len(recs), outcome.Without)
	}
	for _, rec := range recs {
		if rec.Experiment == "moments" {
			if rec.Model != "linear" || rec.Halves != nil {
				t.Errorf("from moments: model %s, halves %v", rec.Model, rec.Halves)
			}
			continue
		}
		// Equal halves agree in all edges. Each row occurs twice, so the check of independent rows fails and no
		// direction is stated.
		if want := (&Halves{Edges: [2]int{2, 2}, Alike: 2}); rec.Model != "discrete" || rec.Edges != 2 || !reflect.DeepEqual(rec.Halves, want) {
			t.Errorf("from rows: model %s, %d edges, halves %+v", rec.Model, rec.Edges, rec.Halves)
		}
		if rec.Seconds["halves"] <= 0 || rec.Seconds["solve"] <= 0 {
			t.Errorf("times %v", rec.Seconds)
		}
		for _, e := range rec.Graph {
			if e.Gain <= 0 || e.Weight != 0 {
				t.Errorf("%+v", e)
			}
		}
	}
	var b bytes.Buffer
	must.Succeed(t, Report(&b, st, Select{}, recs, "figures"))
	for _, want := range []string{
		"| data | method | model | edges | edges of a half | in both halves, alike | in both, reversed | certain in both, alike | certain in both, reversed | runs |",
		"| csvlevels.csv | auto | discrete | 2 | 2.0 | 2 | 0 | 0 | 0 | 1 |",
		"| csvabsent.csv | auto | – | – |",
		"needs absent.csv",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %s\n%s", want, b.String())
		}
	}
}

func TestCompareHalves(t *testing.T) {
	edge := func(from, to string, certain bool) polydag.Edge {
		e := polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->"}
		if e.Verdict = polydag.Undirected; certain {
			e.Verdict = polydag.Directed
		}
		return e
	}
	a := []polydag.Edge{edge("a", "b", true), edge("b", "c", true), edge("c", "d", true), edge("d", "e", true), edge("a", "e", false)}
	b := []polydag.Edge{edge("a", "b", true), edge("c", "b", true), edge("c", "d", false), edge("e", "d", false), edge("b", "e", true), edge("x", "y", true)}
	want := &Halves{Edges: [2]int{5, 6}, Alike: 2, Reversed: 2, CertainAlike: 1, CertainReversed: 1}
	if got := compareHalves(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := compareHalves(b, a); got.Alike != 2 || got.Reversed != 2 || got.CertainAlike != 1 || got.CertainReversed != 1 {
		t.Errorf("the other way round: %+v", got)
	}
}

// TestEvery checks that the halves have every row once.
func TestEvery(t *testing.T) {
	table, _, err := load(t.Context(), "", "demo", "", nil)
	must.Succeed(t, err)
	one, two := every(table, 0, 2), every(table, 1, 2)
	if one.Rows.Rows+two.Rows.Rows != table.Rows.Rows {
		t.Fatalf("%d and %d rows of %d", one.Rows.Rows, two.Rows.Rows, table.Rows.Rows)
	}
	for i := range table.Rows.Rows {
		half := one
		if i%2 == 1 {
			half = two
		}
		if !slices.Equal(table.Rows.Row(i), half.Rows.Row(i/2)) {
			t.Fatalf("row %d is not where it belongs", i)
		}
	}
}

func TestHalvesNeedRows(t *testing.T) {
	_, err := Read(strings.NewReader(strings.Replace(byRows, "    rows: true\n", "", 1)))
	if err == nil || !strings.Contains(err.Error(), "write rows: true") {
		t.Errorf("%v", err)
	}
}
