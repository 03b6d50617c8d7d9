package mechanism

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// withTargets returns rows of two columns in three environments: without interventions, with one on column 0, and with one on column 1.
func withTargets() *Rows {
	d := New([][]float64{{1, 2, 3, 4, 5}, {0, 1, 0, 1, 1}}, [][]float64{nil, {0, 1}})
	d.environment, d.targets = []int{0, 1, 2, 0, 1}, [][]int{nil, {0}, {1}}
	return d
}

// Rows without an intervention are listed, and all rows if every row has one. Selected rows keep the interventions on selected columns.
func TestRowsWithInterventions(t *testing.T) {
	d := withTargets()
	if got := d.Untouched(); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("rows without an intervention: %v, want 0 and 3", got)
	}
	if got := d.Select(nil, []int{1, 2, 4}).Untouched(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("rows that all have an intervention: %v, want all", got)
	}
	if got := New([][]float64{{1, 2}}, [][]float64{nil}).Untouched(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("rows of a single environment without an intervention: %v, want all", got)
	}
	one := d.Select([]int{1}, []int{4, 2, 2})
	if got := one.Columns[0]; !slices.Equal(got, []float64{1, 0, 0}) || !slices.Equal(one.Levels[0], []float64{0, 1}) {
		t.Errorf("selected values %v of the levels %v, want 1, 0, 0 of 0 and 1", got, one.Levels[0])
	}
	for i, want := range []bool{true, false, false} {
		if one.tells(0, i) != want {
			t.Errorf("row %d has no intervention on the selected column: %v, want %v", i, one.tells(0, i), want)
		}
	}
	both := d.join(d.Select(nil, []int{2}))
	if both.N != 6 || both.Columns[0][5] != 3 || both.tells(1, 5) || !both.tells(0, 5) {
		t.Errorf("joined rows: %d, the last %v", both.N, both.Columns[0])
	}
	g := graph.New(2)
	g.AddEdge(0, 1)
	if x := d.Family(g, 1); x.Rows != 4 || x.At(2, 0) != 1 || x.At(2, 1) != 4 {
		t.Errorf("the rows of the second column are %v, want all but the third", x.Data)
	}
}

// A code is the place among the levels, -1 for another value. Sorted values are ascending.
func TestCodesAndSortedValues(t *testing.T) {
	d := New([][]float64{{3, 1, 2}}, [][]float64{{1, 2, 3}})
	for x, want := range map[float64]int{1: 0, 3: 2, 2.5: -1, 9: -1} {
		if got := d.Code(0, x); got != want {
			t.Errorf("the code of %v is %d, want %d", x, got, want)
		}
	}
	if got := d.Sorted(0); !slices.Equal(got, []float64{1, 2, 3}) || d.Columns[0][0] != 3 {
		t.Errorf("sorted values %v", got)
	}
}

// Rows with weights need two levels of every column with a weight. They give the tables of repeated rows.
func TestCountedRows(t *testing.T) {
	columns := [][]float64{{0, 1, 2, 0, 1, 2, 1, 0}, {0, 1, 0, 1, 0, 1, 1, 1}}
	for what, c := range map[string]struct {
		times []int
		valid bool
	}{
		"all":               {[]int{1, 1, 1, 1, 1, 1, 1, 1}, true},
		"repeated":          {[]int{2, 0, 3, 0, 0, 0, 1, 0}, true},
		"one level":         {[]int{1, 0, 1, 0, 1, 0, 0, 0}, false},
		"one row":           {[]int{0, 0, 0, 0, 0, 0, 4, 0}, false},
		"none":              {make([]int, 8), false},
		"the last two rows": {[]int{0, 0, 0, 0, 1, 0, 0, 1}, true},
	} {
		d := New(columns, [][]float64{{0, 1, 2}, {0, 1}})
		for _, joined := range []bool{false, true} {
			counted := d.counted
			if joined {
				counted = d.Counted
			}
			got, err := counted(c.times)
			if (err == nil) != c.valid || err != nil && !errors.Is(err, dataset.ErrConstant) {
				t.Errorf("%s, joined %v: %v, want valid: %v", what, joined, err, c.valid)
			}
			if err != nil {
				continue
			}
			var rows []int
			for i, k := range c.times {
				rows = append(rows, slices.Repeat([]int{i}, k)...)
			}
			a := must.Get(NewCPT(got, 1, []int{0}))
			b := must.Get(NewCPT(d.Select(nil, rows), 1, []int{0}))
			for k := range 3 {
				if !slices.Equal(a.At([]int{k}), b.At([]int{k})) {
					t.Errorf("%s, joined %v: %v given %d, with repeated rows %v", what, joined, a.At([]int{k}), k, b.At([]int{k}))
				}
			}
		}
	}
}

