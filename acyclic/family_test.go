package acyclic_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Every power series is its coefficients times closed walks, counted one by one.
func TestFamilyAgainstClosedWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for trial := range 120 {
		d := 1 + trial%5
		w, a := randomGraph(rng, d, 0.5)
		sum := func(k int, coefficient func(k int) float64) float64 {
			s := 0.0
			for i := 1; i <= k; i++ {
				s += coefficient(i) * walks(a, i)
			}
			return s
		}
		one := func(int) float64 { return 1 }
		binomial := func(k int) float64 {
			c := 1.0
			for i := range k {
				c *= float64(d-i) / (float64(i+1) * float64(d))
			}
			return c
		}
		until := 1 // TMPI's K where powers never vanish
		for until < d {
			until *= 2
		}
		for _, c := range []struct {
			name string
			c    solve.Constraint[float64]
			want float64
		}{
			{"Binomial", &acyclic.Binomial[float64]{}, sum(d, binomial)},
			{"Analytic", &acyclic.Analytic[float64]{}, sum(d, one)},
			{"Analytic, 1/k up to 7", &acyclic.Analytic[float64]{K: 7, Coefficient: acyclic.Logarithm}, sum(7, acyclic.Logarithm)},
			{"Analytic, 1/k!", &acyclic.Analytic[float64]{K: 6, Coefficient: acyclic.Factorial}, sum(6, acyclic.Factorial)},
			{"Truncated", &acyclic.Truncated[float64]{Eps: 1e-300}, sum(until, one)},
			{"LogGeometric", &acyclic.LogGeometric[float64]{}, math.Log1p(sum(d, one))},
		} {
			if got, err := c.c.Eval(nil, w); err != nil || math.Abs(got-c.want) > 1e-13*(1+c.want) {
				t.Fatalf("trial %d, d = %d: %s = %v (%v), closed walks give %v", trial, d, c.name, got, err, c.want)
			}
		}
	}
}

// What Truncated leaves out is of the size of Eps, and it stops early on small weights: a 3-cycle of them is not seen.
func TestTruncatedStopsEarly(t *testing.T) {
	w := matrix.New[float64](8, 8)
	for i := range 3 {
		w.Set(i, (i+1)%3, 1e-2)
	}
	if h, _ := (&acyclic.Truncated[float64]{Eps: 1e-3}).Eval(nil, w); h != 0 {
		t.Errorf("h = %v of a cycle whose entries are below Eps, want 0", h)
	}
	for i := range 3 {
		w.Set(i, (i+1)%3, 0.1)
	}
	if h, _ := (&acyclic.Truncated[float64]{}).Eval(nil, w); math.Abs(h-3e-6) > 1e-18 {
		t.Errorf("h = %v at the default Eps, want 3e-6", h)
	}
	rng := rand.New(rand.NewPCG(22, 1))
	for range 20 {
		w, _ := randomGraph(rng, 30, 0.05)
		all, _ := (&acyclic.Truncated[float64]{Eps: 1e-300}).Eval(nil, w)
		cut, _ := (&acyclic.Truncated[float64]{Eps: 1e-6}).Eval(nil, w)
		if !(cut <= all) || all-cut > 1e-3*(1+all) {
			t.Errorf("h = %v, cut at 1e-6 %v", all, cut)
		}
	}
}

func TestAnalyticRefusesCoefficients(t *testing.T) {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		c := &acyclic.Analytic[float64]{Coefficient: func(k int) float64 {
			if k == 2 {
				return bad
			}
			return 1
		}}
		for range 2 {
			if h, err := c.Eval(nil, matrix.New[float64](3, 3)); err == nil || !math.IsInf(h, 1) {
				t.Errorf("coefficient %v: h = %v, error %v", bad, h, err)
			}
		}
	}
}

// The radius of a cycle is the geometric mean of its squared weights, however long it is; that of several components is the largest,
// and an edge between them changes nothing.
func TestRadiusOfCycles(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for _, length := range []int{1, 2, 3, 17, 100, 250} {
		w, g := matrix.New[float64](260, 260), matrix.New[float64](260, 260)
		log := 0.0
		for i := range length {
			v := 0.5 + rng.Float64()
			w.Set(i, (i+1)%length, v)
			log += 2 * math.Log(v)
		}
		w.Set(0, 251, 3) // leads to another component
		w.Set(251, 252, 0.1)
		w.Set(252, 251, 0.1)
		h, err := (&acyclic.Radius[float64]{}).Eval(g, w)
		want := math.Exp(log / float64(length))
		if err != nil || math.Abs(h-want) > 1e-12*want {
			t.Fatalf("a cycle of %d: ρ = %v (%v), want %v", length, h, err, want)
		}
		for i := range length { // ρ = Π a^{1/ℓ}: ∂ρ/∂w = 2ρ/(ℓw)
			j := (i + 1) % length
			if slope := 2 * want / (float64(length) * w.At(i, j)); math.Abs(g.At(i, j)-slope) > 1e-10*slope {
				t.Fatalf("a cycle of %d: slope %v, want %v", length, g.At(i, j), slope)
			}
		}
		if g.At(0, 251) != 0 || g.At(251, 252) != 0 {
			t.Errorf("a cycle of %d: edges outside of it have slopes %v and %v", length, g.At(0, 251), g.At(251, 252))
		}
	}
}

