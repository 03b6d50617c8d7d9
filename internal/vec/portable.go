package vec

import (
	"math"
	"unsafe"
)

// These are the kernels in Go: for processors without assembly, for -tags noasm, and as the reference in tests
// and benchmarks. The reslicing removes bounds checks.

func axpyGo[T Float](y []T, a T, x []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func scaleGo[T Float](dst []T, a T, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = a * v
	}
}

func squareGo[T Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v * v
	}
}

func clampGo[T Float](dst []T, a T, x []T, lo, hi T) {
	dst = dst[:len(x)]
	for i, v := range x {
		v += a
		if v < lo {
			v = lo
		}
		if v > hi {
			v = hi
		}
		dst[i] = v
	}
}

func lin3Go[T Float](dst []T, a T, x []T, b T, y []T, c T, z []T) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = a*x[i] + b*y[i] + c*z[i]
	}
}

func ladderGo[T Float](d0, d1, d2, d3 []T, a T, x []T, b T, y []T, c T, z []T, step T) {
	for i := range x {
		v, up := a*x[i]+b*y[i]+c*z[i], step*(x[i]+y[i]+z[i])
		d0[i], d1[i], d2[i], d3[i] = v, v+up, v+2*up, v+3*up
	}
}

func dotGo[T Float](x, y []T) float64 {
	y = y[:len(x)]
	s := 0.0
	for i, v := range x {
		s += float64(v) * float64(y[i])
	}
	return s
}

func chainRuleGo[T Float](dst, w, p []T) float64 {
	dst, p = dst[:len(w)], p[:len(w)]
	s := 0.0
	for i, v := range w {
		g := v * p[i]
		dst[i] = 2 * g
		s += float64(v) * float64(g)
	}
	return s
}

func addL1Go[T Float](g []T, lambda T, w []T) float64 {
	g = g[:len(w)]
	s := 0.0
	for i, v := range w {
		switch {
		case v > 0:
			g[i] += lambda
		case v < 0:
			g[i] -= lambda
		case v != v:
			g[i] = v
		}
		s += math.Abs(float64(v))
	}
	return s
}

// adamStep is AdamParams for the inner loop: comp = 1 - beta, step = Rate/Corr1, root = 1/sqrt(Corr2).
type adamStep[T Float] struct{ beta1, comp1, beta2, comp2, step, root, eps T }

func newAdamStep[T Float](p AdamParams) adamStep[T] {
	return adamStep[T]{
		beta1: T(p.Beta1), comp1: T(1 - p.Beta1),
		beta2: T(p.Beta2), comp2: T(1 - p.Beta2),
		step: T(p.Rate / p.Corr1), root: T(1 / math.Sqrt(p.Corr2)), eps: T(p.Eps),
	}
}

func adamGo[T Float](w []T, a T, x []T, b T, y, m, v []T, p adamStep[T]) {
	for i := range w {
		g := T(a*x[i]) + b*y[i]
		mi := p.beta1*m[i] + p.comp1*g
		vi := p.beta2*v[i] + p.comp2*g*g
		m[i], v[i] = mi, vi
		w[i] -= p.step * mi / (p.root*T(math.Sqrt(float64(vi))) + p.eps)
	}
}

// partialGo works on blocks of columns whose z stay in the L1 cache.
func partialGo(mask []uint32, c, q []float64, t float64, y []float64, rows []*float64, a, b, scratch []float64) {
	clear(mask)
	for x0 := 0; x0 < len(y); x0 += PartialScratch {
		x1 := min(x0+PartialScratch, len(y))
		width := x1 - x0
		cs, qs := c[x0:x1], q[x0:x1]
		copy(cs, y[x0:x1])
		for i := range qs {
			qs[i] = 1
		}
		coef := a
		for i, p := range rows {
			z := scratch[i*PartialScratch:][:width]
			row := unsafe.Slice(p, len(y))[x0:x1]
			for x := range z {
				z[x] = coef[0] * row[x]
			}
			for j := range i {
				axpyGo(z, coef[1+j], scratch[j*PartialScratch:][:width])
			}
			coef = coef[i+1:]
			for x, v := range z {
				cs[x] += b[i] * v
				qs[x] -= v * v
			}
		}
		for x := range cs {
			if cs[x]*cs[x] > t*qs[x] {
				mask[x0/32] |= 1 << x
			}
		}
	}
}

// coarseGo works on one group of columns at a time, whose z stay in the L1 cache.
func coarseGo(mask []uint64, t, near, most float32, y []int16, rows []*int16, a, b, scratch []float32) {
	var c, q [CoarseColumns]float32
	for g := range mask {
		x0 := g * CoarseColumns
		for x, v := range y[x0 : x0+CoarseColumns] {
			c[x], q[x] = float32(v), most
		}
		coef := a
		for i, p := range rows {
			z := scratch[i*CoarseColumns:][:CoarseColumns]
			for x, v := range unsafe.Slice(p, len(y))[x0 : x0+CoarseColumns] {
				z[x] = coef[0] * float32(v)
			}
			for j := range i {
				axpyGo(z, coef[1+j], scratch[j*CoarseColumns:][:CoarseColumns])
			}
			coef = coef[i+1:]
			for x, v := range z {
				c[x] += b[i] * v
				q[x] -= v * v
			}
		}
		mask[g] = 0
		for x := range c {
			size := max(c[x], -c[x]) + near
			if !(size*size <= t*q[x]) {
				mask[g] |= 1 << x
			}
		}
	}
}
