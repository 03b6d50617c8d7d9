package trust

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
)

// Rows are not independent if more than 1 % of those compared repeat an earlier one and a column has many values.
func TestRepeatedRowsAreDependent(t *testing.T) {
	for _, c := range []struct {
		repeated, of, distinct int
		want                   bool
	}{{11, 1000, 100, true}, {10, 1000, 100, false}, {11, 1000, 99, false}, {11, 0, 100, false}} {
		e := namesOnly("x")
		e.Profile = &dataset.Profile{RepeatedRows: c.repeated, RepeatedOf: c.of}
		j := &judging{Evidence: e, why: "no rows", profile: map[string]*dataset.ColumnProfile{"x": {Kind: "number", Distinct: c.distinct}}}
		if got := fails(j.rows(), RepeatedRows); got != c.want {
			t.Errorf("%d of %d rows repeat, %d values: dependent %v, want %v", c.repeated, c.of, c.distinct, got, c.want)
		}
	}
}

// Grouped rows have a weight below 1, and their dependence cannot be checked, unless the weight is that of filled values.
func TestRowsOfGroups(t *testing.T) {
	for _, c := range []struct {
		weight, sample float64
		want           CheckOutcome
	}{{0, 0, NotChecked}, {1, 0, NotChecked}, {0.5, 0, Untestable}, {0.5, 0.5, NotChecked}} {
		e := namesOnly("x")
		e.RowWeight, e.Sample = c.weight, &dataset.Sample{Columns: 1, Weight: c.sample}
		if got := (&judging{Evidence: e, why: "no rows"}).rows().Outcome; got != c.want {
			t.Errorf("rows of weight %v, of the sample %v: %s, want %s", c.weight, c.sample, got, c.want)
		}
	}
}

// Rows of a frequency table have no order, and they repeat by construction, so neither is evidence of dependence.
func TestRowsOfFrequencies(t *testing.T) {
	const n = 200
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = float64(i/10), math.Cos(float64(i/10))
	}
	e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
	e.Profile = &dataset.Profile{Columns: []dataset.ColumnProfile{{Name: "x"}, {Name: "y"}}, RepeatedRows: 180, RepeatedOf: n}
	for frequencies, want := range map[string]CheckOutcome{"": Failed, "Freq": Untestable} {
		e.Profile.Frequencies = frequencies
		if a := newJudging(e, Model{Graph: graph.New(2)}).rows(); a.Outcome != want {
			t.Errorf("frequencies %q: %s, want %s", frequencies, a.Outcome, want)
		}
		found := slices.ContainsFunc(Examine(e.Moments, e.Profile).Findings, func(f Finding) bool { return f.Code == RepeatedRows })
		if found != (frequencies == "") {
			t.Errorf("frequencies %q: repeated rows reported: %v", frequencies, found)
		}
	}
}

// Columns that the model does not describe may depend on earlier rows. The sentence has the largest correlation of the others.
func TestNeighboursOfInputs(t *testing.T) {
	const n = 200
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = math.Sin(float64(i)/20), math.Cos(float64(i*i))
	}
	e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
	if a := newJudging(e, Model{Graph: graph.New(2)}).rows(); !fails(a, AlikeNeighbours) {
		t.Errorf("a slow wave has independent rows: %s", a.Sentence)
	}
	a := newJudging(e, Model{Graph: graph.New(2), Inputs: []bool{true, false}}).rows()
	if a.Outcome != Passed || !strings.HasSuffix(a.Statement, "given earlier values") {
		t.Errorf("only an input has dependent rows: %s: %s", a.Outcome, a.Sentence)
	}
}
