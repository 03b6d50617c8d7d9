package chance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// residual subtracts the projection on an orthonormal basis and returns the remaining sum of squares. If little
// remains, it repeats the step to reduce rounding errors.
func residual(x []float64, basis [][]float64) float64 {
	before := dot(x, x)
	for range 2 {
		for _, b := range basis {
			along := dot(b, x)
			for i, v := range b {
				x[i] -= along * v
			}
		}
		left := dot(x, x)
		if len(basis) == 0 || left > 0.01*before {
			return left
		}
	}
	return dot(x, x)
}

func normalize(x []float64) {
	size := math.Sqrt(dot(x, x))
	for i := range x {
		x[i] /= size
	}
}

// slowCondition is the slow twin of conditions.on: an orthonormal basis of the functions of some columns.
func slowCondition(c *conditions, columns []int) (basis [][]float64) {
	for _, z := range columns {
		for _, f := range c.e.given(c.s, z) {
			f = slices.Clone(f)
			if size := centre(f); size > 0 && residual(f, basis) > leastLeft*size {
				normalize(f)
				basis = append(basis, f)
			}
		}
	}
	return basis
}

// A regression on shared inner products leaves what one on an orthonormal basis leaves, for any sequence of conditions, with columns that
// determine each other, and after functions were forgotten.
func TestConditionsAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	x := related(rng, 70, 6)
	for i := range x.Rows {
		x.Set(i, 3, 2*x.At(i, 1)-x.At(i, 0))
		x.Set(i, 4, float64(i%3))
	}
	fit := basis.NewFit([]string{"a", "b", "c", "d", "e", "f"}, make([]bool, 6))
	must.Succeed(t, fit.Add(x.Data))
	curves := must.Get(fit.Functions(basis.DefaultSettings()))
	levels := make([]bool, 6)
	levels[4] = true
	for _, e := range []Functions{{Levels: make([]bool, 6)}, {Levels: levels, Curves: curves}, {Levels: levels, Curves: curves, Straight: true}} {
		c := newConditions(e, New(input(t, x), 0, nil).some)
		for k, columns := range [][]int{nil, {1}, {0, 1, 3}, {4, 0, 1}, {3, 1, 0, 4}, {0, 1, 2, 3, 4}} {
			if k == 4 {
				clear(c.functions)
			}
			given, slow := c.on(5, columns), slowCondition(c, columns)
			if len(given.functions) != len(slow) {
				t.Fatalf("columns %v: %d functions, want %d", columns, len(given.functions), len(slow))
			}
			got, want := given.rest(column(x, 5)), column(x, 5)
			centre(want)
			residual(want, slow)
			for i := range got {
				near(t, "residual", got[i], want[i], 1e-9)
			}
		}
	}
}

// What a regression leaves is orthogonal to the functions, also if they nearly determine the column.
func TestRestIsOrthogonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	x := matrix.New[float64](30, 6)
	for i := range x.Rows {
		x.Set(i, 5, 1e-7*rng.NormFloat64())
		for j := range 5 {
			x.Set(i, j, rng.NormFloat64())
			x.Set(i, 5, x.At(i, 5)+float64(j+1)*x.At(i, j))
		}
	}
	c := newConditions(Functions{Levels: make([]bool, 6)}, New(input(t, x), 0, nil).some)
	given := c.on(5, []int{0, 1, 2, 3, 4})
	left := given.rest(column(x, 5))
	size := math.Sqrt(dot(left, left))
	if size > 1e-5 {
		t.Errorf("%v is left", size)
	}
	for _, f := range given.functions {
		near(t, "cosine with a function", dot(f, left)/size/math.Sqrt(dot(f, f)), 0, 1e-7)
	}
}

// Functions of other columns are forgotten when there are too many.
func TestForgottenFunctions(t *testing.T) {
	s := &sheet{n: keptFunctions/2 + 1}
	c := newConditions(Functions{}, s)
	c.functions[1], c.functions[2] = [][]float64{nil}, [][]float64{nil}
	c.trim([]int{2})
	if len(c.functions) != 1 || c.functions[2] == nil {
		t.Errorf("%d columns have functions", len(c.functions))
	}
	s.n--
	c.functions[1] = [][]float64{nil}
	if c.trim([]int{2}); len(c.functions) != 2 {
		t.Errorf("%d columns have functions", len(c.functions))
	}
}
