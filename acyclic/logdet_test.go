package acyclic_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// slowLogDet computes the definition, -log det(sI - A) + d log s and 2 W∘(sI - A)⁻ᵀ, with a pivoted LU
// factorization.
func slowLogDet(t *testing.T, s float64, w *matrix.Dense[float64]) (float64, *matrix.Dense[float64]) {
	t.Helper()
	d := w.Rows
	m, g := matrix.New[float64](d, d), matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			m.Set(i, j, -w.At(i, j)*w.At(i, j))
		}
		m.Set(i, i, s+m.At(i, i))
	}
	var lu matrix.LU[float64]
	must.Succeed(t, lu.Factor(m))
	logdet, _ := lu.LogAbsDet()
	lu.Inverse(m)
	for i := range d {
		for j := range d {
			g.Set(i, j, 2*w.At(i, j)*m.At(j, i))
		}
	}
	return float64(d)*math.Log(s) - logdet, g
}

func TestLogDetIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 60 {
		d := 1 + rng.IntN(130)
		s := 0.3 + 2*rng.Float64()
		w := matrix.New[float64](d, d)
		for i := range w.Data {
			w.Data[i] = (2*rng.Float64() - 1) * math.Sqrt(s*2.5/float64(d)) // spectral radius about 0.83 s
		}
		want, wantG := slowLogDet(t, s, w)
		g := matrix.New[float64](d, d)
		h, err := (&acyclic.LogDet[float64]{S: s}).Eval(g, w)
		if err != nil || !(math.Abs(h-want) <= 1e-11*float64(d)*(1+want)) {
			t.Fatalf("trial %d, d = %d, s = %v: h = %v (%v), by its definition %v", trial, d, s, h, err, want)
		}
		for i := range g.Data {
			if !(math.Abs(g.Data[i]-wantG.Data[i]) <= 1e-10*(1+math.Abs(wantG.Data[i]))) {
				t.Fatalf("trial %d, d = %d: gradient %v, by its definition %v", trial, d, g.Data[i], wantG.Data[i])
			}
		}
	}
}

// TestLogDetDomain checks that the domain ends at spectral radius s of W∘W, for cycles of every length.
func TestLogDetDomain(t *testing.T) {
	for _, d := range []int{1, 2, 3, 17, 40, 101} {
		for _, s := range []float64{0.6, 1, 2} {
			w := matrix.New[float64](d, d)
			for i := range d {
				w.Set(i, (i+1)%d, math.Sqrt(s)) // A has spectral radius s
			}
			for _, c := range []struct {
				scale  float64
				inside bool
			}{{0.5, true}, {0.999, true}, {1.001, false}, {3, false}, {1e200, false}} {
				v := w.Clone()
				for i := range v.Data {
					v.Data[i] *= c.scale
				}
				h, err := (&acyclic.LogDet[float64]{S: s}).Eval(matrix.New[float64](d, d), v)
				switch {
				case c.inside && (err != nil || !(h > 0)):
					t.Errorf("d = %d, s = %v, radius %v s: h = %v (%v), want a positive value", d, s, c.scale*c.scale, h, err)
				case !c.inside && (!errors.Is(err, acyclic.ErrDomain) || !math.IsInf(h, 1)):
					t.Errorf("d = %d, s = %v, radius %v s: h = %v (%v), want an error of the domain", d, s, c.scale*c.scale, h, err)
				}
			}
		}
	}
}

// TestLogDetSeesFaintCycles checks that h has full precision on a long cycle whose weight is far below one ulp
// of the diagonal. h is then the weight divided by s^d.
func TestLogDetSeesFaintCycles(t *testing.T) {
	for _, d := range []int{5, 30, 100} {
		w := matrix.New[float64](d, d)
		for i := range d {
			w.Set(i, (i+1)%d, 0.5)
		}
		want := math.Pow(0.25/0.9, float64(d))
		h, err := (&acyclic.LogDet[float64]{S: 0.9}).Eval(nil, w)
		if want = -math.Log1p(-want); err != nil || !(math.Abs(h-want) <= 1e-13*want) {
			t.Errorf("d = %d: h = %v (%v), want %v", d, h, err, want)
		}
	}
}

func TestLogDetRefusesS(t *testing.T) {
	for _, s := range []float64{-1, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("s = %v was accepted", s)
				}
			}()
			var c solve.Constraint[float64] = &acyclic.LogDet[float64]{S: s}
			_, _ = c.Eval(nil, matrix.New[float64](2, 2))
		}()
	}
}

func BenchmarkLogDet(b *testing.B) {
	b.Run("d=100/float32", func(b *testing.B) { benchLogDet[float32](b, 100) })
	b.Run("d=100/float64", func(b *testing.B) { benchLogDet[float64](b, 100) })
	b.Run("d=200/float32", func(b *testing.B) { benchLogDet[float32](b, 200) })
	b.Run("d=200/float64", func(b *testing.B) { benchLogDet[float64](b, 200) })
}

func benchLogDet[T matrix.Float](b *testing.B, d int) {
	rng := rand.New(rand.NewPCG(9, 10))
	w, g := matrix.New[T](d, d), matrix.New[T](d, d)
	for i := range w.Data {
		w.Data[i] = T(rng.NormFloat64() / (2 * math.Sqrt(float64(d))))
	}
	c := &acyclic.LogDet[T]{}
	for b.Loop() {
		must.Get(c.Eval(g, w))
	}
}
