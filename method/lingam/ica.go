package lingam

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/assign"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// errRank is returned if columns determine each other, so that ICA cannot separate them.
var errRank = errors.New("some columns are linear functions of others, so the independent components are not identified; use variant direct, or drop the columns")

// ica returns a causal order by ICA-LiNGAM (Shimizu et al. 2006). The independent components are the noise
// terms. The rows of the unmixing matrix are assigned to columns so that its diagonal is far from zero. The
// order minimizes the effects that point backwards. Each row of z is a column of the table with mean 0 and
// variance 1. It returns nil if the context ended, and whether ICA converged.
func ica(ctx context.Context, z *matrix.Dense[float64], seed uint64, threads int) (order []int, settled bool, err error) {
	d := z.Rows
	white, whiten, err := whitened(z, threads)
	if err != nil {
		return nil, false, err
	}
	w, settled, err := fastICA(ctx, white, seed, threads)
	if err != nil || w == nil {
		return nil, false, err
	}
	unmix := matrix.New[float64](d, d)
	matrix.Mul(unmix, w, whiten, threads)
	gain := matrix.New[float64](d, d)
	for i, v := range unmix.Data {
		gain.Data[i] = -1 / max(math.Abs(v), 1e-12)
	}
	// Effects are scaled to standard deviations of the cause and of the noise of the effect, so that all rows
	// have similar precision. The paper compares them in the units of the table.
	effects := matrix.New[float64](d, d)
	for i, v := range assign.Largest(gain) {
		for j := range d {
			if j != v {
				effects.Set(v, j, math.Abs(unmix.At(i, j)))
			}
		}
	}
	return triangular(effects), settled, nil
}

// whitened returns z with uncorrelated rows, and the whitening matrix.
func whitened(z *matrix.Dense[float64], threads int) (white, by *matrix.Dense[float64], err error) {
	d, n := z.Rows, z.Cols
	c := matrix.New[float64](d, d)
	matrix.MulTB(c, z, z, threads)
	vec.Scale(c.Data, 1/float64(n), c.Data)
	values, v, err := matrix.EigenSym(c, true)
	if err != nil {
		return nil, nil, err
	}
	if n <= d || values[0] < chol.Determined*values[d-1] {
		return nil, nil, errRank
	}
	by = power(values, v, -0.5, threads)
	white = matrix.New[float64](d, n)
	matrix.Mul(white, by, z, threads)
	return white, by, nil
}

// power returns V·diag(values^p)·Vᵀ.
func power(values []float64, v *matrix.Dense[float64], p float64, threads int) *matrix.Dense[float64] {
	scaled := v.Clone()
	for i := range scaled.Rows {
		for j, x := range scaled.Row(i) {
			scaled.Set(i, j, x*math.Pow(values[j], p))
		}
	}
	out := matrix.New[float64](v.Rows, v.Rows)
	matrix.MulTB(out, scaled, v, threads)
	return out
}

const (
	icaSteps = 1000
	icaClose = 1e-8 // tolerance of 1 - |cosine| between a component and its previous value
)

// fastICA returns an orthogonal matrix that maximizes the non-Gaussianity of the components. It is the
// symmetric fixed-point algorithm of Hyvärinen (1999) with ln cosh. A step is
//
//	W ← E[tanh(Wx)·xᵀ] - diag(E[1 - tanh²(Wx)])·W,   W ← (WWᵀ)^(-1/2)·W.
func fastICA(ctx context.Context, x *matrix.Dense[float64], seed uint64, threads int) (*matrix.Dense[float64], bool, error) {
	d, n := x.Rows, x.Cols
	rng := rand.New(rand.NewPCG(seed, 0x1ca))
	w := matrix.New[float64](d, d)
	for i := range w.Data {
		w.Data[i] = rng.NormFloat64()
	}
	w, err := orthogonal(w, threads)
	if err != nil {
		return nil, false, err
	}
	y, next := matrix.New[float64](d, n), matrix.New[float64](d, d)
	for range icaSteps {
		if ctx.Err() != nil {
			return nil, false, nil
		}
		matrix.Mul(y, w, x, threads)
		slope := make([]float64, d)
		for i := range d {
			row := y.Row(i)
			for k, v := range row {
				t := math.Tanh(v)
				row[k] = t
				slope[i] += (1 - t*t) / float64(n)
			}
		}
		matrix.MulTB(next, y, x, threads)
		for i := range d {
			vec.Scale(next.Row(i), 1/float64(n), next.Row(i))
			vec.Axpy(next.Row(i), -slope[i], w.Row(i))
		}
		before := w
		if w, err = orthogonal(next, threads); err != nil {
			return nil, false, err
		}
		worst := 0.0
		for i := range d {
			worst = max(worst, 1-math.Abs(vec.Dot(w.Row(i), before.Row(i))))
		}
		if worst < icaClose {
			return w, true, nil
		}
	}
	return w, false, nil
}

// orthogonal returns (WWᵀ)^(-1/2)·W.
func orthogonal(w *matrix.Dense[float64], threads int) (*matrix.Dense[float64], error) {
	d := w.Rows
	c := matrix.New[float64](d, d)
	matrix.MulTB(c, w, w, threads)
	values, v, err := matrix.EigenSym(c, true)
	if err != nil {
		return nil, err
	}
	if !(values[0] > 0) {
		return nil, errRank
	}
	out := matrix.New[float64](d, d)
	matrix.Mul(out, power(values, v, -0.5, threads), w, threads)
	return out, nil
}

// triangular returns an order in which the effects that point backwards are small. It repeatedly takes the
// column on which the remaining columns have the smallest sum of squared effects. The paper minimizes over all
// permutations.
func triangular(effects *matrix.Dense[float64]) []int {
	left := make([]int, effects.Rows)
	for v := range left {
		left[v] = v
	}
	var order []int
	for len(left) > 0 {
		best, least := 0, math.Inf(1)
		for i, v := range left {
			sum := 0.0
			for _, j := range left {
				sum += effects.At(v, j) * effects.At(v, j)
			}
			if sum < least {
				best, least = i, sum
			}
		}
		order = append(order, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return order
}
