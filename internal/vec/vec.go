package vec

import "fmt"

// Float is the set of element types.
type Float interface{ float32 | float64 }

// Axpy computes y += a·x.
func Axpy[T Float](y []T, a T, x []T) {
	if len(y) != len(x) {
		mismatch("Axpy", len(y), len(x))
	}
	axpy(best, y, a, x)
}

// Scale computes dst = a·x.
func Scale[T Float](dst []T, a T, x []T) {
	if len(dst) != len(x) {
		mismatch("Scale", len(dst), len(x))
	}
	scale(best, dst, a, x)
}

// Square computes dst = x∘x; dst and x may be the same slice.
func Square[T Float](dst, x []T) {
	if len(dst) != len(x) {
		mismatch("Square", len(dst), len(x))
	}
	square(best, dst, x)
}

// Clamp computes dst = min(max(x + a, lo), hi); dst and x may be the same slice.
func Clamp[T Float](dst []T, a T, x []T, lo, hi T) {
	if len(dst) != len(x) {
		mismatch("Clamp", len(dst), len(x))
	}
	clamp(best, dst, a, x, lo, hi)
}

// Lin3 computes dst = a·x + b·y + c·z.
func Lin3[T Float](dst []T, a T, x []T, b T, y []T, c T, z []T) {
	if len(dst) != len(x) || len(dst) != len(y) || len(dst) != len(z) {
		mismatch("Lin3", len(dst), len(x), len(y), len(z))
	}
	lin3(best, dst, a, x, b, y, c, z)
}

// Ladder computes four sums at once and reads each operand once:
//
//	dst[i] = (a + i·step)·x + (b + i·step)·y + (c + i·step)·z,   i = 0 … 3.
func Ladder[T Float](dst [4][]T, a T, x []T, b T, y []T, c T, z []T, step T) {
	for _, d := range dst {
		if len(d) != len(x) || len(y) != len(x) || len(z) != len(x) {
			mismatch("Ladder", len(d), len(x), len(y), len(z))
		}
	}
	ladder(best, dst[0], dst[1], dst[2], dst[3], a, x, b, y, c, z, step)
}

// Dot returns Σ x·y. It computes in float64, so products of float32 are exact.
func Dot[T Float](x, y []T) float64 {
	if len(x) != len(y) {
		mismatch("Dot", len(x), len(y))
	}
	return dot(best, x, y)
}

// ChainRule computes dst = 2·w∘p and returns Σ w²·p: the last step from a gradient with respect to A = W∘W to
// one with respect to W. The product w∘p is rounded to T, and the sum uses float64. A term is exactly 0 if p is
// zero and w finite.
func ChainRule[T Float](dst, w, p []T) float64 {
	if len(dst) != len(w) || len(dst) != len(p) {
		mismatch("ChainRule", len(dst), len(w), len(p))
	}
	return chainRule(best, dst, w, p)
}

// AddL1 computes g += lambda·sign(w), sign(0) = 0 and sign(NaN) = NaN, and returns Σ |w|, added
// in float64.
func AddL1[T Float](g []T, lambda T, w []T) float64 {
	if len(g) != len(w) {
		mismatch("AddL1", len(g), len(w))
	}
	return addL1(best, g, lambda, w)
}

// AdamParams are the constants of one Adam step: m = Beta1·m + (1-Beta1)·g,
// v = Beta2·v + (1-Beta2)·g², w -= Rate·(m/Corr1)/(sqrt(v/Corr2) + Eps). In step t = 1, 2, …
// the bias corrections are Corr1 = 1 - Beta1^t and Corr2 = 1 - Beta2^t. Reference: Kingma and Ba,
// "Adam: a method for stochastic optimization", ICLR 2015, with Eps outside the root as there
// and in PyTorch.
type AdamParams struct{ Rate, Beta1, Beta2, Eps, Corr1, Corr2 float64 }

// Adam performs one step on w with gradient g and moments m and v. Elements are computed in T from constants
// combined in float64. It takes one square root and one division per element.
func Adam[T Float](w, g, m, v []T, p AdamParams) { AdamSum(w, 1, g, 0, g, m, v, p) }

// AdamSum is Adam with the gradient g = a·x + b·y. a·x is rounded first, as by Scale and Axpy.
func AdamSum[T Float](w []T, a T, x []T, b T, y, m, v []T, p AdamParams) {
	if n := len(w); len(x) != n || len(y) != n || len(m) != n || len(v) != n {
		mismatch("Adam", len(w), len(x), len(y), len(m), len(v))
	}
	adam(best, w, a, x, b, y, m, v, newAdamStep[T](p))
}

// mismatch is a separate function so that the checks stay small.
//
//go:noinline
func mismatch(name string, lengths ...int) {
	panic(fmt.Sprintf("vec: %s of slices of lengths %v, want equal lengths", name, lengths))
}
