package matrix

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// choleskyTwin is the textbook's outer product form: pick the largest diagonal entry, divide its row by the root, subtract. It
// returns the rank, the order of the columns and U in that order.
func choleskyTwin(a *Dense[float64], tol float64) (rank int, order []int, u *Dense[float64]) {
	n := a.Rows
	s, u := a.Clone(), New[float64](n, n)
	done := make([]bool, n)
	least := 0.0
	for i := range n {
		least = max(least, tol*a.At(i, i))
	}
	for rank < n {
		best := -1
		for i := range n {
			if !done[i] && s.At(i, i) > least && (best < 0 || s.At(i, i) > s.At(best, best)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		done[best], order = true, append(order, best)
		row := slices.Clone(s.Row(best))
		for j := range n {
			u.Set(rank, j, row[j]/math.Sqrt(row[best]))
		}
		for i := range n {
			for j := range n {
				s.Set(i, j, s.At(i, j)-row[i]*row[j]/row[best])
			}
		}
		rank++
	}
	return rank, order, u
}

// semidefinite returns a matrix of this rank, with another variance in every column so that no two pivots tie.
func semidefinite(rng *rand.Rand, n, rank int) *Dense[float64] {
	x, a := New[float64](n, rank), New[float64](n, n)
	for i := range n {
		for k := range rank {
			x.Set(i, k, (1+0.3*float64(i))*rng.NormFloat64())
		}
	}
	MulTB(a, x, x, 1)
	return a
}

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct{ n, rank int }{{0, 0}, {1, 1}, {2, 2}, {3, 2}, {9, 9}, {31, 20}, {32, 32}, {33, 33}, {70, 40}, {100, 65}, {100, 100}} {
		a := semidefinite(rng, c.n, c.rank)
		before := a.Clone()
		f := FactorCholesky(a, 1e-10)
		if !slices.Equal(a.Data, before.Data) {
			t.Errorf("n = %d: the matrix was changed", c.n)
		}
		rank, order, u := choleskyTwin(a, 1e-10)
		if f.Rank != c.rank || rank != c.rank || !slices.Equal(f.Pivots[:rank], order) {
			t.Fatalf("n = %d: rank %d and pivots %v, want %d and %v", c.n, f.Rank, f.Pivots, rank, order)
		}
		sorted := slices.Sorted(slices.Values(f.Pivots))
		for i, p := range sorted {
			if p != i {
				t.Fatalf("n = %d: the pivots are no permutation: %v", c.n, f.Pivots)
			}
		}
		for k := range rank {
			for j := k; j < c.n; j++ {
				if want := u.At(k, f.Pivots[j]); !(math.Abs(f.u.At(k, j)-want) <= 1e-9*math.Sqrt(a.At(f.Pivots[0], f.Pivots[0]))) {
					t.Fatalf("n = %d: entry (%d, %d) of U is %v, want %v", c.n, k, j, f.u.At(k, j), want)
				}
			}
		}
		beta := f.Coefficients()
		for j := range c.n - rank {
			for i := range c.n {
				sum := 0.0
				for k := range rank {
					sum += a.At(i, f.Pivots[k]) * beta.At(k, j)
				}
				if want := a.At(i, f.Pivots[rank+j]); !(math.Abs(sum-want) <= 1e-8*a.At(f.Pivots[0], f.Pivots[0])) {
					t.Errorf("n = %d: entry (%d, %d) by the coefficients is %v, want %v", c.n, i, f.Pivots[rank+j], sum, want)
				}
			}
		}
	}
}

// TestCholeskyDecides checks that the first of equal columns is taken, and that a matrix is definite exactly if
// its rank is full at tol = 0.
func TestCholeskyDecides(t *testing.T) {
	for _, c := range []struct {
		a      *Dense[float64]
		rank   int
		pivots []int
	}{
		{Of(2, 2, []float64{1, 0.5, 0.5, 1}), 2, []int{0, 1}},
		{Of(2, 2, []float64{1, 1, 1, 1}), 1, []int{0, 1}},
		{Of(2, 2, []float64{1, 2, 2, 1}), 1, []int{0, 1}}, // indefinite
		{Of(2, 2, []float64{-1, 0, 0, 2}), 1, []int{1, 0}},
		{Of(2, 2, []float64{0, 0, 0, 0}), 0, []int{0, 1}},
		{Of(3, 3, []float64{1, 0, 0, 0, 4, 0, 0, 0, 2}), 3, []int{1, 2, 0}},
		{Of(1, 1, []float64{math.NaN()}), 0, []int{0}},
	} {
		if f := FactorCholesky(c.a, 0); f.Rank != c.rank || !slices.Equal(f.Pivots, c.pivots) {
			t.Errorf("%v: rank %d, pivots %v, want %d and %v", c.a.Data, f.Rank, f.Pivots, c.rank, c.pivots)
		}
	}
}
