package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// sample is one product with every matrix inside a larger buffer: `lead` values before it
// and gaps after its rows.
type sample[T Float] struct {
	transA, transB bool
	m, n, k        int
	alpha, beta    T
	a, b, c        []T // buffers
	lead           int
	lda, ldb, ldc  int
}

// canary fills everything outside the matrices: if it is read the result is NaN, and if it
// is written its bits change.
func canary[T Float]() T { return T(math.NaN()) }

func newSample[T Float](rng *rand.Rand, m, n, k int) *sample[T] {
	s := &sample[T]{m: m, n: n, k: k, lead: rng.IntN(20),
		transA: rng.IntN(2) == 0, transB: rng.IntN(2) == 0,
		alpha: []T{1, 1, 1, -1, 0.7, 0}[rng.IntN(6)], beta: []T{0, 1, 2, -0.3}[rng.IntN(4)]}
	s.a, s.lda = buffer[T](rng, s.lead, m, k, s.transA)
	s.b, s.ldb = buffer[T](rng, s.lead, k, n, s.transB)
	s.c, s.ldc = buffer[T](rng, s.lead, m, n, false)
	if s.beta == 0 {
		for i := range m {
			for j := range n {
				s.c[s.lead+i*s.ldc+j] = T(math.NaN()) // must not be read
			}
		}
	}
	return s
}

func buffer[T Float](rng *rand.Rand, lead, rows, cols int, trans bool) ([]T, int) {
	if trans {
		rows, cols = cols, rows
	}
	ld := cols + rng.IntN(3)*rng.IntN(20)
	x := make([]T, lead+rows*ld+70)
	for i := range x {
		x[i] = canary[T]()
	}
	for i := range rows {
		for j := range cols {
			x[lead+i*ld+j] = T(rng.NormFloat64())
		}
	}
	return x, ld
}

func (s *sample[T]) String() string {
	return fmt.Sprintf("m=%d n=%d k=%d transA=%t transB=%t alpha=%v beta=%v lda=%d ldb=%d ldc=%d", s.m, s.n, s.k, s.transA, s.transB, s.alpha, s.beta, s.lda, s.ldb, s.ldc)
}

// run returns the buffer of C after the product. The slices end with the matrices, so that
// a read behind them is also one out of bounds.
func (s *sample[T]) run(kern Kernel, threads int) []T {
	c := slices.Clone(s.c)
	trim := func(x []T, rows, cols, ld int, trans bool) []T {
		if trans {
			rows, cols = cols, rows
		}
		if rows == 0 || cols == 0 {
			return nil
		}
		return x[s.lead:][: (rows-1)*ld+cols : (rows-1)*ld+cols]
	}
	GemmWith(kern, s.transA, s.transB, s.m, s.n, s.k,
		s.alpha, trim(s.a, s.m, s.k, s.lda, s.transA), s.lda, trim(s.b, s.k, s.n, s.ldb, s.transB), s.ldb,
		s.beta, trim(c, s.m, s.n, s.ldc, false), s.ldc, threads)
	return c
}

// product is the product into the buffer c.
func (s *sample[T]) product(kern Kernel, c []T) *product[T] {
	return &product[T]{kern: kern, transA: s.transA, transB: s.transB, m: s.m, n: s.n, k: s.k, alpha: s.alpha,
		a: s.a[s.lead:], lda: s.lda, b: s.b[s.lead:], ldb: s.ldb, beta: s.beta, c: c[s.lead:], ldc: s.ldc}
}

// naive is a slow reference: the triple loop in float64. It returns the result and, for each entry, the sum of
// the absolute values of the terms, which bounds the rounding error.
func (s *sample[T]) naive() (want, scale []float64) {
	want, scale = make([]float64, s.m*s.n), make([]float64, s.m*s.n)
	for i := range s.m {
		for j := range s.n {
			var sum, abs float64
			for l := range s.k {
				x, y := i*s.lda+l, l*s.ldb+j
				if s.transA {
					x = l*s.lda + i
				}
				if s.transB {
					y = j*s.ldb + l
				}
				v := float64(s.alpha) * float64(s.a[s.lead+x]) * float64(s.b[s.lead+y])
				sum += v
				abs += math.Abs(v)
			}
			if s.beta != 0 {
				v := float64(s.beta) * float64(s.c[s.lead+i*s.ldc+j])
				sum += v
				abs += math.Abs(v)
			}
			want[i*s.n+j], scale[i*s.n+j] = sum, abs
		}
	}
	return want, scale
}

// compare checks the entries of a result against the reference, and that nothing else changed.
func (s *sample[T]) compare(got []T) error {
	eps := 0x1p-52
	if unsafe.Sizeof(s.alpha) == 4 {
		eps = 0x1p-23
	}
	want, scale := s.naive()
	inside := make([]bool, len(got))
	for i := range s.m {
		for j := range s.n {
			at := s.lead + i*s.ldc + j
			inside[at] = true
			tol := eps * float64(s.k+2) * scale[i*s.n+j]
			if d := math.Abs(float64(got[at]) - want[i*s.n+j]); !(d <= tol) {
				return fmt.Errorf("C(%d,%d) = %v, want %v ± %g", i, j, got[at], want[i*s.n+j], tol)
			}
		}
	}
	for at := range got {
		if !inside[at] && bits(got[at]) != bits(s.c[at]) {
			return fmt.Errorf("value %d of the buffer lies outside C and became %v", at-s.lead, got[at])
		}
	}
	return nil
}

