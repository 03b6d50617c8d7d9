package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each kernel is compared with the formula in its comment, worked out in float64 one element
// at a time.

// lengths covers every remainder of every unrolled loop, and lengths of real use.
func lengths() []int {
	var list []int
	for n := range 68 {
		list = append(list, n)
	}
	return append(list, 100, 127, 128, 129, 500, 1000, 4099)
}

const canary = 12345

// guarded returns random values inside a larger array whose other entries are canaries;
// off shifts the start against alignment.
func guarded[T Float](rng *rand.Rand, n, off int) (s, whole []T) {
	whole = make([]T, off+n+40)
	for i := range whole {
		whole[i] = canary
	}
	s = whole[off+20 : off+20+n : off+20+n]
	for i := range s {
		s[i] = T(rng.NormFloat64())
	}
	return s, whole
}

func checkCanaries[T Float](t *testing.T, whole []T, n, off int) {
	t.Helper()
	for i, v := range whole {
		if (i < off+20 || i >= off+20+n) && v != canary {
			t.Fatalf("entry %d outside the slice was overwritten with %v", i-off-20, v)
		}
	}
}

// unit is the distance from 1 to the next T.
func unit[T Float]() float64 {
	if T(1)+T(0x1p-30) == 1 {
		return 0x1p-23
	}
	return 0x1p-52
}

func checkNear(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Fatalf("%s = %v, want %v ± %v", what, got, want, tol)
	}
}

func wide[T Float](s []T) []float64 {
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = float64(v)
	}
	return out
}

// everywhere runs f for each version of the kernels, precision, length and some offsets.
func everywhere(t *testing.T, f32 func(t *testing.T, k isa, n, off int), f64 func(t *testing.T, k isa, n, off int)) {
	for _, k := range available() {
		for precision, f := range map[string]func(*testing.T, isa, int, int){"float32": f32, "float64": f64} {
			t.Run(fmt.Sprintf("%s/kernel=%v", precision, k), func(t *testing.T) {
				for _, n := range lengths() {
					for _, off := range []int{0, 1, 3} {
						f(t, k, n, off)
					}
				}
			})
		}
	}
}

func TestAxpy(t *testing.T) { everywhere(t, testAxpy[float32], testAxpy[float64]) }

func testAxpy[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, xs := guarded[T](rng, n, off)
	y, ys := guarded[T](rng, n, 0)
	a := T(0.7)
	x0, y0 := wide(x), wide(y)
	axpy(k, y, a, x)
	for i := range n {
		want := y0[i] + float64(a)*x0[i]
		checkNear(t, fmt.Sprintf("n %d: y[%d]", n, i), float64(y[i]), want, 2*unit[T]()*(math.Abs(y0[i])+math.Abs(x0[i])))
	}
	checkCanaries(t, xs, n, off)
	checkCanaries(t, ys, n, 0)
}

func TestScale(t *testing.T) { everywhere(t, testScale[float32], testScale[float64]) }

func testScale[T Float](t *testing.T, k isa, n, off int) {
	testMap(t, n, off, func(dst, x []T) { scale(k, dst, T(-3), x) }, func(v T) T { return -3 * v })
}

func TestSquare(t *testing.T) { everywhere(t, testSquare[float32], testSquare[float64]) }

func testSquare[T Float](t *testing.T, k isa, n, off int) {
	testMap(t, n, off, func(dst, x []T) { square(k, dst, x) }, func(v T) T { return v * v })
}

func TestClamp(t *testing.T) { everywhere(t, testClamp[float32], testClamp[float64]) }

func testClamp[T Float](t *testing.T, k isa, n, off int) {
	testMap(t, n, off, func(dst, x []T) { clamp(k, dst, T(0), x, T(-0.5), T(0.25)) }, func(v T) T { return min(max(v, -0.5), 0.25) })
	nan := T(math.NaN())
	dst := make([]T, 3)
	clamp(k, dst, 2, []T{nan, 3, -9}, 0, 6)
	if dst[0] == dst[0] || dst[1] != 5 || dst[2] != 0 {
		t.Fatalf("clamp of NaN, 5 and -7 to 0 … 6 = %v", dst)
	}
}

