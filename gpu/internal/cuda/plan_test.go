package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// constraints are the kinds that a device knows, for d columns.
func constraints(d int) []device.Problem {
	return []device.Problem{
		{Constraint: device.Unconstrained},
		{Constraint: device.Geometric, Order: 16},
		{Constraint: device.Geometric, Order: 1},
		{Constraint: device.Geometric, Order: 2},
		{Constraint: device.Geometric, Order: 7},
		{Constraint: device.Geometric, Order: max(d, 2)},
		{Constraint: device.Exponential},
		{Constraint: device.Binomial},
		{Constraint: device.LogDeterminant, S: 1},
		{Constraint: device.LogDeterminant, S: 0.7},
	}
}

// problems are the kinds that a device knows.
func problems(d int) []device.Problem {
	var out []device.Problem
	for _, bits := range []int{32, 64} {
		for _, s := range []device.Score{device.LeastSquares, device.Gaussian, device.GaussianEqual} {
			for _, p := range constraints(d) {
				for _, f := range []device.Penalty{device.NoPenalty, device.L1, device.MCP} {
					for _, batch := range []int{1, 3, 64} {
						p.D, p.Bits, p.Batch, p.Score, p.Penalty, p.Masked = d, bits, batch, s, f, f == device.L1
						p.Rate, p.Beta1, p.Beta2, p.Eps, p.Lambda, p.Width = 0.01, 0.9, 0.999, 1e-8, 0.1, 0.6
						out = append(out, p)
					}
				}
			}
		}
	}
	return out
}

// TestKernelsAreGenerated checks that go generate ./gpu/internal/cuda leaves no difference.
func TestKernelsAreGenerated(t *testing.T) {
	for bits, text := range map[int]string{32: kernels32, 64: kernels64} {
		if text != ptx.Module(bits) {
			t.Errorf("kernels%d.ptx is not what its generator writes; run go generate ./gpu/internal/cuda", bits)
		}
		for i, r := range text {
			if r > 126 {
				t.Fatalf("kernels%d.ptx has %q at byte %d: newer drivers refuse anything but ASCII", bits, r, i)
			}
		}
	}
}

// TestLaunchesDoNotRace checks that no product of a launch reads or writes the output of another one.
func TestLaunchesDoNotRace(t *testing.T) {
	for _, p := range problems(40) {
		pl := planned(t, p)
		for i, launch := range pl.all() {
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
				if w := j.writes(); slices.Contains(w, j.a) || slices.Contains(w, j.b) {
					t.Errorf("%+v: product %d of launch %d overwrites its factor %d", p, k, i, j.c)
				}
			}
		}
	}
}

