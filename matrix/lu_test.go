package matrix

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// unit is the distance from 1 to the next T.
func unit[T Float]() float64 {
	if T(1)+T(0x1p-30) == 1 {
		return 0x1p-23
	}
	return 0x1p-52
}

// strided returns a random matrix whose rows lie gap apart, the gaps filled with a canary.
func strided[T Float](rng *rand.Rand, rows, cols, gap int) *Dense[T] {
	m := &Dense[T]{Rows: rows, Cols: cols, Stride: cols + gap, Data: make([]T, rows*(cols+gap))}
	for i := range m.Data {
		m.Data[i] = 12345
	}
	for i := range rows {
		for j := range m.Row(i) {
			m.Set(i, j, T(rng.NormFloat64()))
		}
	}
	return m
}

func checkGaps[T Float](t *testing.T, m *Dense[T]) {
	t.Helper()
	for i := range m.Rows {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if v != 12345 {
				t.Fatalf("row %d: the gap was overwritten", i)
			}
		}
	}
}

// slowSolve is Gaussian elimination as in a textbook, in float64: it returns A⁻¹·b and det A.
func slowSolve(a, b *Dense[float64]) (x *Dense[float64], det float64) {
	a, x, det = a.Clone(), b.Clone(), 1
	n := a.Rows
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(p, k)) {
				p = i
			}
		}
		if p != k {
			det = -det
			for j := range n {
				v, w := a.At(k, j), a.At(p, j)
				a.Set(k, j, w)
				a.Set(p, j, v)
			}
			for j := range x.Cols {
				v, w := x.At(k, j), x.At(p, j)
				x.Set(k, j, w)
				x.Set(p, j, v)
			}
		}
		det *= a.At(k, k)
		for i := range n {
			if i == k {
				continue
			}
			l := a.At(i, k) / a.At(k, k)
			for j := range n {
				a.Set(i, j, a.At(i, j)-l*a.At(k, j))
			}
			for j := range x.Cols {
				x.Set(i, j, x.At(i, j)-l*x.At(k, j))
			}
		}
	}
	for i := range n {
		for j := range x.Cols {
			x.Set(i, j, x.At(i, j)/a.At(i, i))
		}
	}
	return x, det
}

func norm[T Float](m *Dense[T]) float64 {
	s := 0.0
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			s += float64(v) * float64(v)
		}
	}
	return math.Sqrt(s)
}

// slowMul is the product by its definition, in float64.
func slowMul[T Float](a, b *Dense[T]) *Dense[float64] {
	c := New[float64](a.Rows, b.Cols)
	for i := range a.Rows {
		for j := range b.Cols {
			for k := range a.Cols {
				c.Data[i*c.Stride+j] += float64(a.At(i, k)) * float64(b.At(k, j))
			}
		}
	}
	return c
}

func subtract(c, b *Dense[float64]) *Dense[float64] {
	for i := range c.Rows {
		for j := range c.Row(i) {
			c.Set(i, j, c.At(i, j)-b.At(i, j))
		}
	}
	return c
}

