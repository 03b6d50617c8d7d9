package independence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// left is the sum of squares that least squares of column y on the columns of set, one after the other made orthogonal, leaves.
func left(x *matrix.Dense[float64], y int, set []int) float64 {
	column := func(j int) []float64 {
		out, mean := make([]float64, x.Rows), 0.0
		for i := range out {
			mean += x.At(i, j) / float64(x.Rows)
		}
		for i := range out {
			out[i] = x.At(i, j) - mean
		}
		return out
	}
	product := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	var basis [][]float64
	without := func(c []float64) []float64 {
		for _, b := range basis {
			f := product(b, c) / product(b, b)
			for i := range c {
				c[i] -= f * b[i]
			}
		}
		return c
	}
	for _, j := range set {
		basis = append(basis, without(column(j)))
	}
	rest := without(column(y))
	return product(rest, rest)
}

// Explains is the likelihood ratio of two regressions of y itself: on all functions of the condition, and on the first ones of x besides.
// It notices an effect of x on y and, since only y itself is explained, not every effect of y on x.
func TestExplains(t *testing.T) {
	const rows, columns, functions, tested = 300, 3, 4, 2
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](rows, columns*functions)
	for i := range rows {
		v := [columns]float64{rng.NormFloat64(), rng.NormFloat64(), 0}
		v[2] = v[0]*v[0] + 0.5*v[1] + rng.NormFloat64()
		for c, value := range v {
			for f := range functions {
				x.Set(i, c*functions+f, math.Pow(value, float64(f+1))/float64(f+1))
			}
		}
	}
	gram := matrix.New[float64](x.Cols, x.Cols)
	for a := range x.Cols {
		for b := range x.Cols {
			ma, mb, sum := 0.0, 0.0, 0.0
			for i := range rows {
				ma, mb = ma+x.At(i, a)/rows, mb+x.At(i, b)/rows
			}
			for i := range rows {
				sum += (x.At(i, a) - ma) * (x.At(i, b) - mb)
			}
			gram.Set(a, b, sum/rows)
		}
	}
	test := must.Get(independence.NewBlocks(gram, []int{0, functions, 2 * functions, 3 * functions}, tested, rows))
	given := []int{functions, functions + 1, functions + 2, functions + 3} // column 1
	for _, pair := range [][2]int{{0, 2}, {2, 0}} {
		from, to := pair[0], pair[1]
		r := must.Get(test.Explains(from, to, []int{1}))
		more := append([]int{from * functions, from*functions + 1}, given...)
		free := rows - 1 - functions - float64(tested+1+1)/2
		want := free * math.Log(left(x, to*functions, given)/left(x, to*functions, more))
		if !(math.Abs(r.Statistic-want) <= 1e-6*(1+want)) || r.DF != tested {
			t.Errorf("%d explains %d: %v with %v degrees of freedom, want %v with %d", from, to, r.Statistic, r.DF, want, tested)
		}
		if (r.P < 1e-6) != (from == 0) {
			t.Errorf("%d explains %d: p = %v", from, to, r.P)
		}
	}
	if _, err := test.Explains(0, 0, nil); err == nil {
		t.Error("a column explains itself")
	}
}
