package matrix

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// jacobi is a slow reference for EigenSym. It rotates the largest off-diagonal entry away until none is left,
// and returns the eigenvalues in ascending order.
func jacobi(a *Dense[float64]) []float64 {
	a = a.Clone()
	n := a.Rows
	for {
		p, q, top, norm := 0, 0, 0.0, 0.0
		for i := range n {
			for j := range n {
				norm = max(norm, math.Abs(a.At(i, j)))
				if i < j && math.Abs(a.At(i, j)) > top {
					p, q, top = i, j, math.Abs(a.At(i, j))
				}
			}
		}
		if top <= 1e-17*norm {
			break
		}
		theta := math.Atan2(2*a.At(p, q), a.At(p, p)-a.At(q, q)) / 2
		c, s := math.Cos(theta), math.Sin(theta)
		for i := range n {
			x, y := a.At(i, p), a.At(i, q)
			a.Set(i, p, c*x+s*y)
			a.Set(i, q, c*y-s*x)
		}
		for i := range n {
			x, y := a.At(p, i), a.At(q, i)
			a.Set(p, i, c*x+s*y)
			a.Set(q, i, c*y-s*x)
		}
		a.Set(p, q, 0)
		a.Set(q, p, 0)
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = a.At(i, i)
	}
	slices.Sort(values)
	return values
}

// symmetricCases are matrices of every kind: random ones, and those on which an eigensolver may fail.
func symmetricCases() map[string]*Dense[float64] {
	rng := rand.New(rand.NewPCG(5, 5))
	cases := map[string]*Dense[float64]{}
	add := func(name string, n int, entry func(i, j int) float64) {
		a := New[float64](n, n)
		for i := range n {
			for j := range i + 1 {
				v := entry(i, j)
				a.Set(i, j, v)
				a.Set(j, i, v)
			}
		}
		cases[name] = a
	}
	random := func(int, int) float64 { return rng.NormFloat64() }
	for _, n := range []int{1, 2, 3, 4, 7, 20, 65} {
		add(fmt.Sprintf("random %d", n), n, random)
	}
	add("zero", 4, func(i, j int) float64 { return 0 })
	add("identity", 5, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	})
	add("ones", 12, func(i, j int) float64 { return 1 })
	add("diagonal", 6, func(i, j int) float64 {
		if i == j {
			return float64((i * 5) % 7)
		}
		return 0
	})
	add("zero diagonal", 2, func(i, j int) float64 {
		if i == j {
			return 0
		}
		return 1e-9
	})
	add("Wilkinson's pairs", 21, func(i, j int) float64 {
		switch i - j {
		case 0:
			return math.Abs(float64(i - 10))
		case 1:
			return 1
		}
		return 0
	})
	add("Hilbert", 12, func(i, j int) float64 { return 1 / float64(i+j+1) })
	add("graded", 8, func(i, j int) float64 { return math.Pow(10, -3*float64(i+j)) * (1 + 0.1*float64(i*j)) })
	add("graded upwards", 8, func(i, j int) float64 { return math.Pow(10, 3*float64(i+j)-40) * (1 + 0.1*float64(i*j)) })
	add("huge", 5, func(i, j int) float64 { return 1e306 * rng.NormFloat64() })
	add("tiny", 5, func(i, j int) float64 { return 1e-306 * rng.NormFloat64() })
	add("rank two", 9, func(i, j int) float64 { return float64(i+1)*float64(j+1) + math.Sin(float64(i))*math.Sin(float64(j)) })
	add("two blocks", 6, func(i, j int) float64 {
		if (i < 3) != (j < 3) {
			return 0
		}
		return 1 / float64(1+i%3+j%3)
	})
	return cases
}

func TestEigenSym(t *testing.T) {
	for name, a := range symmetricCases() {
		t.Run(name, func(t *testing.T) {
			n := a.Rows
			before := a.Clone()
			values, v, err := EigenSym(a, true)
			must.Succeed(t, err)
			alone, none, err := EigenSym(a, false)
			if err != nil || none != nil || !slices.Equal(values, alone) {
				t.Errorf("without vectors: %v, with them %v, %v", alone, values, err)
			}
			if !slices.Equal(a.Data, before.Data) {
				t.Error("the matrix was changed")
			}
			if !slices.IsSorted(values) {
				t.Errorf("not ascending: %v", values)
			}
			norm := 0.0
			for _, x := range values {
				norm = max(norm, math.Abs(x))
			}
			tol := 4 * float64(n+4) * 0x1p-53
			for k, want := range jacobi(a) {
				if !(math.Abs(values[k]-want) <= tol*norm) {
					t.Errorf("eigenvalue %d is %v, by Jacobi's rotations %v", k, values[k], want)
				}
			}
			for i := range n {
				for j := range n {
					dot, entry := 0.0, 0.0
					for k := range n {
						dot += v.At(k, i) * v.At(k, j)
						entry += v.At(i, k) * values[k] * v.At(j, k)
					}
					want := 0.0
					if i == j {
						want = 1
					}
					if !(math.Abs(dot-want) <= tol) {
						t.Errorf("columns %d and %d of the vectors have the product %v", i, j, dot)
					}
					if !(math.Abs(entry-a.At(i, j)) <= tol*norm) {
						t.Errorf("entry (%d, %d) of VΛVᵀ is %v, want %v", i, j, entry, a.At(i, j))
					}
				}
			}
		})
	}
}

func TestEigenSymReadsTheLowerTriangle(t *testing.T) {
	a := Of(2, 2, []float64{2, math.NaN(), 1, 2})
	values, _, err := EigenSym(a, false)
	if err != nil || !(math.Abs(values[0]-1) <= 1e-15) || !(math.Abs(values[1]-3) <= 1e-15) {
		t.Errorf("eigenvalues %v, %v, want 1 and 3", values, err)
	}
	wide := &Dense[float64]{Rows: 2, Cols: 2, Stride: 5, Data: []float64{2, 1, math.NaN(), 9, 9, 1, 2}}
	if again, _, err := EigenSym(wide, false); err != nil || !slices.Equal(again, values) {
		t.Errorf("from a strided matrix %v, %v", again, err)
	}
}

func TestEigenSymRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, _, err := EigenSym(Of(2, 2, []float64{1, v, v, 1}), true); !errors.Is(err, ErrNotFinite) {
			t.Errorf("a matrix with %v: %v", v, err)
		}
	}
	if values, v, err := EigenSym(New[float64](0, 0), true); err != nil || len(values) != 0 || v.Rows != 0 {
		t.Errorf("no rows: %v, %v, %v", values, v, err)
	}
}
