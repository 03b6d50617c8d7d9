// Package linalg compares polydag's linear algebra with gonum's, which is another program by other people.
package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// semidefinite returns AAᵀ for a random A of n × rank, with columns of different size.
func semidefinite(seed uint64, n, rank int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	a, s := matrix.New[float64](n, rank), matrix.New[float64](n, n)
	for i := range n {
		for k := range rank {
			a.Set(i, k, (1+0.1*float64(i))*rng.NormFloat64())
		}
	}
	matrix.MulTB(s, a, a, 1)
	return s
}

func TestEigenSym(t *testing.T) {
	for _, c := range []struct{ n, rank int }{{1, 1}, {2, 2}, {10, 10}, {40, 25}, {120, 120}, {200, 3}} {
		a := semidefinite(uint64(c.n), c.n, c.rank)
		for i := range c.n { // indefinite, too
			a.Set(i, i, a.At(i, i)-float64(i%3))
		}
		values, v, err := matrix.EigenSym(a, true)
		must.Succeed(t, err)
		var eig mat.EigenSym
		if !eig.Factorize(mat.NewSymDense(c.n, slices.Clone(a.Data)), true) {
			t.Fatal("gonum finds no eigenvalues")
		}
		want := eig.Values(nil)
		norm := math.Max(math.Abs(want[0]), math.Abs(want[c.n-1]))
		var u mat.Dense
		eig.VectorsTo(&u)
		for k := range want {
			if !(math.Abs(values[k]-want[k]) <= 1e-14*float64(c.n)*norm) {
				t.Errorf("n = %d: eigenvalue %d is %v, gonum says %v", c.n, k, values[k], want[k])
			}
			if k > 0 && want[k]-want[k-1] < 1e-6*norm || k+1 < c.n && want[k+1]-want[k] < 1e-6*norm {
				continue // any basis of the space will do
			}
			dot := 0.0
			for i := range c.n {
				dot += v.At(i, k) * u.At(i, k)
			}
			if !(math.Abs(math.Abs(dot)-1) <= 1e-12) {
				t.Errorf("n = %d: the vectors of eigenvalue %d have the product %v", c.n, k, dot)
			}
		}
	}
}

func TestCholesky(t *testing.T) {
	for _, c := range []struct{ n, rank int }{{1, 1}, {5, 3}, {50, 50}, {90, 70}, {130, 64}} {
		a := semidefinite(uint64(c.n), c.n, c.rank)
		top := 0.0
		for i := range c.n {
			top = math.Max(top, a.At(i, i))
		}
		var f mat.PivotedCholesky
		f.Factorize(mat.NewSymDense(c.n, slices.Clone(a.Data)), 1e-10*top)
		ours := matrix.FactorCholesky(a, 1e-10)
		if pivots := f.ColumnPivots(nil); ours.Rank != f.Rank() || !slices.Equal(ours.Pivots[:c.rank], pivots[:c.rank]) {
			t.Errorf("n = %d: rank %d and pivots %v, gonum says %d and %v", c.n, ours.Rank, ours.Pivots, f.Rank(), pivots)
		}
	}
}

// BenchmarkEigenSym and the others: a gain over gonum is the ratio within one run.
func BenchmarkEigenSym(b *testing.B) {
	for _, n := range []int{20, 100, 500} {
		a := semidefinite(1, n, n)
		b.Run(fmt.Sprintf("polydag/d=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := matrix.EigenSym(a, true); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("gonum/d=%d", n), func(b *testing.B) {
			var eig mat.EigenSym
			for b.Loop() {
				eig.Factorize(mat.NewSymDense(n, a.Data), true)
			}
		})
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{20, 100, 500, 1000} {
		a := semidefinite(1, n, n)
		b.Run(fmt.Sprintf("polydag/d=%d", n), func(b *testing.B) {
			for b.Loop() {
				matrix.FactorCholesky(a, 1e-10)
			}
		})
		b.Run(fmt.Sprintf("gonum/d=%d", n), func(b *testing.B) {
			for b.Loop() {
				var f mat.PivotedCholesky
				f.Factorize(mat.NewSymDense(n, slices.Clone(a.Data)), 1e-10)
			}
		})
	}
}
