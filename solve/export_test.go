package solve

import (
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Combine sets grad to the gradient of the objective of a step, as a run does.
func Combine[T matrix.Float](grad, gradH []T, score, h float64) {
	if score != 1 {
		vec.Scale(grad, T(score), grad)
	}
	vec.Axpy(grad, T(h), gradH)
}

// AdamStep is step t of Adam with moments stored by the caller.
func AdamStep[T matrix.Float](a *Adam[T], w, grad, m, v []T, t, halved int) {
	b := Adam[T]{Rate: a.Rate, Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps, t: t, shorter: halved}
	vec.Adam(w, grad, m, v, b.params(b.Beta1, b.Beta2))
}
