package acyclic_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

// kept lists every constraint with its properties. A zero tolerance of 0 means exact zeros on DAGs.
// LongestCycle is the longest cycle that a constraint detects, limited by K for h_geo and by rounding for the
// others.
func kept[T matrix.Float](d int, eps float64) map[string]struct {
	c solve.Constraint[T]
	o kit.ConstraintSettings
} {
	type row = struct {
		c solve.Constraint[T]
		o kit.ConstraintSettings
	}
	solved := 5e5 * eps // a solve multiplies the error by the condition number of I - A
	return map[string]row{
		"Poly":             {&acyclic.Poly[T]{}, kit.ConstraintSettings{}},
		"Exp":              {&acyclic.Exp[T]{}, kit.ConstraintSettings{LongestCycle: 16}},
		"Binomial":         {&acyclic.Binomial[T]{}, kit.ConstraintSettings{}},
		"Truncated":        {&acyclic.Truncated[T]{Eps: 1e-30}, kit.ConstraintSettings{}},
		"Geometric":        {&acyclic.Geometric[T]{}, kit.ConstraintSettings{}},
		"Geometric/2":      {&acyclic.Geometric[T]{Threads: 2}, kit.ConstraintSettings{}},
		"Geometric/K=3":    {&acyclic.Geometric[T]{K: 3}, kit.ConstraintSettings{LongestCycle: 3}},
		"Geometric/K=16":   {&acyclic.Geometric[T]{K: 16}, kit.ConstraintSettings{LongestCycle: 16}},
		"Geometric/K=37":   {&acyclic.Geometric[T]{K: 37}, kit.ConstraintSettings{LongestCycle: 37}},
		"GeometricSolve":   {&acyclic.GeometricSolve[T]{}, kit.ConstraintSettings{ZeroTol: solved, MaxWeight: 0.9, LongestCycle: 6}},
		"LogDet":           {&acyclic.LogDet[T]{}, kit.ConstraintSettings{}},
		"LogDet/2":         {&acyclic.LogDet[T]{Threads: 2}, kit.ConstraintSettings{}},
		"LogDet/s=0.6":     {&acyclic.LogDet[T]{S: 0.6}, kit.ConstraintSettings{MaxWeight: 0.8}},
		"GeometricSolve/K": {&acyclic.GeometricSolve[T]{K: 16}, kit.ConstraintSettings{ZeroTol: solved, MaxWeight: 0.9, LongestCycle: 6}},
	}
}

