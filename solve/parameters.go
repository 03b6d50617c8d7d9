package solve

import "github.com/polydag/polydag/matrix"

// Parameters define a weighted adjacency matrix W as a function of another matrix θ. Examples are potentials
// and flows (NoCurl, Yu et al. 2021), tied weights and the layers of networks.
type Parameters[T matrix.Float] interface {
	// Shape returns the number of rows and columns of θ.
	Shape() (rows, cols int)
	// Adjacency overwrites w with W(θ). It neither changes nor retains theta.
	Adjacency(w, theta *matrix.Dense[T])
	// Pull overwrites grad with the gradient in θ of a function whose gradient in W is gradW at W(θ): grad =
	// (∂W/∂θ)ᵀ gradW. It neither changes nor retains gradW and theta.
	Pull(grad, gradW, theta *matrix.Dense[T])
}

// Through turns f, a score or constraint of d×d matrices W, into a function of θ: Eval(grad, θ) = f(W(θ)), with
// the gradient from the chain rule. Cost: that of f, Adjacency and Pull. A score that is not a function of W,
// such as the loss of a network, takes θ directly.
func Through[T matrix.Float](f Score[T], p Parameters[T], d int) Score[T] {
	return &through[T]{f: f, p: p, w: matrix.New[T](d, d), gradW: matrix.New[T](d, d)}
}

type through[T matrix.Float] struct {
	f        Score[T]
	p        Parameters[T]
	w, gradW *matrix.Dense[T]
}

func (t *through[T]) Eval(grad, theta *matrix.Dense[T]) (float64, error) {
	t.p.Adjacency(t.w, theta)
	if grad == nil {
		return t.f.Eval(nil, t.w)
	}
	f, err := t.f.Eval(t.gradW, t.w)
	if err == nil {
		t.p.Pull(grad, t.gradW, theta)
	}
	return f, err
}