func bits[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}

func sameBits[T Float](x, y []T) bool {
	return slices.EqualFunc(x, y, func(a, b T) bool { return bits(a) == bits(b) })
}

// forEach runs f for every kernel and precision of this machine.
func forEach(t *testing.T, f64 func(*testing.T, Kernel), f32 func(*testing.T, Kernel)) {
	for _, kern := range Kernels() {
		t.Run(fmt.Sprintf("kernel=%v/prec=f64", kern), func(t *testing.T) { f64(t, kern) })
		t.Run(fmt.Sprintf("kernel=%v/prec=f32", kern), func(t *testing.T) { f32(t, kern) })
	}
}

func TestAgainstTripleLoop(t *testing.T) {
	forEach(t, testAgainstTripleLoop[float64], testAgainstTripleLoop[float32])
}

func testAgainstTripleLoop[T Float](t *testing.T, kern Kernel) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(m, n, k int) {
		s := newSample[T](rng, m, n, k)
		if err := s.compare(s.run(kern, 1+rng.IntN(3))); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
	}
	// Every height and width of a tile, and both sides of it.
	for m := range 19 {
		for _, n := range []int{0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 31, 33, 47, 48, 49, 97} {
			check(m, n, rng.IntN(40))
		}
	}
	for range 60 {
		check(rng.IntN(90), rng.IntN(110), rng.IntN(90))
	}
	for _, d := range []int{blockK - 1, blockK, blockK + 1, 2*blockK + 3} {
		check(11, 53, d)
		check(d, 11, 29)
	}
	check(19, 48*blockPanels+50, 7) // two blocks of panels
	check(300, 21, 100)
}

// TestSameBytes checks that the bits of an entry depend neither on the threads nor on the partition of C.
func TestSameBytes(t *testing.T) { forEach(t, testSameBytes[float64], testSameBytes[float32]) }

func testSameBytes[T Float](t *testing.T, kern Kernel) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range [][3]int{{201, 203, 211}, {8, 1500, 700}, {1500, 9, 700}, {5, 3, 700}} {
		if testing.Short() { // under the race detector; the cuts by force need no more
			d[2] /= 5
		}
		s := newSample[T](rng, d[0], d[1], d[2])
		s.alpha = 1
		one := s.run(kern, 1)
		for _, threads := range []int{0, 2, 3, 7} {
			if got := s.run(kern, threads); !sameBits(one, got) {
				t.Errorf("%v: the bytes differ between 1 and %d threads", s, threads)
			}
		}
		// Threads bounds them by the work; cut by force as well.
		for _, parts := range []int{2, 3, 16} {
			c := slices.Clone(s.c)
			s.product(kern, c).runParallel(parts)
			if !sameBits(one, c) {
				t.Errorf("%v: the bytes differ when C is cut into %d parts", s, parts)
			}
		}
	}
}

// TestStrips forces copying Aᵀ in strips, which normally pays only for large matrices.
func TestStrips(t *testing.T) { forEach(t, testStrips[float64], testStrips[float32]) }

func testStrips[T Float](t *testing.T, kern Kernel) {
	if kern == Portable {
		t.Skip("the portable kernel packs A and has no strips")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, d := range [][3]int{{1, 5, 3}, {64, 50, 300}, {131, 30, 20}} {
		s := newSample[T](rng, d[0], d[1], d[2])
		s.transA, s.alpha = true, 1
		s.a, s.lda = buffer[T](rng, s.lead, s.m, s.k, true)
		want, got := s.run(kern, 1), slices.Clone(s.c)
		p := s.product(kern, got)
		cut := p.split()
		cut.strips = true
		p.runSplit(cut)
		if !sameBits(got, want) {
			t.Errorf("%v: strips change the result", s)
		}
	}
}

func TestVectorKernelsAgree(t *testing.T) {
	if !AVX512.available() || !AVX2.available() {
		t.Skipf("this machine or build has %v only", Kernels())
	}
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		m, n, k := 1+rng.IntN(40), 1+rng.IntN(100), 1+rng.IntN(600)
		if s := newSample[float64](rng, m, n, k); !sameBits(s.run(AVX512, 1), s.run(AVX2, 1)) {
			t.Errorf("%v: AVX-512 and AVX2 differ in float64", s)
		}
		if s := newSample[float32](rng, m, n, k); !sameBits(s.run(AVX512, 1), s.run(AVX2, 1)) {
			t.Errorf("%v: AVX-512 and AVX2 differ in float32", s)
		}
	}
}

// TestBytesDoNotDependOnPlace checks that with vector kernels an entry has the same bits in any product with
// its row of A and its column of B.
func TestBytesDoNotDependOnPlace(t *testing.T) {
	forEach(t, testPlace[float64], testPlace[float32])
}

