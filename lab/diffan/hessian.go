package diffan

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab/internal/leaves"
	"github.com/polydag/polydag/matrix"
)

// levels are the noise steps that vote for a leaf, as in the authors' program.
var levels = []int{0, 33, 66, 99}

// denoiser is the network ε(x, t) = h₂W₃ + b₃ with h₂ = tanh(h₁W₂ + b₂) and h₁ = tanh((x, t)W₁ + b₁).
type denoiser struct {
	d, hidden              int
	first, second, third   *matrix.Dense[float64] // W₁, W₂, W₃
	bias1, bias2, bias3    []float64
	thirdRows, secondTrans *matrix.Dense[float64] // W₃ᵀ, W₂ᵀ
}

func newDenoiser(d, hidden int, theta []float64) *denoiser {
	n := &denoiser{d: d, hidden: hidden}
	part := func(rows, cols int) (*matrix.Dense[float64], []float64) {
		w, b := matrix.Of(rows, cols, theta[:rows*cols]), theta[rows*cols:(rows+1)*cols]
		theta = theta[(rows+1)*cols:]
		return w, b
	}
	n.first, n.bias1 = part(d+1, hidden)
	n.second, n.bias2 = part(hidden, hidden)
	n.third, n.bias3 = part(hidden, d)
	n.thirdRows, n.secondTrans = matrix.New[float64](d, hidden), matrix.New[float64](hidden, hidden)
	matrix.Transpose(n.thirdRows, n.third)
	matrix.Transpose(n.secondTrans, n.second)
	return n
}

// leastSlope bounds ∂ε_l/∂x_l of a removed leaf from below. It is positive, because ε is minus a multiple of the score.
const leastSlope = 0.02

// diagonal sets dst, rows × columns left, to the derivatives ∂u_j/∂x_j at the rows of x of
//
//	u_j = ε_j - Σ_l ε_l J_lj / J_ll,   J = ∂ε/∂x,
//
// over the removed columns l. This is the deciduous score of the paper: a leaf l contributes J_lj ε_l / J_ll to the entry of each of its
// parents (Sanchez et al. 2023, theorem 1). Without gone it is J_jj. Cost: 2h²(left + 2·gone) flops per row in products, and 8h·left·gone.
func (n *denoiser) diagonal(dst, x *matrix.Dense[float64], level float64, left, gone []int) {
	rows, h := x.Rows, n.hidden
	layer := func(w *matrix.Dense[float64], b []float64, in *matrix.Dense[float64]) (y, slope, bend *matrix.Dense[float64]) {
		y, slope, bend = matrix.New[float64](rows, h), matrix.New[float64](rows, h), matrix.New[float64](rows, h)
		matrix.Mul(y, in, w, 1)
		for i, v := range y.Data {
			t := math.Tanh(v + b[i%h])
			y.Data[i], slope.Data[i], bend.Data[i] = t, 1-t*t, -2*t*(1-t*t)
		}
		return y, slope, bend
	}
	full := matrix.New[float64](rows, n.d+1)
	for i := range rows {
		copy(full.Row(i), x.Row(i))
		full.Set(i, n.d, level)
	}
	y1, slope1, bend1 := layer(n.first, n.bias1, full)
	y2, slope2, bend2 := layer(n.second, n.bias2, y1)

	// tangent returns the derivatives of the second layer before its tanh by a column.
	scaled := matrix.New[float64](rows, h)
	tangent := func(j int) *matrix.Dense[float64] {
		out, w := matrix.New[float64](rows, h), n.first.Row(j)
		for i, s := range slope1.Data {
			scaled.Data[i] = s * w[i%h]
		}
		matrix.Mul(out, scaled, n.second, 1)
		return out
	}
	tangents := make([]*matrix.Dense[float64], len(left))
	for c, j := range left {
		tangents[c] = tangent(j)
		for i := range rows {
			sum, t := 0.0, tangents[c].Row(i)
			for k, s := range slope2.Row(i) {
				sum += n.thirdRows.At(j, k) * s * t[k]
			}
			dst.Set(i, c, sum)
		}
	}
	back := matrix.New[float64](rows, h)
	for _, l := range gone {
		own, out, third := tangent(l), n.thirdRows.Row(l), n.first.Row(l)
		for i, s := range slope2.Data {
			scaled.Data[i] = s * out[i%h]
		}
		matrix.Mul(back, scaled, n.secondTrans, 1) // ∂ε_l by the first layer after its tanh
		for i := range rows {
			value, slope := n.bias3[l], 0.0
			for k, v := range scaled.Row(i) {
				value += out[k] * y2.At(i, k)
				slope += v * own.At(i, k)
			}
			bounded := slope < leastSlope
			slope = max(slope, leastSlope)
			s2, b2, b1, to, o := scaled.Row(i), bend2.Row(i), bend1.Row(i), back.Row(i), own.Row(i)
			for c, j := range left {
				cross, twice, mixed := 0.0, 0.0, 0.0 // J_lj, ∂J_lj/∂x_j, ∂J_ll/∂x_j
				w := n.first.Row(j)
				for k, t := range tangents[c].Row(i) {
					bent, bent1 := out[k]*b2[k]*t, to[k]*b1[k]*w[k]
					cross += s2[k] * t
					twice += bent*t + bent1*w[k]
					mixed += bent*o[k] + bent1*third[k]
				}
				if bounded {
					mixed = 0
				}
				dst.Data[i*dst.Stride+c] -= (cross*cross + value*twice - value*cross*mixed/slope) / slope
			}
		}
	}
}

// chunk is the number of rows that votes takes at a time.
const chunk = 64

// votes returns the criterion of each column left: the less, the more levels find its variance of the diagonal of the Hessian the least.
// The earlier level decides between equal numbers of votes. Removed columns are set to 0, their mean.
func votes(n *denoiser, x *matrix.Dense[float64], left, gone []int, deciduous bool, threads int) []float64 {
	out := make([]float64, len(left))
	var leavesGone []int
	if deciduous {
		leavesGone = gone
	}
	for k, level := range levels {
		values := matrix.New[float64](len(left), x.Rows)
		parallel.For((x.Rows+chunk-1)/chunk, threads, func(part int) {
			at := part * chunk
			rows := matrix.Of(min(chunk, x.Rows-at), x.Cols, slices.Clone(x.Data[at*x.Cols:min(at+chunk, x.Rows)*x.Cols]))
			dst := matrix.New[float64](rows.Rows, len(left))
			for i := range rows.Rows {
				for _, v := range gone {
					rows.Set(i, v, 0)
				}
			}
			n.diagonal(dst, rows, input(level), left, leavesGone)
			for i := range rows.Rows {
				for j, v := range dst.Row(i) {
					values.Set(j, at+i, v)
				}
			}
		})
		best, least := 0, math.Inf(1)
		variances := make([]float64, len(left))
		for j := range variances {
			if variances[j] = leaves.Variance(values.Row(j)); variances[j] < least {
				best, least = j, variances[j]
			}
		}
		if out[best] >= 0 {
			out[best] = -1 + 1e-3*float64(k)
		} else {
			out[best]--
		}
		for j, v := range variances {
			if out[j] >= 0 { // a column without votes, in case that knowledge excludes the others
				out[j] = max(out[j], v/(1+v))
			}
		}
	}
	return out
}
