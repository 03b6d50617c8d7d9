package kit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// ConstraintSettings relax checks for constraints that fulfil them only in part.
type ConstraintSettings struct {
	D            int
	Seed         uint64
	ZeroTol      float64
	LongestCycle int
	Large        bool
	MaxWeight    float64
	Loopless     bool
}

// Constraint reports every check that an acyclicity constraint fails on random graphs of d nodes:
//
//   - zero on DAGs: h is zero on random DAGs, within d units of roundoff
//   - positive on cycles: on a self-loop, a 2-cycle and the d-cycle
//   - gradient: it agrees with central differences
//   - symmetries: h does not change with signs and labels, and the gradient follows them
//   - repeats: the value is the same with and without a gradient, on a second call and from a strided matrix
//   - overwrites: the gradient is overwritten, not added to
//   - sizes: matrices of different sizes can follow each other
//   - untouched: w is not changed, including the gaps of a strided matrix
//   - keeps nothing: w is not kept
//   - overflow: a W too large for h gives +Inf and an error, never NaN; with Large it may be finite, and then so is the gradient
func Constraint[T matrix.Float](c solve.Constraint[T], d int, seed uint64) error {
	return ConstraintWith(c, ConstraintSettings{D: d, Seed: seed, ZeroTol: 8 * float64(d) * unit[T]()})
}

// ConstraintWith is Constraint with settings.
func ConstraintWith[T matrix.Float](c solve.Constraint[T], o ConstraintSettings) error {
	if o.D < 3 {
		return fmt.Errorf("kit: a constraint on D = %d nodes, want at least 3", o.D)
	}
	if o.LongestCycle == 0 {
		o.LongestCycle = o.D
	}
	if o.MaxWeight == 0 {
		o.MaxWeight = 1
	}
	k := &constraintCheck[T]{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0xac7c11c))}
	k.f, k.moves = c, func(i, j int) bool { return i != j || !o.Loopless }
	k.zeroOnDAGs()
	k.positiveOnCycles()
	k.gradient(k.randomWeights(), o.ZeroTol)
	for range 8 { // a single draw of the signs can miss important entries
		k.symmetries()
	}
	k.strided()
	k.keepsNothing(k.randomWeights())
	k.overflow()
	return k.Verdict()
}

type constraintCheck[T matrix.Float] struct {
	function[T]
	o   ConstraintSettings
	rng *rand.Rand
}

func (k *constraintCheck[T]) zeroOnDAGs() {
	for range 10 {
		if h := k.eval("zero on DAGs", nil, k.randomDAG()); math.Abs(h) > k.o.ZeroTol {
			k.Broken("zero on DAGs", "h = %g on a DAG, want |h| ≤ %g", h, k.o.ZeroTol)
		}
	}
}

func (k *constraintCheck[T]) positiveOnCycles() {
	d := k.o.D
	for _, length := range []int{1, 2, d} {
		if length > k.o.LongestCycle {
			continue
		}
		perm := k.rng.Perm(d)
		w := matrix.New[T](d, d)
		for i := range length {
			w.Set(perm[i], perm[(i+1)%length], T(0.9*k.o.MaxWeight))
		}
		if h := k.eval("positive on cycles", nil, w); !(h > k.o.ZeroTol) {
			k.Broken("positive on cycles", "h = %g on a cycle of %d nodes, want > %g", h, length, k.o.ZeroTol)
		}
	}
}

// symmetries relabels one random graph and changes its signs: h must stay the same, and its gradient must follow.
func (k *constraintCheck[T]) symmetries() {
	d := k.o.D
	w, g := k.randomWeights(), matrix.New[T](d, d)
	h := k.eval("symmetries", g, w)
	perm := k.rng.Perm(d)
	v, gv := matrix.New[T](d, d), matrix.New[T](d, d)
	sign := matrix.New[T](d, d)
	for i := range d {
		for j := range d {
			s := T(1)
			if k.rng.IntN(2) == 0 {
				s = -1
			}
			sign.Set(i, j, s)
			v.Set(perm[i], perm[j], s*w.At(i, j))
		}
	}
	tol := 200 * float64(d) * unit[T]()
	if hv := k.eval("symmetries", gv, v); math.Abs(hv-h) > tol*max(1, math.Abs(h)) {
		k.Broken("symmetries", "h = %g, after relabelling and sign changes %g", h, hv)
		return
	}
	for i := range d {
		for j := range d {
			want, got := float64(g.At(i, j)), float64(sign.At(i, j)*gv.At(perm[i], perm[j]))
			if math.Abs(want-got) > tol*max(1, math.Abs(h), math.Abs(want)) {
				k.Broken("symmetries", "the gradient does not follow relabelling and signs: %g became %g", want, got)
				return
			}
		}
	}
}

// strided evaluates the same W contiguously and with NaN between its rows, with a matrix of another size in between.
func (k *constraintCheck[T]) strided() {
	d := k.o.D
	w := k.randomWeights()
	wide := &matrix.Dense[T]{Rows: d, Cols: d, Stride: d + 3, Data: make([]T, d*(d+3))}
	for i := range wide.Data {
		wide.Data[i] = T(math.NaN())
	}
	wide.CopyFrom(w)
	before := append([]T(nil), wide.Data...)
	k.repeats(w, wide, func() {
		if _, err := k.f.Eval(nil, matrix.New[T](d+1, d+1)); err != nil {
			k.Broken("sizes", "the zero matrix of size %d failed: %v", d+1, err)
		}
	})
	for i, v := range wide.Data {
		if gap := i%wide.Stride >= d; gap && v == v || !gap && v != before[i] { // the gap was NaN
			k.Broken("untouched", "Eval changed W, or what is between its rows")
		}
	}
}

func (k *constraintCheck[T]) overflow() {
	w := k.randomWeights()
	for i := range w.Data {
		w.Data[i] = T(math.Sqrt(largest[T]())) / 2
	}
	grad := matrix.New[T](w.Rows, w.Cols)
	h, err := k.f.Eval(grad, w)
	if k.o.Large && err == nil && h-h == 0 && grad.Finite() {
		return
	}
	if err == nil || !math.IsInf(h, 1) {
		k.Broken("overflow", "h = %g, error %v at weights of %g, want +Inf and an error", h, err, w.Data[0])
	}
}

func (k *constraintCheck[T]) randomDAG() *matrix.Dense[T] {
	d := k.o.D
	w, perm := matrix.New[T](d, d), k.rng.Perm(d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if k.rng.Float64() < 0.6 {
				w.Set(perm[i], perm[j], T(4*k.rng.Float64()-2))
			}
		}
	}
	return w
}

// randomWeights returns a full matrix scaled so that the spectral radius of W∘W is below MaxWeight²/2.
func (k *constraintCheck[T]) randomWeights() *matrix.Dense[T] {
	d := k.o.D
	w := matrix.New[T](d, d)
	scale := k.o.MaxWeight / math.Sqrt(2*float64(d))
	for i := range w.Data {
		w.Data[i] = T(scale * (2*k.rng.Float64() - 1))
	}
	return w
}