// A table with more than 2^20 cells has only the configurations that occur. The others have the overall shares, and the probabilities are those
// of the definition.
func TestTableOfManyConfigurations(t *testing.T) {
	const n = 12
	levels, columns := make([][]float64, 4), make([][]float64, 4)
	for j := range 3 {
		for k := range 100 {
			levels[j] = append(levels[j], float64(k))
		}
		for i := range n {
			columns[j] = append(columns[j], float64(i/2*(j+3)%100))
		}
	}
	levels[3] = []float64{0, 1}
	for i := range n {
		columns[3] = append(columns[3], float64(i*i%3%2))
	}
	ones := 0.0
	for _, x := range columns[3] {
		ones += x
	}
	overall := (ones + 0.5) / (n + 1)
	for _, parents := range [][]int{{0, 1}, {0, 1, 2}} { // 20,000 and 2,000,000 cells
		f := must.Get(NewCPT(New(columns, levels), 3, parents))
		if (f.place == nil) != (len(parents) == 2) {
			t.Errorf("%d parents: an index by configuration %v", len(parents), f.place != nil)
		}
		q := math.Pow(100, float64(len(parents)))
		for i := 0; i < n; i += 2 {
			var codes []int
			for _, p := range parents {
				codes = append(codes, int(columns[p][i]))
			}
			want := (columns[3][i] + columns[3][i+1] + overall/q) / (2 + 1/q)
			if got := f.At(codes)[1]; !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("parents %v at %v: %v, want %v", parents, codes, got, want)
			}
		}
		if got := f.At([]int{99, 1, 7}[:len(parents)])[1]; !(math.Abs(got-overall) <= 1e-9) {
			t.Errorf("%d parents: %v for a configuration without rows, want %v", len(parents), got, overall)
		}
	}
}

// A logit has at most 2000 weights. 1002 levels and two terms have 2002.
func TestWeightsOfALogit(t *testing.T) {
	g := graph.New(2)
	g.AddEdge(0, 1)
	levels := make([]float64, 1002)
	for k := range levels {
		levels[k] = float64(k)
	}
	d := New([][]float64{{1, 2, 3}, {0, 1, 0}}, [][]float64{nil, levels})
	if _, err := Fit(score.MixedEffects, g, d, 1); !errors.Is(err, ErrTooWide) {
		t.Errorf("2002 weights: %v, want %v", err, ErrTooWide)
	}
}

// A draw of a linear network is its mean plus the normal quantile of the noise. Columns that are set keep their value, and the others their
// noise.
func TestDrawsOfALinearNetwork(t *testing.T) {
	g := graph.New(2)
	g.AddEdge(0, 1)
	n := LinearNetwork(g, []float64{3, -1}, []float64{4, 0.25}, func(p, v int) float64 { return 2 })
	const z = 1.2815515655446004 // the quantile at 0.9
	for _, c := range []struct {
		v       int
		parents []float64
		u, want float64
	}{{0, nil, 0.5, 3}, {0, nil, 0.9, 3 + 2*z}, {0, nil, 0.1, 3 - 2*z}, {1, []float64{5}, 0.9, 9 + 0.5*z}} {
		if got := n.Draw(c.v, c.parents, c.u); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("column %d at %v: %v, want %v", c.v, c.u, got, c.want)
		}
	}
	if got := n.Draw(0, nil, 0); !(math.Abs(got-(3-2*8.2)) <= 0.1) {
		t.Errorf("the smallest draw is %v, want the quantile at 1e-16, 8.2 standard deviations below the mean", got)
	}
	rows := func(set map[int]float64) (out [][]float64) {
		all := must.Get(n.Sample(t.Context(), 1, 5, set))
		for row := range all {
			out = append(out, slices.Clone(row))
		}
		return out
	}
	plain, set := rows(nil), rows(map[int]float64{0: 10})
	for i := range plain {
		if set[i][0] != 10 || !(math.Abs(set[i][1]-2*10-(plain[i][1]-2*plain[i][0])) <= 1e-9) {
			t.Errorf("row %d is %v, and %v with the first column set to 10", i, plain[i], set[i])
		}
	}
	if len(plain) != 5 {
		t.Errorf("%d rows, want 5", len(plain))
	}
}

// A column with so many parents that their configurations cannot be counted is too wide.
func TestTooManyConfigurations(t *testing.T) {
	for parents, valid := range map[int]bool{62: true, 63: false} {
		columns, levels := make([][]float64, parents+1), make([][]float64, parents+1)
		var set []int
		for v := range columns {
			columns[v], levels[v] = []float64{0, 1, 1}, []float64{0, 1}
			if v > 0 {
				set = append(set, v)
			}
		}
		if _, err := NewCPT(New(columns, levels), 0, set); (err == nil) != valid || err != nil && !errors.Is(err, ErrTooWide) {
			t.Errorf("%d binary parents: %v, want valid: %v", parents, err, valid)
		}
	}
}

// A parent is constant if all of its values are equal, the first two included. Sampling ends with its context.
func TestConstantParents(t *testing.T) {
	g := graph.New(2)
	g.AddEdge(0, 1)
	for what, c := range map[string]struct {
		x    []float64
		want bool
	}{"constant": {[]float64{2, 2, 2}, true}, "second": {[]float64{2, 3, 2}, false}, "last": {[]float64{2, 2, 3}, false}} {
		if got := New([][]float64{c.x, {1, 2, 3}}, make([][]float64, 2)).constantParent(g, 1); got != c.want {
			t.Errorf("%s: constant %v, want %v", what, got, c.want)
		}
	}
	if New([][]float64{{1, 1}, {1, 2}}, [][]float64{{1}, nil}).constantParent(g, 1) {
		t.Error("a category counts as a constant number")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows := must.Get(LinearNetwork(g, make([]float64, 2), []float64{1, 1}, func(p, v int) float64 { return 1 }).Sample(ctx, 1, 100, nil))
	count := 0
	for range rows {
		if count++; count == 3 {
			cancel()
		}
	}
	if count != 3 {
		t.Errorf("%d rows after the context ended at 3", count)
	}
}
