// Package lingam has what the methods for linear models with non-Gaussian noise share: causal orders, and parents along them.
package lingam

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Direct returns a causal order by DirectLiNGAM (Shimizu et al. 2011). It selects the column that is most
// likely a cause of all others, regresses it out of the others, and repeats. The evidence for x → y is a
// difference of entropies, where r are least-squares residuals and all variables have variance 1 (Hyvärinen and
// Smith 2013),
//
//	R(x, y) = H(y) + H(r_x|y) - H(x) - H(r_y|x),
//
// The first column is the one with the smallest Σ_y min(0, R)². Each row of z is a column of the table with
// mean 0 and variance 1; z is overwritten. may reports whether a column may come next, given the remaining
// ones.
//
// A step costs 2·k² entropies with k remaining columns, d³/3 in total. The sums do not depend on the number of
// threads. It returns nil if the context ended.
func Direct(ctx context.Context, z *matrix.Dense[float64], threads int, may func(v int, left []int) bool) []int {
	d := z.Rows
	left := make([]int, d)
	for v := range left {
		left[v] = v
	}
	var order, gone []int // gone are determined by earlier columns
	less := make([]float64, d)
	for _, v := range left {
		less[v] = entropyLess(z.Row(v))
	}
	for len(left) > 0 {
		r := pairs(ctx, z, left, less, threads)
		if ctx.Err() != nil {
			return nil
		}
		best, least := -1, math.Inf(1)
		for i, v := range left {
			sum := 0.0
			for j := range left {
				if against := min(0, r.At(i, j)); j != i {
					sum += against * against
				}
			}
			if may(v, left) && sum < least {
				best, least = i, sum
			}
		}
		if best < 0 { // some column may always come next, because knowledge has no cycle, unless its numbers are not finite
			break
		}
		root := left[best]
		order = append(order, root)
		left = slices.Delete(left, best, best+1)
		x := z.Row(root)
		left = slices.DeleteFunc(left, func(v int) bool {
			y := z.Row(v)
			vec.Axpy(y, -correlation(x, y), x)
			if !Unit(y) {
				gone = append(gone, v)
				return true
			}
			less[v] = entropyLess(y)
			return false
		})
	}
	return slices.Concat(order, left, gone)
}

// pairs returns R of the remaining columns, by their positions.
func pairs(ctx context.Context, z *matrix.Dense[float64], left []int, less []float64, threads int) *matrix.Dense[float64] {
	r := matrix.New[float64](len(left), len(left))
	parallel.Each(ctx, len(left), threads, func(int) func(int) {
		u := make([]float64, z.Cols)
		return func(i int) {
			x := z.Row(left[i])
			for j := range i {
				y := z.Row(left[j])
				c := correlation(x, y)
				if 1-c*c < chol.Determined {
					continue // the two columns are identical and give no evidence
				}
				value := less[left[i]] - less[left[j]] - residualLess(u, x, y, c) + residualLess(u, y, x, c)
				r.Set(i, j, value)
				r.Set(j, i, -value)
			}
		}
	})
	return r
}

// residualLess returns entropyLess of the residual of x on y, with correlation c; u is scratch memory.
func residualLess(u, x, y []float64, c float64) float64 {
	scale := 1 / math.Sqrt(1-c*c)
	for i, a := range x {
		u[i] = (a - c*y[i]) * scale
	}
	return entropyLess(u)
}

func correlation(x, y []float64) float64 { return vec.Dot(x, y) / float64(len(x)) }

// Unit scales x, which has mean 0, to variance 1. It reports whether the variance was more than a rounding
// error.
func Unit(x []float64) bool {
	square := vec.Dot(x, x) / float64(len(x))
	if !(square > chol.Determined) {
		return false
	}
	vec.Scale(x, 1/math.Sqrt(square), x)
	return true
}
