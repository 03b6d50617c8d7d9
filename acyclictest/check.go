// Package acyclictest checks that an acyclicity constraint keeps its contract:
//
//	if err := acyclictest.Check(&mine{}, 6, 1); err != nil { t.Error(err) }
//
// Check reports every law that the implementation breaks, not only the first.
package acyclictest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/matrix"
)

// Constraint is what is checked; it is the same as solve.Constraint.
type Constraint[T matrix.Float] interface {
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// Options widen the laws for constraints that keep them only in part.
type Options struct {
	D    int    // number of nodes, at least 3
	Seed uint64 // of the random graphs

	// ZeroTol is the largest |h| that counts as zero on a DAG. 0 asks for exact zeros.
	ZeroTol float64
	// LongestCycle is the longest cycle that the constraint sees; 0 means D.
	LongestCycle int
	// MaxWeight bounds the weights of random graphs with cycles, for constraints with a
	// small domain. 0 means 1.
	MaxWeight float64
}

// Check reports every law that c breaks on graphs of d nodes: h is zero on random DAGs (within d
// units of roundoff), positive on a self-loop, a 2-cycle and the d-cycle; the gradient agrees with central
// differences; h does not change with signs and labels, and the gradient follows them; the value
// is the same with and without a gradient, and on a second call; w is neither kept nor changed, also
// in the gap of a strided matrix; a W too large for h gives +Inf and an error, never NaN.
func Check[T matrix.Float](c Constraint[T], d int, seed uint64) error {
	return CheckWith(c, Options{D: d, Seed: seed, ZeroTol: 8 * float64(d) * eps[T]()})
}

// CheckWith is Check with options.
func CheckWith[T matrix.Float](c Constraint[T], o Options) error {
	if o.D < 3 {
		return fmt.Errorf("acyclictest: D = %d, want at least 3", o.D)
	}
	if o.LongestCycle == 0 {
		o.LongestCycle = o.D
	}
	if o.MaxWeight == 0 {
		o.MaxWeight = 1
	}
	k := &kit[T]{c: c, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0xac7c11c))}
	k.zeroOnDAGs()
	k.positiveOnCycles()
	k.gradient()
	k.symmetries()
	k.manners()
	k.keepsNothing()
	k.overflow()
	return errors.Join(k.errs...)
}

type kit[T matrix.Float] struct {
	c    Constraint[T]
	o    Options
	rng  *rand.Rand
	errs []error
}

func (k *kit[T]) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf("acyclictest: "+format, args...))
}

// eval calls the constraint where it must succeed.
func (k *kit[T]) eval(law string, grad, w *matrix.Dense[T]) float64 {
	h, err := k.c.Eval(grad, w)
	if err != nil {
		k.fail("%s: Eval failed: %v", law, err)
	}
	if math.IsNaN(h) || (grad != nil && !grad.Finite()) {
		k.fail("%s: NaN or infinite value or gradient", law)
	}
	return h
}

func (k *kit[T]) zeroOnDAGs() {
	for range 10 {
		w := k.randomDAG()
		if h := k.eval("zero on DAGs", nil, w); math.Abs(h) > k.o.ZeroTol {
			k.fail("zero on DAGs: h = %g on a DAG, want |h| ≤ %g", h, k.o.ZeroTol)
			return
		}
	}
}

func (k *kit[T]) positiveOnCycles() {
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
			k.fail("positive on cycles: h = %g on a cycle of %d nodes, want > %g", h, length, k.o.ZeroTol)
		}
	}
}

// gradient compares with central differences of step δ; their error is δ² h‴/6 + (rounding of h)/δ.
func (k *kit[T]) gradient() {
	d := k.o.D
	w, g := k.randomWeights(), matrix.New[T](d, d)
	h := k.eval("gradient", g, w)
	delta := math.Cbrt(eps[T]())
	scale := math.Abs(h)
	for _, v := range g.Data {
		scale = max(scale, math.Abs(float64(v)))
	}
	tol := 30*delta*delta*max(scale, 1) + k.o.ZeroTol/delta
	for i := range d {
		for j := range d {
			at := w.At(i, j)
			w.Set(i, j, at+T(delta))
			up, hi := k.eval("gradient", nil, w), w.At(i, j)
			w.Set(i, j, at-T(delta))
			down, lo := k.eval("gradient", nil, w), w.At(i, j)
			w.Set(i, j, at)
			want := (up - down) / float64(hi-lo)
			if math.Abs(want-float64(g.At(i, j))) > tol {
				k.fail("gradient: entry (%d, %d) is %g, differences give %g ± %g", i, j, g.At(i, j), want, tol)
				return
			}
		}
	}
}

