package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
)

// stein estimates the score s = ∇ log p and the derivatives ∂s_j/∂x_j at the rows of x, by the first and second
// order Stein identities in the space of a Gaussian kernel (Li and Turner 2018; Rolland et al. 2022, equations
// 8 and 11). With K the kernel matrix, s its width and η the ridge,
//
//	G = -(K + ηI)⁻¹ Σ_l ∇κ(x_i, x_l),    H = -G∘G + (K + ηI)⁻¹ Σ_l ∇²κ(x_i, x_l).
//
// Derivatives are those by x_l. The sums are products of K with x and x∘x. Cost: 2/3·n³ + 10·n²·d flops.
func stein(x *matrix.Dense[float64], ridge float64, threads int) (gradient, curvature *matrix.Dense[float64], err error) {
	n, d := x.Rows, x.Cols
	k := distances(x, threads)
	width := medianSquare(k)
	kernel(k, 1/(2*width), threads)
	powers, sums := matrix.New[float64](n, 2*d), matrix.New[float64](n, 2*d)
	for i := range n {
		row := powers.Row(i)
		for j, v := range x.Row(i) {
			row[j], row[d+j] = v, v*v
		}
	}
	matrix.Mul(sums, k, powers, threads)
	for i := range n {
		mass := 0.0
		for _, v := range k.Row(i) {
			mass += v
		}
		row := sums.Row(i)
		for j, v := range x.Row(i) {
			first, second := row[j], row[d+j]
			row[j] = (v*mass - first) / width
			row[d+j] = ((v*v*mass-2*v*first+second)/width - mass) / width
		}
		k.Set(i, i, k.At(i, i)+ridge)
	}
	f := matrix.LU[float64]{Threads: threads}
	if err := f.Factor(k); err != nil {
		return nil, nil, err
	}
	f.Solve(sums, sums)
	gradient, curvature = matrix.New[float64](n, d), matrix.New[float64](n, d)
	for i := range n {
		for j := range d {
			g := -sums.At(i, j)
			gradient.Set(i, j, g)
			curvature.Set(i, j, sums.At(i, d+j)-g*g)
		}
	}
	return gradient, curvature, nil
}

// distances returns the squared distances of all rows of x.
func distances(x *matrix.Dense[float64], threads int) *matrix.Dense[float64] {
	out := matrix.New[float64](x.Rows, x.Rows)
	matrix.MulTB(out, x, x, threads)
	square := make([]float64, x.Rows)
	for i := range square {
		square[i] = out.At(i, i)
	}
	parallel.For(x.Rows, threads, func(i int) {
		row := out.Row(i)
		for j, v := range row {
			row[j] = max(0, square[i]+square[j]-2*v)
		}
		row[i] = 0
	})
	return out
}

// kernel overwrites squared distances t with exp(-gamma·t).
func kernel(t *matrix.Dense[float64], gamma float64, threads int) {
	parallel.For(t.Rows, threads, func(i int) {
		row := t.Row(i)
		for j, v := range row {
			row[j] = math.Exp(-gamma * v)
		}
	})
}

// medianRows is the number of rows, spread over the sample, that the width of the kernel is computed from.
const medianRows = 400

// medianSquare returns the median of the squared distances between different rows, or 1 if most rows are equal.
func medianSquare(t *matrix.Dense[float64]) float64 {
	m := min(t.Rows, medianRows)
	all := make([]float64, 0, m*(m-1)/2)
	for i := range m {
		for j := range i {
			all = append(all, t.At(i*t.Rows/m, j*t.Rows/m))
		}
	}
	slices.Sort(all)
	if len(all) == 0 || !(all[len(all)/2] > 0) {
		return 1
	}
	return all[len(all)/2]
}

// columns returns a copy of some columns of x.
func columns(x *matrix.Dense[float64], of []int) *matrix.Dense[float64] {
	out := matrix.New[float64](x.Rows, len(of))
	for i := range x.Rows {
		for j, v := range of {
			out.Set(i, j, x.At(i, v))
		}
	}
	return out
}