func testPlace[T Float](t *testing.T, kern Kernel) {
	if kern == Portable {
		t.Skip("the compiler may fuse products into sums in some places of the portable tile only")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const m, n, k = 23, 61, 300
	s := newSample[T](rng, m, n, k)
	s.transA, s.transB, s.alpha = false, false, 1
	s.a, s.lda = buffer[T](rng, s.lead, m, k, false)
	s.b, s.ldb = buffer[T](rng, s.lead, k, n, false)
	whole := s.run(kern, 1)
	for range 50 {
		i, j := rng.IntN(m), rng.IntN(n)
		h, w := 1+rng.IntN(m-i), 1+rng.IntN(n-j)
		c := slices.Clone(s.c)
		GemmWith(kern, false, false, h, w, k, s.alpha, s.a[s.lead+i*s.lda:], s.lda, s.b[s.lead+j:], s.ldb, s.beta, c[s.lead+i*s.ldc+j:], s.ldc, 1)
		for r := range h {
			at := s.lead + (i+r)*s.ldc + j
			if !sameBits(c[at:at+w], whole[at:at+w]) {
				t.Fatalf("row %d of the %d×%d part at (%d, %d) differs from the whole product", r, h, w, i, j)
			}
		}
	}
}

func TestNothingAllocated(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector sync.Pool drops items at random")
	}
	forEach(t, testAllocs[float64], testAllocs[float32])
}

func testAllocs[T Float](t *testing.T, kern Kernel) {
	const d = 40
	x, c := make([]T, d*d), make([]T, d*d)
	for _, trans := range []bool{false, true} {
		n := testing.AllocsPerRun(50, func() { GemmWith(kern, trans, trans, d, d, d, 1, x, d, x, d, 0, c, d, 1) })
		if n != 0 {
			t.Errorf("transposed %t: %v allocations a product, want 0", trans, n)
		}
	}
}

func TestScalarsZero(t *testing.T) {
	nan := math.NaN()
	a := []float64{nan}
	c := []float64{4}
	Gemm(false, false, 1, 1, 1, 0, a, 1, a, 1, 0.5, c, 1, 1)
	if c[0] != 2 {
		t.Errorf("alpha = 0 gave %v, want C scaled to 2 and A not read", c[0])
	}
	c[0] = nan
	Gemm(false, false, 1, 1, 0, 1, nil, 0, nil, 1, 0, c, 1, 1)
	if c[0] != 0 {
		t.Errorf("k = 0, beta = 0 gave %v, want 0 and C not read", c[0])
	}
}

func TestBadArgumentsPanic(t *testing.T) {
	x := make([]float64, 12)
	for want, call := range map[string]func(){
		"product of":     func() { Gemm(false, false, -1, 2, 2, 1, x, 2, x, 2, 0, x, 2, 1) },
		"stride 2 of A":  func() { Gemm(false, false, 2, 2, 3, 1, x, 2, x, 2, 0, x, 2, 1) },
		"B is 3×5":       func() { Gemm(false, false, 2, 5, 3, 1, x, 3, x, 5, 0, x, 5, 1) },
		"C is 2×2":       func() { Gemm(false, false, 2, 2, 2, 1, x, 2, x, 2, 0, x[:3], 2, 1) },
		"not available":  func() { GemmWith(Kernel(9), false, false, 1, 1, 1, 1, x, 1, x, 1, 0, x, 1, 1) },
		"stride 3 of B ": func() { Gemm(false, true, 2, 2, 4, 1, x, 4, x, 3, 0, x, 2, 1) },
	} {
		panics(t, want, call)
	}
}

// panics checks that f panics with a text that contains want.
func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got == nil || !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("panic %q, want one about %q", got, want)
		}
	}()
	f()
}

func TestActiveIsFirst(t *testing.T) {
	if ks := Kernels(); Active() != ks[0] || ks[len(ks)-1] != Portable {
		t.Errorf("Kernels() = %v, Active() = %v", ks, Active())
	}
}

// TestTileLayout compares the offsets with those in packaging/asm/gemm/layout.go.
func TestTileLayout(t *testing.T) {
	var d tile[float64]
	var s tile[float32]
	got := []uintptr{unsafe.Offsetof(d.a), unsafe.Offsetof(d.rowA), unsafe.Offsetof(d.stepA), unsafe.Offsetof(d.b), unsafe.Offsetof(d.stepB),
		unsafe.Offsetof(d.c), unsafe.Offsetof(d.rowC), unsafe.Offsetof(d.k), unsafe.Offsetof(d.pack), unsafe.Offsetof(d.next),
		unsafe.Offsetof(d.stepNext), unsafe.Offsetof(d.rounds), unsafe.Offsetof(d.mask), unsafe.Offsetof(d.alpha), unsafe.Offsetof(d.beta), unsafe.Offsetof(s.beta)}
	want := []uintptr{0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 108}
	if !slices.Equal(got, want) && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Errorf("offsets %v, want %v", got, want)
	}
}