// testMap checks a kernel that maps each entry, into another slice and in place.
func testMap[T Float](t *testing.T, n, off int, kernel func(dst, x []T), want func(T) T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	x, xs := guarded[T](rng, n, off)
	dst, dsts := guarded[T](rng, n, 0)
	kernel(dst, x)
	for i := range n {
		if dst[i] != want(x[i]) {
			t.Fatalf("n %d: dst[%d] = %v, want %v", n, i, dst[i], want(x[i]))
		}
	}
	kernel(x, x)
	if !slices.Equal(x, dst) {
		t.Fatalf("n %d: in place %v, want %v", n, x, dst)
	}
	checkCanaries(t, xs, n, off)
	checkCanaries(t, dsts, n, 0)
}

func TestLadder(t *testing.T) { everywhere(t, testLadder[float32], testLadder[float64]) }

func testLadder[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(10, uint64(n)))
	x, _ := guarded[T](rng, n, off)
	y, _ := guarded[T](rng, n, 0)
	z, _ := guarded[T](rng, n, 0)
	var dst, all [4][]T
	for i := range dst {
		dst[i], all[i] = guarded[T](rng, n, off)
	}
	ladder(k, dst[0], dst[1], dst[2], dst[3], 2, x, 3, y, 4, z, 4)
	for r := range dst {
		up := T(4 * r)
		for i := range n {
			want := (2+up)*x[i] + (3+up)*y[i] + (4+up)*z[i]
			size := 16 * (math.Abs(float64(x[i])) + math.Abs(float64(y[i])) + math.Abs(float64(z[i])))
			if !(math.Abs(float64(dst[r][i]-want)) <= 1e-6*size) {
				t.Fatalf("n %d: rung %d, [%d] = %v, want %v", n, r, i, dst[r][i], want)
			}
		}
		checkCanaries(t, all[r], n, off)
	}
}

func TestLin3(t *testing.T) { everywhere(t, testLin3[float32], testLin3[float64]) }

func testLin3[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, _ := guarded[T](rng, n, off)
	y, ys := guarded[T](rng, n, 0)
	z, _ := guarded[T](rng, n, 2)
	dst, dsts := guarded[T](rng, n, off)
	a, b, c := T(0.3), T(-1.7), T(2.1)
	lin3(k, dst, a, x, b, y, c, z)
	for i := range n {
		p, q, r := float64(a)*float64(x[i]), float64(b)*float64(y[i]), float64(c)*float64(z[i])
		checkNear(t, fmt.Sprintf("n %d: dst[%d]", n, i), float64(dst[i]), p+q+r,
			2*unit[T]()*(math.Abs(p)+math.Abs(q)+math.Abs(r)))
	}
	lin3(k, y, a, x, b, y, c, z)
	for i := range n {
		if y[i] != dst[i] {
			t.Fatalf("n %d: in place [%d] = %v, want %v", n, i, y[i], dst[i])
		}
	}
	checkCanaries(t, dsts, n, off)
	checkCanaries(t, ys, n, 0)
}

func TestDot(t *testing.T) { everywhere(t, testDot[float32], testDot[float64]) }

func testDot[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	x, _ := guarded[T](rng, n, off)
	y, _ := guarded[T](rng, n, 0)
	want, size := 0.0, 0.0
	for i := range n {
		p := float64(x[i]) * float64(y[i])
		want += p
		size += math.Abs(p)
	}
	checkNear(t, fmt.Sprintf("n %d: sum", n), dot(k, x, y), want, 1e-15*float64(n)*size)
}

func TestChainRule(t *testing.T) { everywhere(t, testChainRule[float32], testChainRule[float64]) }

