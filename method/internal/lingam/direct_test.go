package lingam

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// slowDirect is Direct without shortcuts. The evidence against a column counts by its size to the given power, which is 2 in the paper.
func slowDirect(z *matrix.Dense[float64], power float64) (order []int) {
	left := []int{}
	for v := range z.Rows {
		left = append(left, v)
	}
	n := float64(z.Cols)
	residual := func(y, x []float64) []float64 {
		var xy, xx, square float64
		for i := range x {
			xy, xx = xy+x[i]*y[i], xx+x[i]*x[i]
		}
		out := make([]float64, len(y))
		for i := range y {
			out[i] = y[i] - xy/xx*x[i]
			square += out[i] * out[i] / n
		}
		for i := range out {
			out[i] /= math.Sqrt(square)
		}
		return out
	}
	entropy := func(u []float64) float64 {
		var cosh, odd float64
		for _, x := range u {
			cosh, odd = cosh+math.Log(math.Cosh(x))/n, odd+x*math.Exp(-x*x/2)/n
		}
		return (1+math.Log(2*math.Pi))/2 - fromMeans(cosh, odd)
	}
	for len(left) > 0 {
		best, least := -1, math.Inf(1)
		for _, v := range left {
			x, sum := z.Row(v), 0.0
			for _, u := range left {
				if y := z.Row(u); u != v {
					r := entropy(y) + entropy(residual(x, y)) - entropy(x) - entropy(residual(y, x))
					sum += math.Pow(math.Abs(min(0, r)), power)
				}
			}
			if sum < least {
				best, least = v, sum
			}
		}
		order = append(order, best)
		left = slices.DeleteFunc(left, func(v int) bool { return v == best })
		for _, v := range left {
			copy(z.Row(v), residual(z.Row(v), z.Row(best)))
		}
	}
	return order
}

// TestDirectAgainstSlowTwin checks that the column with the least sum of squared evidence against it comes next (Hyvärinen and Smith 2013).
// Sums of absolute values give other orders of some columns that are nearly independent.
func TestDirectAgainstSlowTwin(t *testing.T) {
	differ := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 8))
		z := matrix.New[float64](6, 60)
		for v := range z.Rows {
			row, mean := z.Row(v), 0.0
			for i := range row {
				row[i] = rng.ExpFloat64()
				if v > 0 {
					row[i] += 0.1 * z.At(v-1, i)
				}
				mean += row[i] / float64(len(row))
			}
			for i := range row {
				row[i] -= mean
			}
			Unit(row)
		}
		want := slowDirect(z.Clone(), 2)
		if !slices.Equal(slowDirect(z.Clone(), 1), want) {
			differ++
		}
		if got := Direct(t.Context(), z, 1, func(int, []int) bool { return true }); !slices.Equal(got, want) {
			t.Errorf("seed %d: order %v, want %v", seed, got, want)
		}
	}
	if differ == 0 {
		t.Error("absolute values give the same orders: the tables do not test the squares")
	}
}
