package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestShapesThatDoNotAgree(t *testing.T) {
	of := New[float64]
	for what, f := range map[string]func(){
		"negative rows":           func() { of(-1, 0) },
		"negative columns":        func() { of(0, -1) },
		"both negative":           func() { of(-1, -2) },
		"copy of fewer rows":      func() { of(3, 2).CopyFrom(of(2, 2)) },
		"copy of more rows":       func() { of(2, 2).CopyFrom(of(3, 2)) },
		"copy of fewer columns":   func() { of(2, 3).CopyFrom(of(2, 2)) },
		"product, inner sizes":    func() { MulTB(of(2, 2), of(2, 3), of(2, 4), 1) },
		"product, rows":           func() { MulTB(of(3, 2), of(2, 3), of(2, 3), 1) },
		"product, columns":        func() { MulTB(of(2, 3), of(2, 3), of(2, 3), 1) },
		"Cholesky, more columns":  func() { FactorCholesky(of(2, 3), 0) },
		"Cholesky, fewer columns": func() { FactorCholesky(of(3, 2), 0) },
	} {
		mustPanic(t, what, f)
	}
	for _, shape := range [][2]int{{2, 3}, {3, 2}} {
		m := of(shape[0], shape[1])
		m.Set(0, 0, 2)
		m.Set(1, 1, 3)
		if m.Trace() != 5 {
			t.Errorf("the trace of a %d×%d matrix is %v, want 5", shape[0], shape[1], m.Trace())
		}
	}
}

// A reflection keeps the length of a vector, however different its entries are: squares neither overflow nor underflow.
func TestReflectorOfExtremeEntries(t *testing.T) {
	for _, x := range [][]float64{{3, 4}, {-3, 4}, {1e-200, 1e200}, {1e200, 1e-200}, {3e200, 4e200}, {-3e-200, 4e-200}, {0, 1e-170, 1e-170}} {
		want := 0.0
		for _, v := range x {
			want = math.Hypot(want, v)
		}
		first, beta := reflector(append([]float64{}, x...))
		if !(math.Abs(math.Abs(first)-want) <= 1e-15*want) || !(beta > 0) || math.IsInf(beta, 0) || first > 0 == (x[0] >= 0) {
			t.Errorf("%v: first entry %v, β %v, want length %v and the sign that avoids cancellation", x, first, beta, want)
		}
	}
	for _, x := range [][]float64{{2, 0, 0}, {1e-310, 1e-310}} {
		if first, beta := reflector(append([]float64{}, x...)); beta != 0 || first != x[0] {
			t.Errorf("%v: first entry %v, β %v, want no reflection", x, first, beta)
		}
	}
}

// A Gram stores the products that are at least 3.5/√n, but about n/2 per row: those of the largest size.
func TestGramKeepsLargeProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	vectors := func(d, n int, shared float64) *Gram {
		data := make([]float64, d*n)
		for i := range d {
			v := data[i*n : (i+1)*n]
			square := 0.0
			for k := range v {
				v[k] = rng.NormFloat64()
				if k == 0 {
					v[k] += shared * float64(i%3)
				}
				square += v[k] * v[k]
			}
			for k := range v {
				v[k] /= math.Sqrt(square)
			}
		}
		return NewGram(data, n, 0)
	}
	kept := func(g *Gram) (stored int, least, left float64) {
		least = 1
		for i := range g.Len() {
			stored += len(g.large[i].places)
			for j := range g.Len() {
				if r := math.Abs(g.product(i, j)); i != j && len(g.large[i].places) > 0 {
					inside := false
					for _, x := range g.large[i].places {
						inside = inside || int(x) == j
					}
					if inside {
						least = min(least, r)
					} else {
						left = max(left, r)
					}
				}
			}
		}
		return stored, least, left
	}
	few := vectors(30, 100, 6)
	if stored, least, left := kept(few); stored == 0 || !(least >= 3.5/math.Sqrt(100)-few.Slack()) || !(left <= 3.5/math.Sqrt(100)+few.Slack()) {
		t.Errorf("%d products stored, the smallest %v, the largest not stored %v, want a bound of 0.35", stored, least, left)
	}
	many := vectors(300, 100, 60)
	if stored, least, left := kept(many); stored == 0 || stored > 300*51 || !(least >= left-2*many.Slack()) {
		t.Errorf("%d products stored, want at most 51 per row; the smallest is %v, the largest not stored %v", stored, least, left)
	}
}