func testChainRule[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	w, ws := guarded[T](rng, n, off)
	p, ps := guarded[T](rng, n, 0)
	dst, dsts := guarded[T](rng, n, 1)
	got := chainRule(k, dst, w, p)
	want, size := 0.0, 0.0
	for i := range n {
		g := w[i] * p[i]
		if dst[i] != 2*g {
			t.Fatalf("n %d: dst[%d] = %v, want %v", n, i, dst[i], 2*g)
		}
		q := float64(w[i]) * float64(g)
		want += q
		size += math.Abs(q)
	}
	checkNear(t, fmt.Sprintf("n %d: sum", n), got, want, 1e-15*float64(n)*size)
	checkCanaries(t, ws, n, off)
	checkCanaries(t, ps, n, 0)
	checkCanaries(t, dsts, n, 1)

	clear(p)
	if got := chainRule(k, dst, w, p); got != 0 || math.Signbit(got) {
		t.Fatalf("n %d: sum of zeros = %v", n, got)
	}
	for i := range n {
		if dst[i] != 0 {
			t.Fatalf("n %d: dst[%d] = %v, want 0", n, i, dst[i])
		}
	}
}

func TestAddL1(t *testing.T) { everywhere(t, testAddL1[float32], testAddL1[float64]) }

func testAddL1[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(6, uint64(n)))
	w, ws := guarded[T](rng, n, off)
	g, gs := guarded[T](rng, n, 0)
	for i := range w {
		switch rng.IntN(4) {
		case 0:
			w[i] = 0
		case 1:
			w[i] = T(math.Copysign(0, -1))
		}
		if rng.IntN(4) == 0 {
			g[i] = T(math.Copysign(0, -1))
		}
	}
	lambda := T(0.1)
	want, sum := append([]T(nil), g...), 0.0
	for i, v := range w {
		if v > 0 {
			want[i] += lambda
		} else if v < 0 {
			want[i] -= lambda
		}
		sum += math.Abs(float64(v))
	}
	got := addL1(k, g, lambda, w)
	checkNear(t, fmt.Sprintf("n %d: sum", n), got, sum, 1e-15*float64(n)*sum)
	for i := range n {
		if g[i] != want[i] || math.Signbit(float64(g[i])) != math.Signbit(float64(want[i])) {
			t.Fatalf("n %d: w[%d] = %v: g = %v, want %v", n, i, w[i], g[i], want[i])
		}
	}
	checkCanaries(t, ws, n, off)
	checkCanaries(t, gs, n, 0)
}

func TestAdam(t *testing.T) { everywhere(t, testAdam[float32], testAdam[float64]) }

func testAdam[T Float](t *testing.T, k isa, n, off int) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	w, ws := guarded[T](rng, n, off)
	g, gs := guarded[T](rng, n, 0)
	m, ms := guarded[T](rng, n, 1)
	v, vs := guarded[T](rng, n, 2)
	h, hs := guarded[T](rng, n, 3)
	for i := range v {
		v[i] *= v[i]
	}
	w0, m0, v0 := wide(w), wide(m), wide(v)
	a, b := T(0.7), T(-1.3)
	p := AdamParams{Rate: 3e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Corr1: 1 - math.Pow(0.9, 5), Corr2: 1 - math.Pow(0.999, 5)}
	adam(k, w, a, g, b, h, m, v, newAdamStep[T](p))
	u := unit[T]()
	for i := range n {
		gi := float64(a)*float64(g[i]) + float64(b)*float64(h[i])
		mi := p.Beta1*m0[i] + (1-p.Beta1)*gi
		vi := p.Beta2*v0[i] + (1-p.Beta2)*gi*gi
		step := p.Rate * (mi / p.Corr1) / (math.Sqrt(vi/p.Corr2) + p.Eps)
		slack := math.Abs(m0[i]) + math.Abs(float64(a*g[i])) + math.Abs(float64(b*h[i])) // the terms of m and of g may cancel
		checkNear(t, fmt.Sprintf("n %d: m[%d]", n, i), float64(m[i]), mi, 4*u*slack)
		checkNear(t, fmt.Sprintf("n %d: v[%d]", n, i), float64(v[i]), vi, 4*u*(vi+slack*slack))
		checkNear(t, fmt.Sprintf("n %d: w[%d]", n, i), float64(w[i]), w0[i]-step,
			4*u*math.Abs(w0[i])+12*u*math.Abs(step)*(1+slack/math.Abs(mi)))
	}
	for off, whole := range [][]T{gs, ms, vs, hs} {
		checkCanaries(t, whole, n, off)
	}
	checkCanaries(t, ws, n, off)
}
