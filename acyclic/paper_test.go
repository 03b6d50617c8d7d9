package acyclic_test

// Each test in this file checks one claim of Section 3 of the paper and names deviations.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// acyclicBySinks tests acyclicity by definition: it removes nodes without children until none is left.
func acyclicBySinks(a [][]float64) bool {
	d := len(a)
	gone := make([]bool, d)
	for range d {
		for i := range d {
			sink := !gone[i]
			for j := range d {
				sink = sink && (gone[j] || a[i][j] == 0)
			}
			if sink {
				gone[i] = true
			}
		}
	}
	for _, g := range gone {
		if !g {
			return false
		}
	}
	return true
}

// small draws graphs without self-loops, about half of them acyclic.
func small(rng *rand.Rand, trial int) (*matrix.Dense[float64], [][]float64) {
	d := 2 + trial%6
	w, a := randomGraph(rng, d, 1.1/float64(d))
	for i := range d {
		w.Set(i, i, 0)
		a[i][i] = 0
	}
	return w, a
}

// TestPaperTheorem1 checks Theorem 1 (Polynomial Characterization of Acyclicity): h_poly(W) = 0 iff acyclic.
// Here a DAG gives an exact floating-point zero.
func TestPaperTheorem1(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	seen := map[bool]int{}
	for trial := range 600 {
		w, a := small(rng, trial)
		h := must.Get((&acyclic.Poly[float64]{}).Eval(nil, w))
		want := acyclicBySinks(a)
		seen[want]++
		if (h == 0) != want {
			t.Fatalf("trial %d: acyclic is %v, h_poly = %v", trial, want, h)
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Fatalf("the trial graphs are one-sided: %v", seen)
	}
}

// TestPaperTheorem2 checks Theorem 2 (Constraint Equivalence): (i) acyclic, (ii) h_poly = 0, (iii) h_exp = 0,
// (iv) A is nilpotent. (iv) is checked as A^d = 0, which is exact and equivalent to all eigenvalues being zero.
func TestPaperTheorem2(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range 600 {
		w, a := small(rng, trial)
		i := acyclicBySinks(a)
		poly, _ := (&acyclic.Poly[float64]{}).Eval(nil, w)
		exp, _ := (&acyclic.Exp[float64]{}).Eval(nil, w)
		d := w.Rows
		power := matrix.New[float64](d, d)
		for j := range d {
			power.Set(j, j, 1)
		}
		for range d {
			next := matrix.New[float64](d, d)
			for x := range d {
				for y := range d {
					for z := range d {
						next.Data[x*d+y] += power.At(x, z) * a[z][y]
					}
				}
			}
			power = next
		}
		nilpotent := true
		for _, v := range power.Data {
			nilpotent = nilpotent && v == 0
		}
		if (poly == 0) != i || (exp == 0) != i || nilpotent != i {
			t.Fatalf("trial %d: (i) %v, (ii) h_poly = %v, (iii) h_exp = %v, (iv) nilpotent %v", trial, i, poly, exp, nilpotent)
		}
	}
}

// TestPaperTightness checks the remark after Theorem 1: the bound k ≤ d is tight. The unit d-cycle has tr(A^k)
// = 0 for k < d and tr(A^d) = d, so it is missed at K = d-1 and detected at K = d. The paper's experiments use
// K = 16 with d up to 500, so they do not detect cycles of more than 16 nodes.
func TestPaperTightness(t *testing.T) {
	for _, d := range []int{2, 3, 8, 17, 40} {
		w := matrix.New[float64](d, d)
		for i := range d {
			w.Set(i, (i+1)%d, 1)
		}
		if d > 2 || d-1 >= 1 {
			if h, _ := (&acyclic.Geometric[float64]{K: d - 1}).Eval(nil, w); d > 1 && h != 0 {
				t.Errorf("d = %d: h at K = d-1 is %v, want 0", d, h)
			}
		}
		if h, _ := (&acyclic.Geometric[float64]{K: d}).Eval(nil, w); h != float64(d) {
			t.Errorf("d = %d: h at K = d is %v, want %d", d, h, d)
		}
		if h, _ := (&acyclic.Geometric[float64]{K: 16}).Eval(nil, w); (h == 0) != (d > 16) {
			t.Errorf("d = %d: h at the paper's K = 16 is %v", d, h)
		}
	}
}

// TestPaperGeometricIdentity checks Proposition 1 (Geometric-Series Identity), Eqs. 7 and 8: Σ_{k=1..K} A^k =
// (I-A)⁻¹(A - A^{K+1}). Geometric sums the series without a solve; GeometricSolve is the paper's form.
func TestPaperGeometricIdentity(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for trial := range 100 {
		w, _ := small(rng, trial)
		for i := range w.Data {
			w.Data[i] *= 0.7 // keeps I - A far from singular
		}
		for _, k := range []int{1, 2, 5, 16, 31} {
			g1, g2 := matrix.New[float64](w.Rows, w.Rows), matrix.New[float64](w.Rows, w.Rows)
			series, err1 := (&acyclic.Geometric[float64]{K: k}).Eval(g1, w)
			solve, err2 := (&acyclic.GeometricSolve[float64]{K: k}).Eval(g2, w)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if !(math.Abs(series-solve) <= 1e-11*(1+series)) {
				t.Fatalf("trial %d, K = %d: the series gives %v, the solve %v", trial, k, series, solve)
			}
			for i := range g1.Data {
				if !(math.Abs(g1.Data[i]-g2.Data[i]) <= 1e-10*(1+math.Abs(g1.Data[i]))) {
					t.Fatalf("trial %d, K = %d: gradients %v and %v", trial, k, g1.Data[i], g2.Data[i])
				}
			}
		}
	}
}

// TestPaperGeoIsPoly checks Section 3.5: h_geo at K = d equals h_poly, value and gradient.
func TestPaperGeoIsPoly(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, d := range []int{2, 5, 9, 16, 33} {
		w, _ := randomGraph(rng, d, 2/float64(d))
		g1, g2 := matrix.New[float64](d, d), matrix.New[float64](d, d)
		geo, _ := (&acyclic.Geometric[float64]{}).Eval(g1, w)
		poly, _ := (&acyclic.Poly[float64]{}).Eval(g2, w)
		if !(math.Abs(geo-poly) <= 1e-12*(1+poly)*float64(d)) {
			t.Errorf("d = %d: h_geo %v, h_poly %v", d, geo, poly)
		}
		for i := range g1.Data {
			if !(math.Abs(g1.Data[i]-g2.Data[i]) <= 1e-12*float64(d)*(1+math.Abs(g2.Data[i]))) {
				t.Fatalf("d = %d: gradients %v and %v", d, g1.Data[i], g2.Data[i])
			}
		}
	}
}

// TestPaperGradientsByHand checks ∇h_exp = 2 (exp(A)ᵀ ∘ W) of Section 3.2 and ∇_A tr(A^k) = k (A^{k-1})ᵀ of
// Section 3.5 by hand. The 2-cycle with weights u and v has tr(A²) = 2u²v² and tr(exp(A)) - 2 = 2 cosh(uv) - 2.
func TestPaperGradientsByHand(t *testing.T) {
	const u, v = 0.8, -0.6
	w, g := matrix.New[float64](2, 2), matrix.New[float64](2, 2)
	w.Set(0, 1, u)
	w.Set(1, 0, v)
	if h, _ := (&acyclic.Poly[float64]{}).Eval(g, w); !(math.Abs(h-2*u*u*v*v) <= 1e-15) || !(math.Abs(g.At(0, 1)-4*u*v*v) <= 1e-15) || !(math.Abs(g.At(1, 0)-4*v*u*u) <= 1e-15) {
		t.Errorf("h_poly = %v with gradient %v", h, g.Data)
	}
	want := 2*math.Cosh(u*v) - 2
	slope := 2 * math.Sinh(math.Abs(u*v)) * math.Abs(v)
	if h, _ := (&acyclic.Exp[float64]{}).Eval(g, w); !(math.Abs(h-want) <= 1e-15) || !(math.Abs(g.At(0, 1)-slope) <= 1e-14) {
		t.Errorf("h_exp = %v, want %v; slope %v, want %v", h, want, g.At(0, 1), slope)
	}
}
