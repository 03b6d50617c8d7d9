// Package acyclic holds the functions h(W) that measure how far a weighted graph is from
// acyclic, each with its closed-form gradient, in float32 and float64.
//
//	geo := &acyclic.Geometric[float64]{K: 16}
//	h, err := geo.Eval(grad, w) // grad may be nil
//
// Every constraint here is a function of A = W∘W, the elementwise square, so signs do not
// matter and the support of A is the graph. All work on B = Aᵀ instead of A: traces are the
// same, and a polynomial in B is the transpose that the gradient
//
//	∇_W h = 2 W ∘ (∂h/∂A),   ∂ tr(A^k)/∂A = k (A^{k-1})ᵀ = k B^{k-1}
//
// asks for, so one transposed pass at the start replaces one at each use.
//
// A value of these types keeps its workspace: no call after the first of its size allocates,
// and one value must not be used by two goroutines at once. Eval neither changes nor keeps w.
//
// Experimental: the API of this package may change before 1.0.
package acyclic
