package lingam

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// direct returns a causal order by DirectLiNGAM (Shimizu et al. 2011): the column that looks most like a cause of all others comes first, what
// it explains is taken out of the others, and so on. Whether x looks like a cause of y is the difference of the entropies of both ways
// to explain the pair, with r the residuals of least squares and all variables of variance 1 (Hyvärinen and Smith 2013),
//
//	R(x, y) = H(y) + H(r_x|y) - H(x) - H(r_y|x),
//
// and the first column is the one with the least Σ_y min(0, R)². z has a column in each row, of mean 0 and variance 1, and is changed.
// may reports whether a column may come next, given which are left.
//
// A step costs 2·k² entropies where k columns are left, d³/3 in all. The sums do not depend on the number of threads. It returns nil where
// the context ended.
func direct(ctx context.Context, z *matrix.Dense[float64], threads int, may func(v int, left []int) bool) []int {
	d := z.Rows
	left := make([]int, d)
	for v := range left {
		left[v] = v
	}
	var order, gone []int // gone are determined by what came before them
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
		if best < 0 { // knowledge has no cycle, so that some column may come next; a column whose numbers are spoilt may not
			break
		}
		root := left[best]
		order = append(order, root)
		left = slices.Delete(left, best, best+1)
		x := z.Row(root)
		left = slices.DeleteFunc(left, func(v int) bool {
			y := z.Row(v)
			vec.Axpy(y, -correlation(x, y), x)
			if !unit(y) {
				gone = append(gone, v)
				return true
			}
			less[v] = entropyLess(y)
			return false
		})
	}
	return slices.Concat(order, left, gone)
}

// pairs returns R of the columns that are left, by their places.
func pairs(ctx context.Context, z *matrix.Dense[float64], left []int, less []float64, threads int) *matrix.Dense[float64] {
	r := matrix.New[float64](len(left), len(left))
	var turn atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(threads, len(left))) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			u := make([]float64, z.Cols)
			for ctx.Err() == nil {
				i := int(turn.Add(1)) - 1
				if i >= len(left) {
					return
				}
				x := z.Row(left[i])
				for j := range i {
					y := z.Row(left[j])
					c := correlation(x, y)
					if 1-c*c < leastShare {
						continue // both are one, and say nothing about each other
					}
					value := less[left[i]] - less[left[j]] - residualLess(u, x, y, c) + residualLess(u, y, x, c)
					r.Set(i, j, value)
					r.Set(j, i, -value)
				}
			}
		}()
	}
	wg.Wait()
	return r
}

// residualLess is entropyLess of what is left of x after y, with correlation c; u is scratch memory.
func residualLess(u, x, y []float64, c float64) float64 {
	scale := 1 / math.Sqrt(1-c*c)
	for i, a := range x {
		u[i] = (a - c*y[i]) * scale
	}
	return entropyLess(u)
}

// leastShare of a variance of 1 is the least that counts as left: below it there is rounding.
const leastShare = 1e-10

func correlation(x, y []float64) float64 { return vec.Dot(x, y) / float64(len(x)) }

// unit scales x of mean 0 to variance 1, and reports whether there was more than rounding left of it.
func unit(x []float64) bool {
	square := vec.Dot(x, x) / float64(len(x))
	if !(square > leastShare) {
		return false
	}
	vec.Scale(x, 1/math.Sqrt(square), x)
	return true
}
