package kit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Score reports every check that a score fails at random d×d matrices W near zero:
//
//   - finite: value and gradient are numbers
//   - gradient: it agrees with central differences
//   - repeats: the value is the same with and without a gradient, and on a second call
//   - overwrites: the gradient is overwritten, not added to
//   - untouched: w is not changed
//   - keeps nothing: w is not kept
//   - overflow: weights that are too large give +Inf and an error, never NaN
//
// The diagonal is not checked, because every solver projects it away.
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

// ScoreAt reports every check that s fails at a point of any shape, including all entries, for scores with other parameters than W.
// The score must be smooth there.
func ScoreAt[T matrix.Float](s solve.Score[T], at *matrix.Dense[T]) error {
	return checkScore(s, at.Clone(), func(i, j int) bool { return true })
}

func checkScore[T matrix.Float](s solve.Score[T], w *matrix.Dense[T], moves func(i, j int) bool) error {
	k := &function[T]{f: s, moves: moves}
	before := w.Clone()
	k.eval("finite", matrix.New[T](w.Rows, w.Cols), w)
	if k.Verdict() == nil { // the other checks need finite values
		k.repeats(w, w, func() {})
		k.keepsNothing(w)
		k.gradient(w, 0)
		k.finiteOrError(w.Rows, w.Cols)
	}
	if !slices.Equal(w.Data, before.Data) {
		k.Broken("untouched", "Eval changed W")
	}
	return k.Verdict()
}

// finiteOrError evaluates at weights near the largest number.
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
		k.Broken("overflow", "value %g and error %v at weights of %g, want a finite value, or +Inf and an error", f, err, huge)
	}
}
