package lingam

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestTogether adds a parent that gains at least a quarter of its penalty in the regression on all earlier columns, from four rows per
// column. With x and z of correlation r, and v of correlations a and b with them, 1 - R² = 1 - (a² + b² - 2abr)/(1 - r²); without x it is
// 1 - b².
func TestTogether(t *testing.T) {
	const r, a, b, n = 0.6, 0.3, 0.1, 100.0
	corr := matrix.New[float64](3, 3)
	for i, row := range [][]float64{{1, a, b}, {a, 1, r}, {b, r, 1}} {
		copy(corr.Row(i), row)
	}
	left := 1 - (a*a+b*b-2*a*b*r)/(1-r*r)
	gain := []float64{n * math.Log((1-b*b)/left), n * math.Log((1-a*a)/left)} // score gains of columns 1 and 2
	for _, c := range []struct {
		price   float64
		parents []int
		want    []int
	}{
		{gain[0] / 0.26, nil, []int{1}}, {gain[0] / 0.24, nil, nil}, {gain[1] / 0.26, nil, []int{1, 2}}, {gain[1] / 0.24, nil, []int{1}},
		{gain[0] / 0.26, []int{1}, []int{1}}, {gain[0] / 0.24, []int{2}, []int{2}},
	} {
		p := &Pruner{R: corr, N: n, Price: c.price}
		if got := p.together(0, []int{1, 2}, c.parents); !slices.Equal(got, c.want) {
			t.Errorf("penalty %v: %v, want %v", c.price, got, c.want)
		}
	}
	for rows, want := range map[float64][]int{7: nil, 8: {1, 2}} {
		if got := (&Pruner{R: corr, N: rows, Price: 1e-9}).together(0, []int{1, 2}, nil); !slices.Equal(got, want) {
			t.Errorf("%v rows: %v, want %v", rows, got, want)
		}
	}
}

// TestRequiredParents checks that a required parent stays although it explains nothing.
func TestRequiredParents(t *testing.T) {
	r := matrix.Of(2, 2, []float64{1, 0, 0, 1})
	s := must.Get(score.NewGaussianLocal(r, 100, math.Log(100)))
	p := &Pruner{R: r, N: 100, Price: s.Price(), Eval: s.Evaluator(), Allowed: func(int, int) bool { return true }, Required: func(from, to int) bool { return from == 0 && to == 1 }}
	must.Same(t, fmt.Sprint(p.Along(t.Context(), []int{0, 1}).Edges()), "[{0 1}]", "edges")
}
