package vec

import "math"

// Float is the set of element types.
type Float interface{ float32 | float64 }

// Axpy computes y += a·x.
func Axpy[T Float](y []T, a T, x []T) {
	for i, v := range x {
		y[i] += a * v
	}
}

// Scale computes dst = a·x; dst and x may be the same slice.
func Scale[T Float](dst []T, a T, x []T) {
	for i, v := range x {
		dst[i] = a * v
	}
}

// Lin3 computes dst = a·x + b·y + c·z.
func Lin3[T Float](dst []T, a T, x []T, b T, y []T, c T, z []T) {
	for i := range dst {
		dst[i] = a*x[i] + b*y[i] + c*z[i]
	}
}

// Dot returns Σ x·y.
func Dot[T Float](x, y []T) float64 {
	s := 0.0
	for i, v := range x {
		s += float64(v) * float64(y[i])
	}
	return s
}

// ChainRule computes dst = 2·w∘p and returns Σ w²·p: the last step from a gradient with
// respect to A = W∘W to one with respect to W.
func ChainRule[T Float](dst, w, p []T) float64 {
	s := 0.0
	for i, v := range w {
		g := v * p[i]
		dst[i] = 2 * g
		s += float64(v) * float64(g)
	}
	return s
}

// AddL1 computes g += lambda·sign(w), sign(0) = 0, and returns Σ |w|.
func AddL1[T Float](g []T, lambda T, w []T) float64 {
	s := 0.0
	for i, v := range w {
		switch {
		case v > 0:
			g[i] += lambda
			s += float64(v)
		case v < 0:
			g[i] -= lambda
			s -= float64(v)
		}
	}
	return s
}

// AdamParams are the constants of one Adam step: m = Beta1·m + (1-Beta1)·g,
// v = Beta2·v + (1-Beta2)·g², w -= Rate·(m/Corr1)/(sqrt(v/Corr2) + Eps).
type AdamParams struct{ Rate, Beta1, Beta2, Eps, Corr1, Corr2 float64 }

// Adam performs one step on w with gradient g and moments m and v.
func Adam[T Float](w, g, m, v []T, p AdamParams) {
	for i, gi := range g {
		m[i] = T(p.Beta1)*m[i] + T(1-p.Beta1)*gi
		v[i] = T(p.Beta2)*v[i] + T(1-p.Beta2)*gi*gi
		w[i] -= T(p.Rate/p.Corr1) * m[i] / (T(math.Sqrt(float64(v[i]/T(p.Corr2)))) + T(p.Eps))
	}
}
