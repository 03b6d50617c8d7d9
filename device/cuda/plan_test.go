package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda/internal/ptx"
	"github.com/polydag/polydag/matrix"
)

// problems are the kinds that a device knows.
func problems(d int) []device.Problem {
	var out []device.Problem
	for _, bits := range []int{32, 64} {
		for _, s := range []device.Score{device.LeastSquares, device.Gaussian, device.GaussianEqual} {
			for _, c := range []device.Constraint{device.Unconstrained, device.Geometric} {
				for _, p := range []device.Penalty{device.NoPenalty, device.L1, device.MCP} {
					for _, batch := range []int{1, 3, 64} {
						out = append(out, device.Problem{
							D: d, Bits: bits, Batch: batch, Score: s, Constraint: c, Penalty: p, Masked: p == device.L1,
							Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Lambda: 0.1, Width: 0.6,
						})
					}
				}
			}
		}
	}
	return out
}

// TestKernelsAreGenerated holds the stored text to its generator: go generate ./device/cuda leaves no difference.
func TestKernelsAreGenerated(t *testing.T) {
	for bits, text := range map[int]string{32: kernels32, 64: kernels64} {
		if text != ptx.Module(bits) {
			t.Errorf("kernels%d.ptx is not what its generator writes; run go generate ./device/cuda", bits)
		}
		for i, r := range text {
			if r > 126 {
				t.Fatalf("kernels%d.ptx has %q at byte %d: newer drivers refuse anything but ASCII", bits, r, i)
			}
		}
	}
}

