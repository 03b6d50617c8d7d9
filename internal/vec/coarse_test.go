package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCoarse compares every version with the formula in double precision. Columns whose two sides differ by no more than
// rounding may go either way.
func TestCoarse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, isa := range available() {
		t.Run(fmt.Sprintf("kernel=%v", isa), func(t *testing.T) {
			for _, n := range []int{64, 128, 640} {
				for _, k := range []int{0, 1, 2, 3, 5, 9, 20} {
					integers := func() []int16 {
						v := make([]int16, n)
						for x := range v {
							v[x] = int16(rng.IntN(65536) - 32768)
						}
						return v
					}
					rows, ptr := make([][]int16, k), make([]*int16, k)
					for i := range rows {
						rows[i] = integers()
						ptr[i] = &rows[i][0]
					}
					y := integers()
					a, b := make([]float32, k*(k+1)/2), make([]float32, k)
					at := 0
					for i := range k {
						b[i] = float32(rng.NormFloat64()) * (1 << 15)
						a[at] = 0.3 / (1 << 15)
						at++
						for range i {
							a[at] = float32(0.2 * rng.NormFloat64())
							at++
						}
					}
					mask := make([]uint64, n/64+1)
					mask[len(mask)-1] = canary
					const most, near = 0.99, 300
					const limit = 0.2 * (1 << 30)
					coarse(isa, mask[:len(mask)-1], limit, near, most, y, ptr, a, b, make([]float32, k*CoarseColumns))
					if mask[len(mask)-1] != canary {
						t.Fatal("the word after mask was overwritten")
					}
					set := 0
					for x := range n {
						z := make([]float64, k)
						c, q, at := float64(y[x]), float64(float32(most)), 0
						for i := range k {
							z[i] = float64(a[at]) * float64(rows[i][x])
							at++
							for j := range i {
								z[i] += float64(a[at]) * z[j]
								at++
							}
							c += float64(b[i]) * z[i]
							q -= z[i] * z[i]
						}
						left, right := (math.Abs(c)+near)*(math.Abs(c)+near), limit*q
						got := mask[x/64]>>(x%64)&1 != 0
						if got {
							set++
						}
						if slack := 1e-4 * (left + math.Abs(right) + limit); !(math.Abs(left-right) <= slack) && got != (left > right) {
							t.Fatalf("n = %d, k = %d: bit %d is %v, %v > %v", n, k, x, got, left, right)
						}
					}
					if k < 3 && (set == 0 || set == n) {
						t.Errorf("n = %d, k = %d: %d bits are set; the test shows one side only", n, k, set)
					}
				}
			}
		})
	}
}

// TestCoarseNaN checks that a value that is not a number never hides a column.
func TestCoarseNaN(t *testing.T) {
	for _, isa := range available() {
		y, row := make([]int16, 64), make([]int16, 64)
		for x := range row {
			row[x] = 1
		}
		mask := []uint64{0}
		huge := float32(math.MaxFloat32)
		coarse(isa, mask, 1, 0, 1, y, []*int16{&row[0], &row[0]}, []float32{huge, huge, -huge}, []float32{1, 1}, make([]float32, 128))
		if mask[0] != math.MaxUint64 {
			t.Errorf("kernel %v: mask %x, want every bit", isa, mask[0])
		}
	}
}

func BenchmarkCoarse(bb *testing.B) {
	const n = 20032
	for _, k := range []int{1, 3, 8} {
		for _, isa := range available() {
			bb.Run(fmt.Sprintf("k=%d/kernel=%v", k, isa), func(bb *testing.B) {
				r := make([]int16, n*1000)
				ptr := make([]*int16, k)
				a, b := make([]float32, k*(k+1)/2), make([]float32, k)
				mask, scratch := make([]uint64, n/64), make([]float32, k*CoarseColumns)
				row := 0
				for bb.Loop() {
					for i := range ptr {
						row = (row*77 + 13) % 1000
						ptr[i] = &r[row*n]
					}
					coarse(isa, mask, 0.5, 0, 1, r[:n], ptr, a, b, scratch)
				}
			})
		}
	}
}