// TestMemoryPlan checks that the parts of a problem's memory follow each other without overlap, aligned as the kernels read them.
func TestMemoryPlan(t *testing.T) {
	for _, d := range []int{1, 7, 32, 100, 129, 513, 1025, 2000} {
		for _, p := range problems(d) {
			pl := planned(t, p)
			if pl.leading < d || pl.leading < (d+pl.tile.Rows-1)/pl.tile.Rows*pl.tile.Rows || pl.leading < (d+pl.tile.Cols-1)/pl.tile.Cols*pl.tile.Cols || pl.leading%32 != 0 || pl.depth < d || pl.depth > pl.leading {
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
			if pl.partial()-pl.control() < ptx.ControlSize || pl.history()-pl.partial() < ptx.Blocks*ptx.PartialSize || pl.bytes() <= pl.factors() {
				t.Fatalf("d = %d: too little room: %v", d, at)
			}
		}
	}
}

// interpret runs launches with plain loops, in order; the residual variances of a likelihood go to r.
func interpret(launches [][]job, m []*matrix.Dense[float64], r []float64) {
	d := m[0].Rows
	for _, launch := range launches {
		for _, j := range launch {
			one := func(r, c int) float64 {
				if r == c {
					return 1
				}
				return 0
			}
			if j.kind == ptx.KindColumns {
				for c := range d {
					r[c] = 0
					for i := range d {
						r[c] += (one(i, c) - m[j.a].At(i, c)) * (m[j.b].At(i, c) - m[j.e].At(i, c))
					}
				}
				continue
			}
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
			if j.kind == ptx.KindLadder {
				for i := range 4 {
					f := j.factors[4*i:]
					for r := range d {
						for c := range d {
							m[j.rungs+i].Set(r, c, f[0]*one(r, c)+f[1]*m[j.e].At(r, c)+f[2]*m[j.f].At(r, c)+f[3]*product.At(r, c))
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
					if j.gamma != 0 {
						v += j.gamma * m[j.f].At(r, c)
					}
					product.Set(r, c, v)
				}
			}
			m[j.c].CopyFrom(product)
		}
	}
}

// situation is the matrices of a plan at a W, with inverses that are off by noise.
func situation(t *testing.T, pl *plan, w, s *matrix.Dense[float64], rng *rand.Rand, noise, scale float64) (m []*matrix.Dense[float64], exact map[int]*matrix.Dense[float64]) {
	t.Helper()
	d := w.Rows
	m = make([]*matrix.Dense[float64], pl.matrices)
	for i := range m {
		m[i] = matrix.New[float64](d, d)
	}
	m[pl.at[ptx.FrameW]].CopyFrom(w)
	m[pl.at[ptx.FrameS]].CopyFrom(s)
	exact = map[int]*matrix.Dense[float64]{}
	fill := func(frame int, shift float64, f func(float64) float64) *matrix.Dense[float64] {
		to := matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				to.Set(j, i, f(w.At(i, j)))
			}
			to.Set(i, i, to.At(i, i)+shift)
		}
		if at, ok := pl.at[frame]; ok {
			m[at].CopyFrom(to)
		}
		return to
	}
	fill(ptx.FrameB, 0, func(w float64) float64 { return w * w * scale })
	invert := func(frame int, n *matrix.Dense[float64]) {
		at, ok := pl.at[frame]
		if !ok {
			return
		}
		lu := matrix.LU[float64]{Threads: 1}
		must.Succeed(t, lu.Factor(n))
		exact[at] = matrix.New[float64](d, d)
		lu.Inverse(exact[at])
		for i, v := range exact[at].Data {
			m[at].Data[i] = v + noise*rng.NormFloat64()
		}
	}
	if pl.flags&ptx.Likelihood != 0 {
		invert(ptx.FrameY, fill(ptx.FrameN, 1, func(w float64) float64 { return -w }))
	}
	if pl.flags&ptx.LogDet != 0 {
		invert(ptx.FrameQ, fill(ptx.FrameL, pl.S, func(w float64) float64 { return -w * w }))
	}
	return m, exact
}

// weightsAndMoments draws a W with a zero diagonal, and moments.
func weightsAndMoments(rng *rand.Rand, d int, size float64) (w, s *matrix.Dense[float64]) {
	w, s = matrix.New[float64](d, d), matrix.New[float64](d, d)
	for i := range w.Data {
		w.Data[i], s.Data[i] = size*rng.NormFloat64(), rng.NormFloat64()
	}
	for i := range d {
		w.Set(i, i, 0)
	}
	return w, s
}

// constraint is the CPU's for a problem.
func constraint(p device.Problem) solve.Constraint[float64] {
	switch p.Constraint {
	case device.Exponential:
		return &acyclic.Exp[float64]{}
	case device.Binomial:
		return &acyclic.Binomial[float64]{}
	case device.Truncated:
		return &acyclic.Truncated[float64]{Eps: p.Least}
	case device.LogDeterminant:
		return &acyclic.LogDet[float64]{S: p.S}
	}
	return &acyclic.Geometric[float64]{K: p.Order}
}

// TestPlanComputesTheProblem interprets the launches of each kind of problem and compares h and its gradient with package acyclic, S·W and
// the variances with products, and inverses with exact ones, from a start that is a little off, and with the careful launches further off.
func TestPlanComputesTheProblem(t *testing.T) {
	const d = 23
	for _, bits := range []int{32, 64} {
		for _, p := range constraints(d) {
			rng := rand.New(rand.NewPCG(1, 2))
			p.D, p.Bits, p.Batch, p.Score = d, bits, 1, device.Gaussian
			pl := planned(t, p)
			w, s := weightsAndMoments(rng, d, 1./8)
			for _, c := range []struct {
				noise, scale float64
				launches     [][]job
			}{{1e-3, pl.scale, pl.launches}, {3e-2, pl.finer, pl.careful}} {
				m, exact := situation(t, pl, w, s, rng, c.noise, c.scale)
				r := make([]float64, d)
				interpret(c.launches, m, r)
				checkEvaluation(t, pl, m, exact, r)
			}
		}
	}
}

func checkEvaluation(t *testing.T, pl *plan, m []*matrix.Dense[float64], exact map[int]*matrix.Dense[float64], r []float64) {
	t.Helper()
	d, tolerance := pl.D, 1e-12
	if pl.Bits == 32 {
		tolerance = 1e-6
	}
	w, s := m[pl.at[ptx.FrameW]], m[pl.at[ptx.FrameS]]
	for at, want := range exact {
		for i, v := range want.Data {
			if diff := math.Abs(m[at].Data[i] - v); diff > tolerance {
				t.Fatalf("%+v: the inverse is off by %g at %d", pl.Problem, diff, i)
			}
		}
	}
	want := matrix.New[float64](d, d)
	matrix.Mul(want, s, w, 1)
	for i, v := range m[pl.at[ptx.FrameSW]].Data {
		if !(math.Abs(v-want.Data[i]) <= 1e-12) {
			t.Fatalf("S·W is off at %d", i)
		}
	}
	for j := range d {
		v := s.At(j, j) - want.At(j, j)
		for i := range d {
			v -= w.At(i, j) * (s.At(i, j) - want.At(i, j))
		}
		if !(math.Abs(v-r[j]) <= 1e-12*(1+math.Abs(v))) {
			t.Fatalf("variance %d is %v, want %v", j, r[j], v)
		}
	}
	checkConstraint(t, pl, m, tolerance)
}

func checkConstraint(t *testing.T, pl *plan, m []*matrix.Dense[float64], tolerance float64) {
	t.Helper()
	if pl.flags&ptx.Constrained == 0 {
		return
	}
	d, w := pl.D, m[pl.at[ptx.FrameW]]
	grad := matrix.New[float64](d, d)
	h := must.Get(constraint(pl.Problem).Eval(grad, w))
	q, sum := m[pl.at[ptx.FrameQ]], m[pl.at[ptx.FrameSum]]
	chain, last, guard := 0.0, 0.0, 0.0
	for i := range d {
		for j := range d {
			chain += w.At(i, j) * w.At(i, j) * sum.At(i, j)
			if pl.flags&ptx.TopTrace != 0 {
				top := m[pl.at[ptx.FrameTop]]
				last += top.At(i, j) * top.At(j, i)
			}
			if pl.flags&ptx.Guarded != 0 {
				x := m[pl.at[ptx.FrameGuard]].At(i, j)
				guard += x * x * pl.guard
			}
			if diff := math.Abs(2*w.At(i, j)*q.At(i, j) - grad.At(i, j)); diff > tolerance*(1+math.Abs(grad.At(i, j))) {
				t.Fatalf("%+v: the gradient at %d, %d is off by %g", pl.Problem, i, j, diff)
			}
		}
	}
	if guard > pl.limit {
		t.Errorf("%+v: the guard is at %g, above %g", pl.Problem, guard, pl.limit)
	}
	if pl.flags&ptx.LogDet != 0 {
		return // h follows from its changes, see TestDeterminantsFollow
	}
	if got := pl.constants[0]*q.Trace() + pl.constants[1]*chain + pl.constants[2]*last; !(math.Abs(got-h) <= tolerance*(1+h)) {
		t.Errorf("%+v: h = %v, want %v", pl.Problem, got, h)
	}
}

// TestStagesComputeTheConstraint interprets the stages of a truncated sum until one ends it, for weights with
// few, many and no relevant powers.
func TestStagesComputeTheConstraint(t *testing.T) {
	taken := map[int]bool{}
	for _, d := range []int{2, 7, 16, 23} {
		for _, size := range []float64{1e-5, 0.02, 0.1, 0.3} {
			rng := rand.New(rand.NewPCG(7, uint64(d)))
			pl := planned(t, device.Problem{D: d, Bits: 64, Batch: 1, Score: device.LeastSquares, Constraint: device.Truncated, Least: 1e-6, Search: true, Pairs: 1})
			w, s := weightsAndMoments(rng, d, size)
			m, exact := situation(t, pl, w, s, rng, 0, pl.scale)
			for i, st := range pl.stages {
				interpret(pl.launches[st.begin:st.end], m, nil)
				if i == len(pl.stages)-1 || slices.Max(m[st.power].Data) <= pl.Least {
					m[pl.at[ptx.FrameSum]].CopyFrom(m[st.sum])
					m[pl.at[ptx.FrameQ]].CopyFrom(m[st.der])
					taken[i] = true
					break
				}
			}
			checkConstraint(t, pl, m, 1e-12)
			if len(exact) != 0 {
				t.Error("a truncated sum has no inverse")
			}
		}
	}
	if len(taken) < 5 {
		t.Errorf("sums ended after the stages %v; they show little", taken)
	}
}

// TestGuardsNotice checks that failures are detected: an exponential of a large matrix, and poor inverses.
func TestGuardsNotice(t *testing.T) {
	const d = 12
	rng := rand.New(rand.NewPCG(5, 6))
	size := func(pl *plan, m []*matrix.Dense[float64]) float64 {
		sum := 0.0
		for frame, weight := range map[int]float64{ptx.FrameResidual: 1, ptx.FrameGuard: pl.guard} {
			if at, ok := pl.at[frame]; ok {
				for _, v := range m[at].Data {
					sum += weight * v * v
				}
			}
		}
		return sum
	}
	for _, bits := range []int{32, 64} {
		for _, p := range []device.Problem{
			{Score: device.LeastSquares, Constraint: device.Exponential},
			{Score: device.LeastSquares, Constraint: device.LogDeterminant, S: 1},
			{Score: device.GaussianEqual},
		} {
			p.D, p.Bits, p.Batch = d, bits, 1
			pl := planned(t, p)
			w, s := matrix.New[float64](d, d), matrix.New[float64](d, d)
			for i := range w.Data {
				w.Data[i] = rng.NormFloat64() / 10
				if p.Constraint == device.Exponential {
					w.Data[i] = 4 + rng.NormFloat64()
				}
			}
			m, _ := situation(t, pl, w, s, rng, 0.5, pl.scale)
			interpret(pl.launches, m, make([]float64, d))
			if got := size(pl, m); got <= pl.limit {
				t.Errorf("%+v: %g is not above %g", p, got, pl.limit)
			}
		}
	}
}

// TestLargeExponentials checks that the careful launches compute what the plain ones cannot.
func TestLargeExponentials(t *testing.T) {
	const d = 12
	rng := rand.New(rand.NewPCG(8, 9))
	for bits, norm := range map[int]float64{32: 60, 64: 500} { // the norm of W∘W, whose exponential is at most e to this norm
		pl := planned(t, device.Problem{D: d, Bits: bits, Batch: 1, Score: device.LeastSquares, Constraint: device.Exponential})
		w, s := matrix.New[float64](d, d), matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				if i != j {
					w.Set(i, j, math.Sqrt(norm/d*(0.5+0.5*rng.Float64())))
				}
			}
		}
		guard := func(m []*matrix.Dense[float64]) (sum float64) {
			for _, v := range m[pl.at[ptx.FrameGuard]].Data {
				sum += v * v * pl.guard
			}
			return sum
		}
		m, _ := situation(t, pl, w, s, rng, 0, pl.scale)
		interpret(pl.launches, m, nil)
		if guard(m) <= pl.limit {
			t.Errorf("%d bits: the plain launches take it as well", bits)
		}
		m, _ = situation(t, pl, w, s, rng, 0, pl.finer)
		interpret(pl.careful, m, nil)
		tolerance := 1e-11
		if bits == 32 {
			tolerance = 1e-5
		}
		checkConstraint(t, pl, m, tolerance)
	}
}