// TestLaunchesDoNotRace checks that no product of a launch reads or writes what another one of it writes.
func TestLaunchesDoNotRace(t *testing.T) {
	for _, p := range problems(40) {
		pl, err := newPlan(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, launch := range pl.launches {
			written := map[int]int{}
			for k, j := range launch {
				for _, m := range j.writes() {
					if other, ok := written[m]; ok {
						t.Errorf("%+v: products %d and %d of launch %d both write matrix %d", p, other, k, i, m)
					}
					written[m] = k
				}
			}
			for k, j := range launch {
				for _, m := range j.reads() {
					if other, ok := written[m]; ok && other != k {
						t.Errorf("%+v: product %d of launch %d reads matrix %d, which product %d writes", p, k, i, m, other)
					}
				}
				if slices.Contains([]int{j.a, j.b}, j.c) {
					t.Errorf("%+v: product %d of launch %d overwrites its factor %d", p, k, i, j.c)
				}
			}
		}
	}
}

func (j job) reads() []int {
	out := []int{j.a, j.b}
	if j.ladder || j.beta != 0 {
		out = append(out, j.e)
	}
	if j.ladder {
		out = append(out, j.second)
	}
	return out
}

func (j job) writes() []int {
	out := []int{j.c}
	if j.ladder {
		out = append(out, j.rungs, j.rungs+1, j.rungs+2, j.rungs+3)
	}
	return out
}

// TestMemoryPlan checks that the parts of a problem's memory follow each other without overlap, aligned as the kernels read them.
func TestMemoryPlan(t *testing.T) {
	for _, d := range []int{1, 7, 32, 100, 129, 513, 1025, 2000} {
		for _, p := range problems(d) {
			pl, err := newPlan(p)
			if err != nil {
				t.Fatal(err)
			}
			if pl.leading < d || pl.leading%pl.tile.Rows != 0 || pl.leading%pl.tile.Cols != 0 || pl.leading%32 != 0 || pl.depth < d || pl.depth > pl.leading {
				t.Fatalf("d = %d: leading %d, depth %d with tile %+v", d, pl.leading, pl.depth, pl.tile)
			}
			at := []int{
				pl.matrices * pl.matrix(), pl.variances(), pl.control(), pl.partial(), pl.history(), pl.rates(), pl.slab(),
			}
			if !slices.IsSorted(at) {
				t.Fatalf("d = %d: parts begin at %v", d, at)
			}
			for _, v := range at {
				if v%8 != 0 {
					t.Fatalf("d = %d: a part begins at %d", d, v)
				}
			}
			if pl.partial()-pl.control() < ptx.ControlSize || pl.history()-pl.partial() < ptx.Blocks*48 || pl.bytes() <= pl.factors() {
				t.Fatalf("d = %d: too little room: %v", d, at)
			}
		}
	}
}

// interpret runs the launches of a plan with plain loops.
func interpret(pl *plan, m []*matrix.Dense[float64]) {
	d := pl.D
	for _, launch := range pl.launches {
		for _, j := range launch {
			product := matrix.New[float64](d, d)
			for r := range d {
				for c := range d {
					sum := 0.0
					for k := range d {
						sum += m[j.a].At(r, k) * m[j.b].At(k, c)
					}
					product.Set(r, c, sum)
				}
			}
			one := func(r, c int) float64 {
				if r == c {
					return 1
				}
				return 0
			}
			if j.ladder {
				for i := range 4 {
					f := j.factors[4*i:]
					for r := range d {
						for c := range d {
							m[j.rungs+i].Set(r, c, f[0]*one(r, c)+f[1]*m[j.e].At(r, c)+f[2]*m[j.second].At(r, c)+f[3]*product.At(r, c))
						}
					}
				}
				m[j.c].CopyFrom(product)
				continue
			}
			for r := range d {
				for c := range d {
					v := j.alpha*product.At(r, c) + j.delta*one(r, c)
					if j.beta != 0 {
						v += j.beta * m[j.e].At(r, c)
					}
					product.Set(r, c, v)
				}
			}
			m[j.c].CopyFrom(product)
		}
	}
}

// TestPlanComputesTheConstraint interprets the launches and compares h and its gradient with package acyclic, S·W with a product, and
// the inverse with an exact one, from a start that is a little off.
func TestPlanComputesTheConstraint(t *testing.T) {
	const d = 23
	rng := rand.New(rand.NewPCG(1, 2))
	pl, err := newPlan(device.Problem{D: d, Bits: 64, Batch: 1, Score: device.Gaussian, Constraint: device.Geometric})
	if err != nil {
		t.Fatal(err)
	}
	m := make([]*matrix.Dense[float64], pl.matrices)
	for i := range m {
		m[i] = matrix.New[float64](d, d)
	}
	w, s := m[pl.at[ptx.FrameW]], m[pl.at[ptx.FrameS]]
	for i := range w.Data {
		w.Data[i], s.Data[i] = rng.NormFloat64()/5, rng.NormFloat64()
	}
	n, y := m[pl.at[ptx.FrameN]], m[pl.at[ptx.FrameY]]
	for i := range d {
		w.Set(i, i, 0)
	}
	for i := range d {
		for j := range d {
			m[pl.at[ptx.FrameB]].Set(j, i, w.At(i, j)*w.At(i, j))
			n.Set(j, i, -w.At(i, j))
		}
	}
	for i := range d {
		n.Set(i, i, 1)
	}
	lu := matrix.LU[float64]{Threads: 1}
	if err := lu.Factor(n); err != nil {
		t.Fatal(err)
	}
	exact := matrix.New[float64](d, d)
	lu.Inverse(exact)
	for i, v := range exact.Data {
		y.Data[i] = v + 1e-3*rng.NormFloat64()
	}
	interpret(pl, m)

	grad := matrix.New[float64](d, d)
	h, err := (&acyclic.Geometric[float64]{K: 16}).Eval(grad, w)
	if err != nil {
		t.Fatal(err)
	}
	q, top := m[pl.at[ptx.FrameQ]], m[pl.at[ptx.FrameTop]]
	got, chain, last := q.Trace(), 0.0, 0.0
	for i := range d {
		for j := range d {
			chain += w.At(i, j) * w.At(i, j) * q.At(i, j)
			last += top.At(i, j) * top.At(j, i)
			if diff := math.Abs(2*w.At(i, j)*q.At(i, j) - grad.At(i, j)); diff > 1e-12*(1+math.Abs(grad.At(i, j))) {
				t.Fatalf("gradient at %d, %d is off by %g", i, j, diff)
			}
		}
	}
	got = pl.constants[0]*got + pl.constants[1]*chain + pl.constants[2]*last
	if math.Abs(got-h) > 1e-12*(1+h) {
		t.Errorf("h = %v, want %v", got, h)
	}
	for i := range y.Data {
		if diff := math.Abs(y.Data[i] - exact.Data[i]); diff > 1e-12 {
			t.Fatalf("the inverse is off by %g at %d", diff, i)
		}
	}
	want := matrix.New[float64](d, d)
	matrix.Mul(want, s, w, 1)
	for i, v := range m[pl.at[ptx.FrameSW]].Data {
		if math.Abs(v-want.Data[i]) > 1e-12 {
			t.Fatalf("S·W is off at %d", i)
		}
	}
}
