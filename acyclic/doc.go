// Package acyclic provides functions h(W) that measure how far a weighted graph is from acyclic, each with its
// closed-form gradient, in float32 and float64.
//
//	geo := &acyclic.Geometric[float64]{K: 16}
//	h, err := geo.Eval(grad, w) // grad may be nil
//
// Every constraint here is a function of A = W∘W, the elementwise square, so signs do not matter and the
// support of A is the graph. All work on B = Aᵀ instead of A: traces are the same, and a polynomial in B is
// already the transpose in the gradient
//
//	∇_W h = 2 W ∘ (∂h/∂A),   ∂ tr(A^k)/∂A = k (A^{k-1})ᵀ = k B^{k-1}
//
// So one transposition at the start replaces one at each use.
//
// A value of these types keeps its workspace, so only the first call of each size allocates. Two goroutines
// must not use one value at the same time. Eval neither changes nor retains w.
//
// Experimental: the API of this package may change before 1.0.
package acyclic