// LogGeometric is finite with a useful gradient wherever W may be: random W with ρ(A) from 0.1 to 100, in both precisions. Useful
// means: it agrees with differences, no entry has the wrong sign, and one step against it lowers the value.
func TestLogGeometricEverywhere(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testEverywhere[float64](t, 1e-6) })
	t.Run("float32", func(t *testing.T) { testEverywhere[float32](t, 5e-2) })
}

func testEverywhere[T matrix.Float](t *testing.T, tol float64) {
	rng := rand.New(rand.NewPCG(24, 1))
	overflowed := 0
	for _, rho := range []float64{0.1, 0.5, 1, 3, 10, 100} {
		for _, c := range []struct{ d, k int }{{5, 0}, {12, 16}, {20, 1000}, {40, 0}} {
			for _, p := range []float64{1, 3 / float64(c.d)} {
				w64, _ := randomGraph(rng, c.d, p)
				r, _ := (&acyclic.Radius[float64]{}).Eval(nil, w64)
				if r == 0 {
					continue
				}
				for i := range w64.Data {
					w64.Data[i] *= math.Sqrt(rho / r)
				}
				w, g := matrix.Convert[T](w64), matrix.New[T](c.d, c.d)
				if _, err := (&acyclic.Geometric[T]{K: c.k}).Eval(nil, w); err != nil {
					overflowed++
				}
				log := &acyclic.LogGeometric[T]{K: c.k}
				v, err := log.Eval(g, w)
				if err != nil || !(v > 0) || math.IsInf(v, 0) || !g.Finite() {
					t.Fatalf("ρ = %v, d = %d, K = %d: value %v, error %v, gradient finite: %v", rho, c.d, c.k, v, err, g.Finite())
				}
				along, squares := 0.0, 0.0
				for i, s := range g.Data {
					if s*w.Data[i] < 0 {
						t.Fatalf("ρ = %v: entry %v has slope %v", rho, w.Data[i], s)
					}
					along += float64(s) * float64(w.Data[i])
					squares += float64(s) * float64(s)
				}
				most := 2 * float64(max(c.k, c.d))
				if c.k > 0 {
					most = 2 * float64(c.k)
				}
				if along > most*(1+tol) {
					t.Errorf("ρ = %v, K = %d: the slope along W is %v, above %v", rho, c.k, along, most)
				}
				for range 5 {
					at := rng.IntN(len(w.Data))
					old := w.Data[at]
					step := T(1e-3) * max(T(math.Abs(float64(old))), 1e-3)
					if tol < 1e-3 {
						step /= 50
					}
					w.Data[at] = old + step
					up, _ := log.Eval(nil, w)
					hi := w.Data[at]
					w.Data[at] = old - step
					down, _ := log.Eval(nil, w)
					lo := w.Data[at]
					w.Data[at] = old
					slope := (up - down) / float64(hi-lo)
					if math.Abs(slope-float64(g.Data[at])) > tol*(1+math.Abs(slope)+v/10) {
						t.Fatalf("ρ = %v, d = %d, K = %d: slope %v, differences give %v", rho, c.d, c.k, g.Data[at], slope)
					}
				}
				length := T(1e-3 * v / squares)
				for i, s := range g.Data {
					w.Data[i] -= length * s
				}
				if next, _ := log.Eval(nil, w); !(next < v) {
					t.Errorf("ρ = %v, d = %d, K = %d: a step against the gradient goes from %v to %v", rho, c.d, c.k, v, next)
				}
			}
		}
	}
	if overflowed < 5 {
		t.Errorf("only %d of the matrices are beyond h_geo itself", overflowed)
	}
}

// Huge weights without a cycle are still a DAG, and infinite ones are named.
func TestLogGeometricAtTheEnds(t *testing.T) {
	const d = 6
	w, g := matrix.New[float32](d, d), matrix.New[float32](d, d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			w.Set(i, j, 1e30)
		}
	}
	log := &acyclic.LogGeometric[float32]{}
	if v, err := log.Eval(g, w); v != 0 || err != nil {
		t.Errorf("a DAG of huge weights: %v, %v", v, err)
	}
	w.Set(d-1, 0, 1e30) // every cycle has a product of 1e120 or more
	v, err := log.Eval(g, w)
	// h has at most d walks of d steps from each node for each choice, each 1e60 a step, and at least one cycle through all nodes.
	if lo, hi := d*60*math.Ln10, d*60*math.Ln10+2*d*math.Log(d); err != nil || v < lo || v > hi || !g.Finite() {
		t.Errorf("a cycle of huge weights: %v, want %v to %v (%v)", v, lo, hi, err)
	}
	w.Set(0, 1, float32(math.Inf(1)))
	if v, err := log.Eval(g, w); err == nil || !math.IsInf(v, 1) {
		t.Errorf("an infinite weight: %v, %v", v, err)
	}
}