func identity[T Float](n int) *Dense[T] {
	m := New[T](n, n)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func TestLU(t *testing.T) {
	for n := range 40 {
		testLU[float32](t, n, n%3)
		testLU[float64](t, n, n%3)
	}
	for _, n := range []int{63, 64, 65, 100, 131} {
		testLU[float32](t, n, 5)
		testLU[float64](t, n, 5)
	}
}

// testLU checks every result of a random matrix against the textbook and by its residual, which
// bounds the error whatever the condition of the matrix.
func testLU[T Float](t *testing.T, n, gap int) {
	t.Run(fmt.Sprintf("%T/n=%d", T(0), n), func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		a := strided[T](rng, n, n, gap)
		b := strided[T](rng, n, 1+n%7, gap)
		a0, b0 := a.Clone(), b.Clone()
		var f LU[T]
		must.Succeed(t, f.Factor(a))
		x := strided[T](rng, n, b.Cols, 2)
		f.Solve(x, b)
		if norm(subtract(Convert[float64](a), Convert[float64](a0))) != 0 || norm(subtract(Convert[float64](b), Convert[float64](b0))) != 0 {
			t.Fatal("an argument was changed")
		}
		checkGaps(t, x)
		checkGaps(t, a)

		tol := 4 * float64(n) * unit[T]()
		if r := norm(subtract(slowMul(a, x), Convert[float64](b))); r > tol*norm(a)*norm(x) {
			t.Errorf("Solve: residual %v, want ≤ %v", r, tol*norm(a)*norm(x))
		}
		slow, det := slowSolve(Convert[float64](a), identity[float64](n))
		inverse := strided[T](rng, n, n, gap)
		f.Inverse(inverse)
		checkGaps(t, inverse)
		cond := norm(a) * norm(slow)
		if e := norm(subtract(Convert[float64](inverse), slow)); e > tol*cond*norm(slow) {
			t.Errorf("Inverse: differs by %v, want ≤ %v", e, tol*cond*norm(slow))
		}
		logAbs, sign := f.LogAbsDet()
		if want := math.Log(math.Abs(det)); !(math.Abs(logAbs-want) <= tol*cond) || sign != math.Copysign(1, det) {
			t.Errorf("LogAbsDet = %v, %v, want %v, %v", logAbs, sign, want, math.Copysign(1, det))
		}

		f.Solve(b, b)
		if norm(subtract(Convert[float64](b), Convert[float64](x))) != 0 {
			t.Error("Solve in place differs")
		}
		f.Inverse(a)
		if norm(subtract(Convert[float64](a), Convert[float64](inverse))) != 0 {
			t.Error("Inverse over the matrix itself differs")
		}
	})
}

func TestLUSingular(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 16, 17, 50} {
		for _, at := range []int{0, n / 2, n - 1} {
			a := strided[float64](rng, n, n, 0)
			for i := range n {
				a.Set(i, at, 0)
			}
			var f LU[float64]
			err := f.Factor(a)
			var where *SingularError
			if !errors.Is(err, ErrSingular) || !errors.As(err, &where) || where.Pivot != at || where.N != n {
				t.Fatalf("n %d, zero column %d: %v", n, at, err)
			}
			if logAbs, sign := f.LogAbsDet(); !math.IsInf(logAbs, -1) || sign != 0 {
				t.Errorf("LogAbsDet = %v, %v, want -Inf, 0", logAbs, sign)
			}
			mustPanic(t, "Solve", func() { f.Solve(a, a) })
			mustPanic(t, "Inverse", func() { f.Inverse(a) })
			if err := f.Factor(identity[float64](n)); err != nil {
				t.Errorf("after a singular matrix: %v", err)
			}
		}
	}
}

// TestLUNearlySingular checks that the Hilbert matrix, with condition 5e8 at n = 7, has a small residual. A
// tiny pivot and a scale at which reciprocals overflow are not errors.
func TestLUNearlySingular(t *testing.T) {
	const n = 7
	h := New[float64](n, n)
	for i := range n {
		for j := range n {
			h.Set(i, j, 1/float64(i+j+1))
		}
	}
	var f LU[float64]
	must.Succeed(t, f.Factor(h))
	inverse := New[float64](n, n)
	f.Inverse(inverse)
	if got, want := math.Round(inverse.At(0, 0)), 49.0; got != want {
		t.Errorf("inverse of Hilbert 7×7 begins with %v, want %v", got, want)
	}
	const det = 1 / 2067909047925770649600000.0 // Choi, "Tricks or treats with the Hilbert matrix", 1983
	if logAbs, sign := f.LogAbsDet(); !(math.Abs(logAbs-math.Log(det)) <= 1e-8) || sign != 1 {
		t.Errorf("log det of Hilbert 7×7 = %v, %v, want %v, 1", logAbs, sign, math.Log(det))
	}

	small := Of(2, 2, []float64{1, 1, 1, 1 + 1e-15})
	if err := f.Factor(small); err != nil {
		t.Error(err)
	}
	tiny := Of(2, 2, []float64{3e-310, 1e-310, 1e-310, 2e-310})
	must.Succeed(t, f.Factor(tiny))
	x := Of(2, 1, []float64{4e-310, 3e-310})
	f.Solve(x, x)
	if !(math.Abs(x.At(0, 0)-1) <= 1e-9) || !(math.Abs(x.At(1, 0)-1) <= 1e-9) {
		t.Errorf("tiny system: %v, want 1, 1", x.Data)
	}
}

