package kit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Penalty reports every check that a penalty fails on random matrices with weights of up to three times size:
//
//   - zero: the penalty of the zero matrix is zero, and its subgradient there too
//   - positive: it is finite, and positive if a weight is not zero
//   - signs: it does not change with the signs of the weights
//   - rising: making all weights larger does not make it smaller
//   - gradient: it agrees with central differences if no weight is near zero
//   - adds: the gradient is added to the existing values
//   - repeats: a second call gives the same value
//   - kink: if it is reported, it is the derivative just beside zero
//   - untouched: w is not changed
func Penalty[T matrix.Float](p solve.Penalty[T], rows, columns int, size float64, seed uint64) error {
	k := &penaltyCheck[T]{p: p, rng: rand.New(rand.NewPCG(seed, 0x9e4a17)), rows: rows, columns: columns, size: size}
	k.zero()
	for range 4 {
		w := k.draw()
		k.values(w)
		k.gradient(w)
		k.adds(w)
	}
	k.kink()
	return k.Verdict()
}

type penaltyCheck[T matrix.Float] struct {
	List
	p             solve.Penalty[T]
	rng           *rand.Rand
	rows, columns int
	size          float64
}

// draw returns weights of all sizes up to three times size, none of them near zero.
func (k *penaltyCheck[T]) draw() *matrix.Dense[T] {
	w := matrix.New[T](k.rows, k.columns)
	for i := range w.Data {
		w.Data[i] = T(k.size * (0.05 + 3*k.rng.Float64()) * float64(2*k.rng.IntN(2)-1))
	}
	return w
}

func (k *penaltyCheck[T]) value(w *matrix.Dense[T]) float64 {
	return k.p.AddGrad(matrix.New[T](w.Rows, w.Cols), w)
}

func (k *penaltyCheck[T]) zero() {
	w, g := matrix.New[T](k.rows, k.columns), matrix.New[T](k.rows, k.columns)
	if v := k.p.AddGrad(g, w); v != 0 {
		k.Broken("zero", "the penalty of the zero matrix is %g", v)
	}
	for _, v := range g.Data {
		if v != 0 {
			k.Broken("zero", "the subgradient at the zero matrix has an entry %g", v)
		}
	}
}

func (k *penaltyCheck[T]) values(w *matrix.Dense[T]) {
	before := slices.Clone(w.Data)
	v := k.value(w)
	if !(v > 0) || math.IsInf(v, 0) {
		k.Broken("positive", "the penalty is %g", v)
	}
	if again := k.value(w); again != v {
		k.Broken("repeats", "two calls gave %g and %g", v, again)
	}
	if !slices.Equal(before, w.Data) {
		k.Broken("untouched", "AddGrad changed w")
	}
	turned, larger := w.Clone(), w.Clone()
	for i := range w.Data {
		if k.rng.IntN(2) == 0 {
			turned.Data[i] *= -1
		}
		larger.Data[i] *= T(1 + k.rng.Float64())
	}
	tol := 8 * unit[T]() * v
	if s := k.value(turned); math.Abs(s-v) > tol {
		k.Broken("signs", "the penalty is %g, with other signs %g", v, s)
	}
	if s := k.value(larger); s < v-tol {
		k.Broken("rising", "the penalty falls from %g to %g where weights grow", v, s)
	}
}

func (k *penaltyCheck[T]) gradient(w *matrix.Dense[T]) {
	w = w.Clone()
	g := matrix.New[T](w.Rows, w.Cols)
	v := k.p.AddGrad(g, w)
	delta := math.Cbrt(unit[T]()) * k.size
	for i, at := range w.Data {
		w.Data[i] = at + T(delta)
		up, hi := k.value(w), w.Data[i]
		w.Data[i] = at - T(delta)
		down, lo := k.value(w), w.Data[i]
		w.Data[i] = at
		want := (up - down) / float64(hi-lo)
		// A jump of the second derivative adds an error proportional to delta, and rounding unit/delta of the value.
		tol := 4*delta/k.size*max(math.Abs(want), v/k.size/float64(len(w.Data))) + 16*unit[T]()*v/delta
		if !(math.Abs(want-float64(g.Data[i])) <= tol) {
			k.Broken("gradient", "entry %d at %g is %g, differences give %g ± %g", i, at, g.Data[i], want, tol)
			return
		}
	}
}

func (k *penaltyCheck[T]) adds(w *matrix.Dense[T]) {
	g, twice := matrix.New[T](w.Rows, w.Cols), matrix.New[T](w.Rows, w.Cols)
	k.p.AddGrad(g, w)
	k.p.AddGrad(twice, w)
	k.p.AddGrad(twice, w)
	for i, v := range g.Data {
		if math.Abs(float64(twice.Data[i]-2*v)) > 8*unit[T]()*math.Abs(float64(v)) {
			k.Broken("adds", "after two calls entry %d is %g, after one %g", i, twice.Data[i], v)
			return
		}
	}
}

// kink compares the reported kink with the derivative at a tiny weight.
func (k *penaltyCheck[T]) kink() {
	told, ok := k.p.(interface{ Kink() float64 })
	if !ok {
		return
	}
	w, g := matrix.New[T](k.rows, k.columns), matrix.New[T](k.rows, k.columns)
	for i := range w.Data {
		w.Data[i] = T(1e-6 * k.size)
	}
	k.p.AddGrad(g, w)
	for _, v := range g.Data {
		if math.Abs(float64(v)-told.Kink()) > 1e-4*told.Kink() {
			k.Broken("kink", "it tells %g, and the derivative beside zero is %g", told.Kink(), v)
			return
		}
	}
}
