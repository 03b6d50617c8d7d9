package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestPartial compares every version with the formula, one column at a time.
func TestPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, isa := range available() {
		t.Run(fmt.Sprintf("kernel=%v", isa), func(t *testing.T) {
			for _, n := range []int{1, 7, 31, 32, 33, 63, 64, 65, 100, 127, 500} {
				for _, k := range []int{0, 1, 2, 3, 5, 9, 20} {
					rows, ptr := make([][]float64, k), make([]*float64, k)
					for i := range rows {
						rows[i], _ = guarded[float64](rng, n, i%3)
						for x := range rows[i] {
							rows[i][x] *= 0.3
						}
						ptr[i] = &rows[i][0]
					}
					y, _ := guarded[float64](rng, n, 1)
					c, wholeC := guarded[float64](rng, n, 2)
					q, wholeQ := guarded[float64](rng, n, 3)
					a, _ := guarded[float64](rng, k*(k+1)/2, 0)
					b, _ := guarded[float64](rng, k, 0)
					for i := range a {
						a[i] *= 0.5
					}
					mask := make([]uint32, (n+31)/32+1)
					mask[len(mask)-1] = canary
					partial(isa, mask[:len(mask)-1], c, q, 0.5, y, ptr, a, b, make([]float64, k*PartialScratch))
					checkCanaries(t, wholeC, n, 2)
					checkCanaries(t, wholeQ, n, 3)
					if mask[len(mask)-1] != canary {
						t.Fatal("the word after mask was overwritten")
					}
					for x := range n {
						z := make([]float64, k)
						wantC, wantQ, at := y[x], 1.0, 0
						size := 1.0
						for i := range k {
							z[i] = a[at] * rows[i][x]
							at++
							for j := range i {
								z[i] += a[at] * z[j]
								at++
							}
							wantC += b[i] * z[i]
							wantQ -= z[i] * z[i]
							size += z[i]*z[i] + b[i]*b[i]
						}
						checkNear(t, "c", c[x], wantC, 1e-13*size)
						checkNear(t, "q", q[x], wantQ, 1e-13*size)
						if (mask[x/32]>>(x%32)&1 != 0) != (c[x]*c[x] > 0.5*q[x]) {
							t.Fatalf("n = %d, k = %d: bit %d is wrong", n, k, x)
						}
					}
					for x := n; x < 32*(len(mask)-1); x++ {
						if mask[x/32]>>(x%32)&1 != 0 {
							t.Fatalf("n = %d: bit %d beyond the columns is set", n, x)
						}
					}
				}
			}
		})
	}
}

func BenchmarkPartial(bb *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		for _, k := range []int{1, 3, 8} {
			for _, isa := range available() {
				bb.Run(fmt.Sprintf("n=%d/k=%d/kernel=%v", n, k, isa), func(bb *testing.B) {
					r := make([]float64, n*1000)
					ptr := make([]*float64, k)
					y, c, q := make([]float64, n), make([]float64, n), make([]float64, n)
					a, b := make([]float64, k*(k+1)/2), make([]float64, k)
					mask, scratch := make([]uint32, (n+31)/32), make([]float64, k*PartialScratch)
					row := 0
					for bb.Loop() {
						for i := range ptr {
							row = (row*77 + 13) % 1000
							ptr[i] = &r[row*n]
						}
						partial(isa, mask, c, q, 0.5, y, ptr, a, b, scratch)
					}
				})
			}
		}
	}
}