// TestLUNaN checks that one NaN reaches the determinant and the inverse and is not reported as singular.
func TestLUNaN(t *testing.T) {
	for _, n := range []int{1, 3, 20, 40} {
		for at := range n {
			a := identity[float64](n)
			a.Set(at, (at*7)%n, math.NaN())
			var f LU[float64]
			must.Succeed(t, f.Factor(a))
			if logAbs, _ := f.LogAbsDet(); !math.IsNaN(logAbs) {
				t.Fatalf("n %d, NaN in row %d: log det %v", n, at, logAbs)
			}
			f.Inverse(a)
			if a.Finite() {
				t.Fatalf("n %d, NaN in row %d: finite inverse", n, at)
			}
		}
	}
}

func TestLUThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 400
	a := strided[float32](rng, n, n, 0)
	var one, many LU[float32]
	many.Threads = 3
	must.Succeed(t, errors.Join(one.Factor(a), many.Factor(a)))
	x, y := New[float32](n, n), New[float32](n, n)
	one.Inverse(x)
	many.Inverse(y)
	for i, v := range x.Data {
		if v != y.Data[i] {
			t.Fatalf("entry %d is %v on one thread and %v on three", i, v, y.Data[i])
		}
	}
}

// TestLUReuse checks that a workspace used before gives the same result as a fresh one.
func TestLUReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var used LU[float64]
	for _, n := range []int{50, 20, 50, 70} {
		a := strided[float64](rng, n, n, 0)
		x, y := New[float64](n, n), New[float64](n, n)
		everything(t, &used, a, x)
		everything(t, new(LU[float64]), a, y)
		for i, v := range x.Data {
			if v != y.Data[i] {
				t.Fatalf("n %d: reused and fresh workspace differ", n)
			}
		}
	}
}

func everything(t *testing.T, f *LU[float64], a, x *Dense[float64]) {
	must.Succeed(t, f.Factor(a))
	f.Inverse(x)
	f.LogAbsDet()
	f.Solve(x, x)
}

func TestLUNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool, which gemm uses, forget at random")
	}
	const n = 50
	a, x := strided[float64](rand.New(rand.NewPCG(5, 5)), n, n, 0), New[float64](n, n)
	var f LU[float64]
	if allocs := testing.AllocsPerRun(5, func() { everything(t, &f, a, x) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestLUMisuse(t *testing.T) {
	var f LU[float64]
	mustPanic(t, "LogAbsDet before Factor", func() { f.LogAbsDet() })
	mustPanic(t, "Solve before Factor", func() { f.Solve(New[float64](2, 2), New[float64](2, 2)) })
	mustPanic(t, "Factor of 2×3", func() { f.Factor(New[float64](2, 3)) })
	must.Succeed(t, f.Factor(identity[float64](2)))
	mustPanic(t, "Solve of 3 rows", func() { f.Solve(New[float64](3, 1), New[float64](3, 1)) })
	mustPanic(t, "Inverse into 2×3", func() { f.Inverse(New[float64](2, 3)) })
}

func mustPanic(t *testing.T, what string, call func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	call()
}
