package score

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Blocks need a row, ascending starts, a function of every number, more functions of a curve than crossed ones, and a Gram matrix of their size.
func TestFaultsOfBlocks(t *testing.T) {
	whole := func() *Blocks { // a curve, a constant category, a curve: 2·3 functions and 2² products
		return &Blocks{N: 5, Start: []int{0, 3, 3, 6}, Levels: []bool{false, true, false}, Crossed: 2, Gram: matrix.New[float64](10, 10)}
	}
	must.Succeed(t, whole().Validate())
	for what, change := range map[string]func(*Blocks){
		"no rows":                   func(b *Blocks) { b.N = 0 },
		"too few starts":            func(b *Blocks) { b.Start = b.Start[:3] },
		"the first start":           func(b *Blocks) { b.Start[0] = 1 },
		"a number without function": func(b *Blocks) { b.Levels[1] = false },
		"descending starts":         func(b *Blocks) { b.Start[2] = 2 },
		"too many crossed":          func(b *Blocks) { b.Crossed, b.Gram = 3, matrix.New[float64](15, 15) },
		"negative crossed":          func(b *Blocks) { b.Crossed, b.Gram = -2, matrix.New[float64](10, 10) },
		"no matrix":                 func(b *Blocks) { b.Gram = nil },
		"rows of the matrix":        func(b *Blocks) { b.Gram = matrix.New[float64](9, 10) },
		"columns of the matrix":     func(b *Blocks) { b.Gram = matrix.New[float64](10, 9) },
		"an infinite entry":         func(b *Blocks) { b.Gram.Set(1, 1, math.Inf(1)) },
	} {
		b := whole()
		if change(b); !errors.Is(b.Validate(), ErrBlocks) {
			t.Errorf("%s: %v, want %v", what, b.Validate(), ErrBlocks)
		}
	}
}

// Standardized values have mean 0 and variance 1, whatever the size of the first, the last or the largest. A constant cannot be standardized.
func TestStandardizedValues(t *testing.T) {
	for _, x := range [][]float64{{1, 2, 0}, {0, 2, 1}, {1e300, -1e300, 0}, {-3, -1, -2}} {
		y := append([]float64(nil), x...)
		if !standard(y) {
			t.Errorf("%v cannot be standardized", x)
		}
		mean, square := 0.0, 0.0
		for _, v := range y {
			mean += v / 3
			square += v * v / 3
		}
		if !(math.Abs(mean) <= 1e-12) || !(math.Abs(square-1) <= 1e-12) {
			t.Errorf("%v becomes %v, of mean %v and variance %v", x, y, mean, square)
		}
	}
	for _, x := range [][]float64{{0, 0, 0}, {5, 5, 5}, {1, math.NaN(), 2}, {1, math.Inf(-1), 2}} {
		if standard(append([]float64(nil), x...)) {
			t.Errorf("%v is standardized", x)
		}
	}
}

// A child with one category only, of either code, has a logit without Newton's method.
func TestLogitOfAConstantChild(t *testing.T) {
	for _, cells := range [][]uint32{{5, 0}, {0, 5}} {
		var f logit
		f.reset(2, []int{2})
		f.add([]int32{0}, cells)
		f.add([]int32{1}, cells)
		if f.newton(1e-6) {
			t.Errorf("counts %v: Newton's method is used", cells)
		}
		if l := f.solve(1e-6); !(math.Abs(l) <= 1e-9) {
			t.Errorf("counts %v: log-likelihood %v, want 0", cells, l)
		}
	}
}

// With one or two rows the score of no parents is n·(1 + ln 2π), and no parents are allowed.
func TestScoreOfFewRows(t *testing.T) {
	for n := 1; n <= 3; n++ {
		r := matrix.Of(2, 2, []float64{1, 0.5, 0.5, 1})
		g := must.Get(NewGaussianLocal(r, n, 1))
		e := g.Evaluator()
		must.Near(t, e.Score(0, nil), float64(n)*(1+math.Log(2*math.Pi)), 1e-12, "%d rows", n)
		if got := e.Score(0, []int{1}); !math.IsInf(got, 1) {
			t.Errorf("%d rows and a parent: %v, want +Inf", n, got)
		}
	}
}

// The errors of blocks name the variable, counted from 1, its functions and the numbers wanted.
func TestErrorsOfBlocks(t *testing.T) {
	for _, c := range []struct {
		b    Blocks
		want string
	}{
		{Blocks{N: 5, Start: []int{0, 3}, Levels: make([]bool, 2), Gram: matrix.New[float64](3, 3)}, "2 starts for 2 variables, want 3, the first 0"},
		{Blocks{N: 5, Start: []int{1, 2, 3}, Levels: make([]bool, 2), Gram: matrix.New[float64](3, 3)}, "3 starts for 2 variables, want 3, the first 0"},
		{Blocks{N: 5, Start: []int{0, 3, 3}, Levels: make([]bool, 2), Gram: matrix.New[float64](3, 3)}, "variable 2 owns the functions 3 to 2"},
		{Blocks{N: 5, Start: []int{0, 2, 5}, Levels: make([]bool, 2), Crossed: 2, Gram: matrix.New[float64](9, 9)}, "2 functions of variable 1 are crossed, of 1 beside itself"},
		{Blocks{N: 5, Start: []int{0, 2, 5}, Levels: make([]bool, 2), Crossed: 1, Gram: matrix.New[float64](5, 7)}, "the Gram matrix is 5×7, want 6×6"},
	} {
		if err := c.b.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("starts %v: %v, want %q", c.b.Start, err, c.want)
		}
	}
}