// symmetries takes several graphs, since one draw of the signs can miss the entries that matter.
func (k *kit[T]) symmetries() {
	for range 8 {
		if !k.symmetric() {
			return
		}
	}
}

// symmetric relabels one random graph and changes its signs; it reports whether h and its gradient follow.
func (k *kit[T]) symmetric() bool {
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
	tol := 200 * float64(d) * eps[T]()
	if hv := k.eval("symmetries", gv, v); math.Abs(hv-h) > tol*max(1, math.Abs(h)) {
		k.fail("symmetries: h = %g, after relabelling and sign changes %g", h, hv)
		return false
	}
	for i := range d {
		for j := range d {
			want, got := float64(g.At(i, j)), float64(sign.At(i, j)*gv.At(perm[i], perm[j]))
			if math.Abs(want-got) > tol*max(1, math.Abs(h), math.Abs(want)) {
				k.fail("symmetries: the gradient does not follow relabelling and signs: %g became %g", want, got)
				return false
			}
		}
	}
	return true
}

// manners: argument untouched, gradient overwritten and not added to, the same answer twice, with or
// without a gradient, from contiguous and from strided matrices, after a matrix of another size.
func (k *kit[T]) manners() {
	d := k.o.D
	w := k.randomWeights()
	wide := &matrix.Dense[T]{Rows: d, Cols: d, Stride: d + 3, Data: make([]T, d*(d+3))}
	for i := range wide.Data {
		wide.Data[i] = T(math.NaN())
	}
	wide.CopyFrom(w)
	before := append([]T(nil), wide.Data...)
	g1, g2 := matrix.New[T](d, d), matrix.New[T](d, d)
	for i := range g1.Data {
		g1.Data[i] = 7
	}
	h1 := k.eval("manners", g1, w)
	if _, err := k.c.Eval(nil, matrix.New[T](d+1, d+1)); err != nil {
		k.fail("manners: the zero matrix of size %d failed: %v", d+1, err)
	}
	h2 := k.eval("manners", g2, wide)
	h3 := k.eval("manners", nil, w)
	if h1 != h2 || h1 != h3 {
		k.fail("manners: three evaluations of one W gave %g, %g, %g", h1, h2, h3)
	}
	for i := range g1.Data {
		if g1.Data[i] != g2.Data[i] {
			k.fail("manners: the gradient depends on its old content or on the stride of W")
			break
		}
	}
	for i, v := range wide.Data {
		if gap := i%wide.Stride >= d; gap && v == v || !gap && v != before[i] { // the gap was NaN
			k.fail("manners: Eval changed W, or what is between its rows")
			break
		}
	}
}

// keepsNothing changes a W that was evaluated, in place, and compares with a fresh copy of it.
func (k *kit[T]) keepsNothing() {
	w := k.randomWeights()
	k.eval("keeps nothing", nil, w)
	for i := range w.Data {
		w.Data[i] /= 2
	}
	if a, b := k.eval("keeps nothing", nil, w), k.eval("keeps nothing", nil, w.Clone()); a != b {
		k.fail("keeps nothing: a W that was changed in place gives %g, a copy of it %g", a, b)
	}
}

func (k *kit[T]) overflow() {
	w := k.randomWeights()
	for i := range w.Data {
		w.Data[i] = T(math.Sqrt(maxValue[T]())) / 2
	}
	h, err := k.c.Eval(nil, w)
	if err == nil || !math.IsInf(h, 1) {
		k.fail("overflow: h = %g, error %v at weights of %g, want +Inf and an error", h, err, w.Data[0])
	}
}

func (k *kit[T]) randomDAG() *matrix.Dense[T] {
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
func (k *kit[T]) randomWeights() *matrix.Dense[T] {
	d := k.o.D
	w := matrix.New[T](d, d)
	scale := k.o.MaxWeight / math.Sqrt(2*float64(d))
	for i := range w.Data {
		w.Data[i] = T(scale * (2*k.rng.Float64() - 1))
	}
	return w
}

func eps[T matrix.Float]() float64 {
	if T(1)+T(1e-9) == T(1) {
		return 0x1p-23
	}
	return 0x1p-52
}

func maxValue[T matrix.Float]() float64 {
	if T(1)+T(1e-9) == T(1) {
		return math.MaxFloat32
	}
	return math.MaxFloat64
}
