package solve

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Combine makes the gradient of a step of the two gradients, as a run does.
func Combine[T matrix.Float](grad, gradH []T, score, h float64) {
	if score != 1 {
		vec.Scale(grad, T(score), grad)
	}
	vec.Axpy(grad, T(h), gradH)
}

// AdamStep is step t of Adam on moments that are kept elsewhere.
func AdamStep[T matrix.Float](a *Adam[T], w, grad, m, v []T, t, halved int) {
	vec.Adam(w, grad, m, v, vec.AdamParams{
		Rate: math.Ldexp(a.Rate, -halved), Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps,
		Corr1: 1 - math.Pow(a.Beta1, float64(t)), Corr2: 1 - math.Pow(a.Beta2, float64(t)),
	})
}

// PastOf and Recall are what an engine has a descent's past for.
func PastOf[T matrix.Float](d Descent[T], n int) Past[T] { return d.(traveler[T]).past(n) }

// Recall makes the descent go on from a past.
func Recall[T matrix.Float](d Descent[T], p Past[T]) { d.(traveler[T]).recall(p) }