func testKit[T matrix.Float](t *testing.T, eps float64) {
	for _, d := range []int{3, 6, 20} {
		for name, row := range kept[T](d, eps) {
			t.Run(fmt.Sprintf("%s/d=%d", name, d), func(t *testing.T) {
				for seed := range uint64(3) {
					row.o.D, row.o.Seed = d, seed
					if err := kit.ConstraintWith(row.c, row.o); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func TestKitFloat64(t *testing.T) { testKit[float64](t, 0x1p-52) }
func TestKitFloat32(t *testing.T) { testKit[float32](t, 0x1p-23) }

// walks computes tr(A^k) by enumeration, as the sum over all closed walks of length k of the product of their
// weights.
func walks(a [][]float64, k int) float64 {
	d := len(a)
	var from func(start, at, left int) float64
	from = func(start, at, left int) float64 {
		if left == 0 {
			if at == start {
				return 1
			}
			return 0
		}
		sum := 0.0
		for next := range d {
			if a[at][next] != 0 {
				sum += a[at][next] * from(start, next, left-1)
			}
		}
		return sum
	}
	sum := 0.0
	for i := range d {
		sum += from(i, i, k)
	}
	return sum
}

func randomGraph(rng *rand.Rand, d int, p float64) (*matrix.Dense[float64], [][]float64) {
	w := matrix.New[float64](d, d)
	a := make([][]float64, d)
	for i := range d {
		a[i] = make([]float64, d)
		for j := range d {
			if rng.Float64() < p {
				v := 2*rng.Float64() - 1
				w.Set(i, j, v)
				a[i][j] = v * v
			}
		}
	}
	return w, a
}

// expSeries returns tr(exp(W∘W)) - d, summed term by term.
func expSeries(w *matrix.Dense[float64]) float64 {
	d := w.Rows
	b, term, next := matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d)
	matrix.SquareT(b, w)
	term.CopyFrom(b)
	sum := term.Trace()
	for k := 2; k <= 60; k++ {
		matrix.Mul(next, term, b, 1)
		term, next = next, term
		for i := range term.Data {
			term.Data[i] /= float64(k)
		}
		sum += term.Trace()
	}
	return sum
}

func TestAgainstClosedWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		d := 1 + trial%5
		w, a := randomGraph(rng, d, 0.5)
		k := 1 + rng.IntN(7)
		power, cut := 0.0, 0.0
		for i := 1; i <= 8; i++ {
			tr := walks(a, i)
			if i <= d {
				power += tr
			}
			if i <= k {
				cut += tr
			}
		}
		check := func(name string, c solve.Constraint[float64], want, tol float64) {
			t.Helper()
			got, err := c.Eval(nil, w)
			if err != nil || !(math.Abs(got-want) <= tol*(1+want)) {
				t.Fatalf("trial %d, d = %d, k = %d: %s = %v (%v), closed walks give %v", trial, d, k, name, got, err, want)
			}
		}
		check("Poly", &acyclic.Poly[float64]{}, power, 1e-13)
		check("Geometric", &acyclic.Geometric[float64]{}, power, 1e-13)
		check("Geometric K", &acyclic.Geometric[float64]{K: k}, cut, 1e-13)
		if g, err := (&acyclic.GeometricSolve[float64]{K: k}).Eval(nil, w); err == nil && !(math.Abs(g-cut) <= 1e-6*(1+cut)) {
			t.Fatalf("trial %d: the solve form gives %v, closed walks %v", trial, g, cut)
		}
		check("Exp", &acyclic.Exp[float64]{}, expSeries(w), 1e-13)
	}
}

// TestGeometricEveryK compares value and gradient of both schemes with the direct loop for every K.
func TestGeometricEveryK(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const d = 7
	w, _ := randomGraph(rng, d, 0.6)
	for k := 1; k <= 140; k++ {
		want, wantG := 0.0, matrix.New[float64](d, d)
		b, p := matrix.New[float64](d, d), matrix.New[float64](d, d)
		matrix.SquareT(b, w)
		for i := range d {
			p.Set(i, i, 1)
		}
		for j := 1; j <= k; j++ {
			for i := range p.Data {
				wantG.Data[i] += 2 * w.Data[i] * float64(j) * p.Data[i]
			}
			next := matrix.New[float64](d, d)
			matrix.Mul(next, p, b, 1)
			p = next
			want += p.Trace()
		}
		geo := acyclic.Geometric[float64]{K: k}
		g := matrix.New[float64](d, d)
		got, err := geo.Eval(g, w)
		if err != nil || !(math.Abs(got-want) <= 1e-12*want*float64(k)) {
			t.Fatalf("K = %d: h = %v (%v), the loop gives %v", k, got, err, want)
		}
		for i := range g.Data {
			if !(math.Abs(g.Data[i]-wantG.Data[i]) <= 1e-12*float64(k)*(1+math.Abs(wantG.Data[i]))) {
				t.Fatalf("K = %d: gradient %v, the loop gives %v", k, g.Data[i], wantG.Data[i])
			}
		}
	}
}

// TestGeometricLosesNothing checks the relative accuracy of h in float32, however small h is. The reference
// adds the traces of powers in float64.
func TestGeometricLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, d := range []int{3, 20, 75} {
		for _, size := range []float64{1e-3, 0.03, 0.5, 1, 1.5} {
			w := matrix.New[float32](d, d)
			for i := range w.Data {
				if i%(d+1) != 0 { // no self-loops: the shortest cycles have two edges
					w.Data[i] = float32(size * rng.NormFloat64() / math.Sqrt(float64(d)))
				}
			}
			a, p := matrix.New[float64](d, d), matrix.New[float64](d, d)
			matrix.SquareT(a, matrix.Convert[float64](w))
			p.CopyFrom(a)
			sum := 0.0
			for k := 1; k <= 40; k++ {
				sum += p.Trace()
				next := matrix.New[float64](d, d)
				matrix.Mul(next, p, a, 1)
				p = next
				if h, err := (&acyclic.Geometric[float32]{K: k}).Eval(nil, w); err != nil || !(math.Abs(h-sum) <= 1e-6*sum) {
					t.Errorf("d = %d, weights of %g, K = %d: h = %g (%v), the traces sum to %g", d, size, k, h, err, sum)
				}
			}
		}
	}
}

func TestProducts(t *testing.T) {
	for _, c := range []struct{ k, want int }{{1, 0}, {2, 0 + 1}, {16, 6}} {
		if got := (&acyclic.Geometric[float64]{K: c.k}).Products(500); got > c.want {
			t.Errorf("K = %d costs %d products, want at most %d", c.k, got, c.want)
		}
	}
	for _, d := range []int{8, 100, 1000, 8191} {
		if got, most := (&acyclic.Geometric[float64]{}).Products(d), int(4*math.Log2(float64(d)))+4; got > most {
			t.Errorf("K = d = %d costs %d products, want at most %d", d, got, most)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for name, row := range kept[float64](20, 0x1p-52) {
		if row.c == nil || name == "Geometric/2" || name == "LogDet/2" {
			continue
		}
		w, g := matrix.New[float64](20, 20), matrix.New[float64](20, 20)
		for i := range w.Data {
			w.Data[i] = 0.05
		}
		row.c.Eval(g, w)
		if n := testing.AllocsPerRun(10, func() { row.c.Eval(g, w) }); n > 0 {
			t.Errorf("%s: %v allocations a call after the first", name, n)
		}
	}
}

func TestSolveFormAtASingularPoint(t *testing.T) {
	w := matrix.New[float64](2, 2)
	w.Set(0, 1, 1)
	w.Set(1, 0, 1) // spectral radius 1: I - A is singular
	h, err := (&acyclic.GeometricSolve[float64]{K: 16}).Eval(nil, w)
	if !errors.Is(err, acyclic.ErrDomain) || !math.IsInf(h, 1) {
		t.Errorf("the solve form at a singular point: %v, %v", h, err)
	}
	if h, err := (&acyclic.Geometric[float64]{K: 16}).Eval(nil, w); err != nil || h != 16 {
		t.Errorf("h_geo of the unit 2-cycle at K = 16 is %v (%v), want 16", h, err)
	}
}

func TestThreadsGiveTheSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, name := range []string{"geo", "exp", "det"} {
		threadsGiveTheSameBytes(t, name, 260)
	}
	threadsGiveTheSameBytes(t, "geo", 100)
	threadsGiveTheSameBytes(t, "geo", 460) // strips have more rows here, depending on the threads
}

func threadsGiveTheSameBytes(t *testing.T, name string, d int) {
	rng := rand.New(rand.NewPCG(5, 6))
	w := matrix.New[float32](d, d)
	for i := range w.Data {
		w.Data[i] = float32(0.9 * rng.NormFloat64() / math.Sqrt(float64(d)))
	}
	made := func(threads int) solve.Constraint[float32] {
		switch name {
		case "geo":
			return &acyclic.Geometric[float32]{K: 16, Threads: threads}
		case "exp":
			return &acyclic.Exp[float32]{Threads: threads}
		}
		return &acyclic.LogDet[float32]{Threads: threads}
	}
	g1, g2 := matrix.New[float32](d, d), matrix.New[float32](d, d)
	h1, _ := made(1).Eval(g1, w)
	for threads := 2; threads <= 5; threads++ {
		if h2, _ := made(threads).Eval(g2, w); h1 != h2 {
			t.Errorf("%s, d = %d: h = %v on one thread, %v on %d", name, d, h1, h2, threads)
		}
		if !slices.Equal(g1.Data, g2.Data) {
			t.Errorf("%s, d = %d: gradients on one thread and %d differ", name, d, threads)
		}
	}
}
