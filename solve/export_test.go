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

// PastOf returns the state of a descent for n parameters.
func PastOf[T matrix.Float](d Descent[T], n int) Past[T] { return d.(traveler[T]).past(n) }

// Recall replaces the vectors of the state of a descent.
func Recall[T matrix.Float](d Descent[T], p Past[T]) { d.(traveler[T]).recall(p) }
