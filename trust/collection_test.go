package trust

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// labelled returns a table of labels of 0 and 1 with its model.
func labelled(t *testing.T, rows [][]float64) (Evidence, Model) {
	t.Helper()
	d := len(rows[0])
	names, kinds, s := make([]string, d), make([]dataset.Variable, d), &dataset.Sample{Columns: d}
	x := matrix.New[float64](len(rows), d)
	for v := range d {
		names[v] = string(rune('a' + v))
		kinds[v] = dataset.Variable{Name: names[v], Kind: dataset.Binary, Levels: 2}
	}
	for i, row := range rows {
		copy(x.Row(i), row)
		s.Values, s.Index = append(s.Values, row...), append(s.Index, i)
	}
	return Evidence{Moments: must.Get(dataset.MomentsOf(names, x, 1)), Sample: s}, Model{Graph: graph.New(d), Effects: score.TableEffects, Kinds: kinds}
}

// TestCollection: rows that are in the table because they have a label are found, and that explains dependence of independent labels, but not
// that of a cause and its effect. Labels that exclude each other are found.
func TestCollection(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	flip := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	var all, chosen, hair [][]float64
	for len(chosen) < 2000 {
		row := make([]float64, 12)
		for v := range row {
			row[v] = flip(0.06)
		}
		row[1] = flip(0.05 + 0.5*row[0])
		all = append(all, row)
		if slices.Max(row) > 0 {
			chosen = append(chosen, row)
		}
		color := make([]float64, 6)
		color[rng.IntN(4)] = 1
		color[4], color[5] = flip(0.3), flip(0.3)
		hair = append(hair, color)
	}
	e, m := labelled(t, all)
	if c := newCollection(e, m); c.selected || len(c.exclusive) > 0 || c.explains(2, 3) {
		t.Errorf("all rows: %+v", c.expected)
	}
	e, m = labelled(t, chosen)
	c := newCollection(e, m)
	if !c.selected || !c.explains(2, 3) || c.explains(0, 1) {
		t.Errorf("chosen rows: selected %v, explains %v and %v", c.selected, c.explains(2, 3), c.explains(0, 1))
	}
	a, ok := c.check(e.Moments.Names)
	if !ok || a.Outcome != Failed || a.Evidence[0].Code != OnlyLabelled || !strings.Contains(a.Sentence, "no row is without a label") {
		t.Errorf("check %+v", a)
	}
	e, m = labelled(t, hair)
	c = newCollection(e, m)
	if c.selected || len(c.exclusive) != 1 || !slices.Equal(c.exclusive[0], []int{0, 1, 2, 3}) || !c.explains(0, 3) || c.explains(0, 4) {
		t.Errorf("labels that exclude each other: %+v", c.exclusive)
	}
	if a, _ := c.check(e.Moments.Names); a.Evidence[0].Code != Exclusive {
		t.Errorf("check %+v", a)
	}
	if m.Kinds = m.Kinds[:2]; newCollection(e, m) != nil {
		t.Error("two columns are a collection")
	}
}

// TestPictures: pictures without a group column are not tested for independence, and count less.
func TestPictures(t *testing.T) {
	var rows [][]float64
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rows = append(rows, []float64{float64(rng.IntN(2)), float64(rng.IntN(2)), float64(rng.IntN(2))})
	}
	for _, c := range []struct {
		pictures, faces, groups bool
		want                    CheckOutcome
		quarter                 bool
	}{{}, {pictures: true, want: Untestable, quarter: true}, {faces: true, want: Untestable}, {pictures: true, faces: true, want: Untestable}, {pictures: true, groups: true}} {
		e, m := labelled(t, rows)
		e.Pictures, e.Faces = c.pictures, c.faces
		if c.groups {
			e.Groups = &dataset.Groups{}
		}
		for _, a := range CheckAssumptions(e, m) {
			if a.Name == IndependentRows && (a.Outcome == Untestable) != (c.want == Untestable) {
				t.Errorf("%+v: %s", c, a.Outcome)
			}
		}
		if e.repeats() != c.quarter {
			t.Errorf("%+v: a quarter %v", c, e.repeats())
		}
	}
}

// TestMeasuredPictures: without a group column, pictures count as a quarter for edges of labels, and fully between measured columns.
func TestMeasuredPictures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](300, 3)
	for i := range x.Rows {
		copy(x.Row(i), []float64{rng.NormFloat64(), rng.NormFloat64(), float64(rng.IntN(2))})
	}
	e, loss := evidenceOf(t, []string{"angle", "shadow", "night"}, x), 40.0
	e.Pictures = true
	m := Model{Graph: graph.New(3), Kinds: []dataset.Variable{{Kind: dataset.Continuous}, {Kind: dataset.Continuous}, {Kind: dataset.Binary}}}
	edge := func(from, to int) Claim {
		own := loss
		return Claim{EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: from, To: to}, EdgeFacts: method.EdgeFacts{Compelled: true, Reversal: &own}}, Directed: true, DeltaBIC: 10, Penalty: 7}
	}
	j := Judge(e, m, nil, []Claim{edge(0, 1), edge(2, 1)})
	if j[0].PAdjacent < 0.9 || j[1].PAdjacent > 0.6 || strings.Contains(j[0].Evidence[0].Text, "a quarter") || !strings.Contains(j[1].Evidence[0].Text, "a quarter") {
		t.Errorf("two measured columns %+v, with a label %+v", j[0], j[1])
	}
	for kind, want := range map[dataset.VariableKind]bool{dataset.Continuous: false, dataset.Count: true} {
		m.Kinds[2].Kind = kind
		for _, a := range CheckAssumptions(e, m) {
			if a.Name == IndependentRows && strings.Contains(a.Sentence, "a quarter") != want {
				t.Errorf("a column of the kind %s: %s", kind, a.Sentence)
			}
		}
	}
}
