package kit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Score reports every law that a score breaks at d×d matrices W near zero, drawn from seed:
//
//   - finite: value and gradient are numbers
//   - gradient: it agrees with central differences
//   - repeats: the value is the same with and without a gradient, and on a second call
//   - overwrites: the gradient is overwritten, not added to
//   - untouched: w is not changed
//   - keeps nothing: w is not kept
//   - overflow: where the weights are too large for the score it gives +Inf and an error, never NaN
//
// The diagonal is projected away in every solver: there is no law about it.
func Score[T matrix.Float](s solve.Score[T], d int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x5c03e))
	w := matrix.New[T](d, d)
	for i := range d {
		for j := range d {
			if i != j {
				w.Set(i, j, T((2*rng.Float64()-1)/float64(d)))
			}
		}
	}
	return checkScore(s, w, func(i, j int) bool { return i != j })
}

// ScoreAt reports every law that s breaks at a point of any shape, all entries included: for scores that are functions of
// other parameters than W. The score must be smooth there.
func ScoreAt[T matrix.Float](s solve.Score[T], at *matrix.Dense[T]) error {
	return checkScore(s, at.Clone(), func(i, j int) bool { return true })
}

func checkScore[T matrix.Float](s solve.Score[T], w *matrix.Dense[T], moves func(i, j int) bool) error {
	k := &function[T]{f: s, moves: moves}
	before := w.Clone()
	k.eval("finite", matrix.New[T](w.Rows, w.Cols), w)
	if k.verdict() == nil { // where nothing is a number the other laws say nothing
		k.repeats(w, w, func() {})
		k.keepsNothing(w)
		k.gradient(w, 0)
		k.finiteOrError(w.Rows, w.Cols)
	}
	if !slices.Equal(w.Data, before.Data) {
		k.broken("untouched", "Eval changed W")
	}
	return k.verdict()
}

// finiteOrError asks for the value at weights near the largest number, which may be finite.
func (k *function[T]) finiteOrError(rows, columns int) {
	huge := T(largest[T]() / 2)
	w := matrix.New[T](rows, columns)
	for i := range w.Data {
		if k.moves(i/columns, i%columns) {
			w.Data[i] = huge
		}
	}
	f, err := k.f.Eval(nil, w)
	if finite := f-f == 0; finite != (err == nil) || !finite && !math.IsInf(f, 1) {
		k.broken("overflow", "value %g and error %v at weights of %g, want a finite value, or +Inf and an error", f, err, huge)
	}
}