// TestDeterminantsFollow follows h of log-det and log|det(I - W)| along the same way in 20 and in 40 steps, by the trapezoid rule that the
// kernels have. It is of second order: with steps of half the length a quarter of the error is left.
func TestDeterminantsFollow(t *testing.T) {
	const d = 30
	pl := planned(t, device.Problem{D: d, Bits: 64, Batch: 1, Score: device.Gaussian, Constraint: device.LogDeterminant, S: 1})
	rng := rand.New(rand.NewPCG(3, 4))
	w, s, way := matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			if i != j {
				way.Set(i, j, 0.02+0.02*rng.Float64())
			}
			if i > j {
				w.Set(i, j, 0.4*rng.NormFloat64())
			}
		}
	}
	values := func(w *matrix.Dense[float64]) (h, y float64, gradients [2]*matrix.Dense[float64]) {
		m, exact := situation(t, pl, w, s, rng, 0, pl.scale)
		h = must.Get(constraint(pl.Problem).Eval(nil, w))
		lu := matrix.LU[float64]{Threads: 1}
		must.Succeed(t, lu.Factor(m[pl.at[ptx.FrameN]]))
		y, _ = lu.LogAbsDet()
		return h, -y, [2]*matrix.Dense[float64]{exact[pl.at[ptx.FrameQ]], exact[pl.at[ptx.FrameY]]}
	}
	follow := func(steps int) (errH, errY, changeH, changeY float64) {
		firstH, firstY, before := values(w)
		h, y, lastH, lastY := firstH, firstY, firstH, firstY
		at, next := matrix.New[float64](d, d), matrix.New[float64](d, d)
		at.CopyFrom(w)
		for step := range steps {
			var now [2]*matrix.Dense[float64]
			for i, v := range way.Data {
				next.Data[i] = w.Data[i] + v*float64(step+1)/float64(steps)
			}
			lastH, lastY, now = values(next)
			for i, v := range next.Data {
				half := (v - at.Data[i]) / 2
				h += (before[0].Data[i] + now[0].Data[i]) * half * (v + at.Data[i])
				y += (before[1].Data[i] + now[1].Data[i]) * half
			}
			at.CopyFrom(next)
			before = now
		}
		return math.Abs(h - lastH), math.Abs(y - lastY), math.Abs(lastH - firstH), math.Abs(lastY - firstY)
	}
	h20, y20, changeH, changeY := follow(20)
	h40, y40, _, _ := follow(40)
	if h20 > 1e-2*changeH || y20 > 1e-2*changeY {
		t.Errorf("h is off by %g of %g, -log|det| by %g of %g", h20, changeH, y20, changeY)
	}
	if h40 > 0.3*h20 || y40 > 0.3*y20 {
		t.Errorf("with half the steps errors of %g and %g became %g and %g", h20, y20, h40, y40)
	}
}
