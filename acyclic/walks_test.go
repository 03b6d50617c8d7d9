package acyclic

import (
	"math"
	"math/big"
	"testing"
)

// TestWalksCountEachLengthOnce checks in rational arithmetic, for every K and block length, that the weights
// sum every t_m, m = 1 … K, exactly once.
func TestWalksCountEachLengthOnce(t *testing.T) {
	for k := 1; k <= 20; k++ {
		for s := 1; s <= k && s <= 8; s++ {
			x := newWalks(k, s)
			for m := 1; m <= k; m++ {
				got := x.seen(m)
				if m < s {
					got += x.short[m]
				}
				if !(math.Abs(got-1) <= 1e-14) {
					t.Errorf("K = %d, s = %d: closed walks of length %d are counted %.17g times", k, s, m, got)
				}
				exact, _ := exactlySeen(k, s, m).Float64()
				if !(math.Abs(exact-x.seen(m)) <= 1e-14) {
					t.Errorf("K = %d, s = %d, length %d: weight %.17g, in rational numbers %.17g", k, s, m, x.seen(m), exact)
				}
				if m >= s && exact != 1 || exact > 1 {
					t.Errorf("K = %d, s = %d, length %d: %v in rational numbers, want 1, or less below s", k, s, m, exact)
				}
			}
			for b, c := range x.rung {
				if !(c > 0) {
					t.Errorf("K = %d, s = %d: weight %g of rung %d", k, s, c, b)
				}
			}
		}
	}
}

// exactlySeen multiplies the polynomials and returns the coefficient of x^m in
//
//	x P/K + P/K² + 1/K² (Σ_{i<s} q^{-i} xⁱ)(Σ_{b≥1} q^{sb} R_b).
func exactlySeen(k, s, m int) *big.Rat {
	q, all := big.NewRat(int64(k+1), int64(k)), big.NewRat(int64(k*k), 1)
	pow := func(e int) *big.Rat {
		out := big.NewRat(1, 1)
		for range max(e, -e) {
			out.Mul(out, q)
		}
		if e < 0 {
			out.Inv(out)
		}
		return out
	}
	// coefficient returns the coefficient of x^j in R_b.
	coefficient := func(b, j int) *big.Rat {
		if j < 0 || s*b+j > k-1 {
			return new(big.Rat)
		}
		return big.NewRat(int64(s*b+j+1), 1)
	}
	sum := new(big.Rat).Mul(coefficient(0, m-1), big.NewRat(int64(k), 1))
	sum.Add(sum, coefficient(0, m))
	for b := 1; b*s < k; b++ {
		for i := range s {
			sum.Add(sum, new(big.Rat).Mul(pow(s*b-i), coefficient(b, m-i)))
		}
	}
	return sum.Quo(sum, all)
}
