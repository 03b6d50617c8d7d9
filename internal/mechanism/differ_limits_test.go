package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// halves returns the numbers of the first a rows and of the rest of n.
func halves(a, n int) (first, second []int) {
	for i := range n {
		if i < a {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	return first, second
}

// A mechanism is tested with at least four rows in both sets. A p-value is at most 1.
func TestRowsOfADifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	g := graph.New(2)
	g.AddEdge(0, 1)
	for rows, tested := range map[int]bool{3: false, 4: true} {
		columns := make([][]float64, 2)
		for i := range 40 + rows {
			shift := 0.0
			if i < rows {
				shift = 1000
			}
			x := rng.NormFloat64()
			columns[0], columns[1] = append(columns[0], x), append(columns[1], x+shift+rng.NormFloat64())
		}
		a, b := halves(rows, 40+rows)
		d, err := Differ(score.LinearEffects, g, New(columns, make([][]float64, 2)), a, b, 1)
		if err != nil || (d.P < 1e-3) != tested || d.P > 1 {
			t.Errorf("%d rows: p = %v, %v, want a test: %v", rows, d.P, err, tested)
		}
	}
	// The same rows twice: all tests have p = 1, and so does the smallest with Bonferroni's correction.
	var x, y []float64
	for range 2 {
		for i := range 12 {
			x, y = append(x, float64(i)), append(y, float64(i*i%5))
		}
	}
	a, b := halves(12, 24)
	if d, err := Differ(score.LinearEffects, g, New([][]float64{x, y}, make([][]float64, 2)), a, b, 1); err != nil || d.P != 1 || d.Size > 1e-9 {
		t.Errorf("the same rows: %+v, %v, want p = 1 and size 0", d, err)
	}
}

// A parent that is constant in one of the sets does not hide another constant. A column that is constant in
// both has no difference.
func TestDifferenceOfConstantColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	g := graph.New(2)
	g.AddEdge(0, 1)
	for _, first := range []bool{true, false} {
		columns := make([][]float64, 2)
		for i := range 128 {
			x, shift := float64(i%4*2-3), 0.0
			if (i < 64) == first {
				x, shift = 0, 5 // the mean of the other set: the term is 0
			}
			columns[0], columns[1] = append(columns[0], x), append(columns[1], 2*x+shift+rng.NormFloat64())
		}
		a, b := halves(64, 128)
		d, err := Differ(score.LinearEffects, g, New(columns, make([][]float64, 2)), a, b, 1)
		if err != nil || d.P > 1e-6 {
			t.Errorf("a parent that is constant in the first set %v: p = %v, %v, want a difference", first, d.P, err)
		}
	}
	x := make([]float64, 20)
	a, b := halves(10, 20)
	if d, err := Differ(score.LinearEffects, graph.New(1), New([][]float64{x}, make([][]float64, 1)), a, b, 0); err != nil || d.P != 1 || d.Size != 0 {
		t.Errorf("a constant column: %+v, %v, want p = 1 and size 0", d, err)
	}
}

// Rows are joined to distinct ones unless most rows differ from those before.
func TestNumberOfDistinctRows(t *testing.T) {
	for rows, joined := range map[int]bool{6: true, 5: false} { // three of the four distinct rows come before the last
		var x, y []float64
		for i := range rows {
			x, y = append(x, float64(i%2)), append(y, float64(i/2%2))
		}
		d := New([][]float64{x, y}, [][]float64{{0, 1}, {0, 1}})
		if got := d.distinct().rows != nil; got != joined {
			t.Errorf("4 of %d rows are distinct: joined %v, want %v", rows, got, joined)
		}
	}
}

// Under a discrete model every column has levels. Under a mixed and a flexible one categorical and binary columns have, and only categorical
// ones are nominal.
func TestLevelsByModel(t *testing.T) {
	var number []float64
	var flag []float64
	var color []string
	for i := range 30 {
		number, flag, color = append(number, float64(i)+0.5), append(flag, float64(i%2)), append(color, []string{"red", "green", "blue"}[i%3])
	}
	table := must.Get(polydag.FromColumns(polydag.Column{Name: "number", Numbers: number}, polydag.Column{Name: "flag", Numbers: flag}, polydag.Column{Name: "color", Text: color}))
	for model, want := range map[score.Effects][3]int{
		score.LinearEffects: {0, 0, 0}, score.SmoothEffects: {0, 0, 0}, score.MixedEffects: {0, 2, 3}, score.FlexibleEffects: {0, 2, 3}, score.TableEffects: {30, 2, 3},
	} {
		d := must.Get(Read(t.Context(), table, model, nil))
		for v, k := range want {
			if len(d.Levels[v]) != k || d.categorical[v] != (v == 2) {
				t.Errorf("%s: column %d has %d levels and is nominal: %v, want %d levels", model, v, len(d.Levels[v]), d.categorical[v], k)
			}
		}
		again, err := Read(t.Context(), table, score.LinearEffects, d)
		if err != nil || len(again.Levels[1]) != want[1] {
			t.Errorf("%s: rows of a sample have %d levels, %v, want those of the table", model, len(again.Levels[1]), err)
		}
	}
}

// The logit minimizes -log-likelihood + 0.1·β²/2. Without parents and with two levels its weight solves n·p - k + 0.1·β = 0.
func TestPriorOfALogit(t *testing.T) {
	for _, ones := range []int{0, 3, 9} {
		const n = 12
		column := make([]float64, n)
		for i := range ones {
			column[i] = 1
		}
		f := must.Get(Fit(score.MixedEffects, graph.New(1), New([][]float64{column}, [][]float64{{0, 1}}), 0))
		low, high := -50.0, 50.0
		for range 200 {
			beta := (low + high) / 2
			if n/(1+math.Exp(-beta))-float64(ones)+0.1*beta > 0 {
				high = beta
			} else {
				low = beta
			}
		}
		near(t, "probability", f.At(nil)[1], 1/(1+math.Exp(-low)), 1e-5)
	}
}

// Two sets of five rows of a column without parents, with means 2 and 4 and squared deviations that add up to 10: HC3 divides each
// deviation by 1 - 1/5, so that the variance of a mean is 10/(25·0.8²), and the Wald statistic is 2²/(2·0.625) with one degree of
// freedom. Bonferroni's correction covers seven functions: the residual and its size, the three values that occur twice, and the scores of
// the other rows with their size. All ten rows have the variance 3.
func TestDifferWithoutParents(t *testing.T) {
	all := New([][]float64{{0, 1, 2, 3, 4, 2, 3, 4, 5, 6}}, [][]float64{nil})
	got := must.Get(Differ(score.LinearEffects, graph.New(1), all, []int{0, 1, 2, 3, 4}, []int{5, 6, 7, 8, 9}, 0))
	near(t, "p-value", got.P, 7*math.Erfc(math.Sqrt(3.2/2)), 1e-6)
	near(t, "size", got.Size, 2/math.Sqrt(3), 1e-6)
}
