package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCentre compares every version with the formula, one value at a time, to the last bit.
func TestCentre(t *testing.T) {
	for _, isa := range available() {
		t.Run(fmt.Sprintf("kernel=%v", isa), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for d := 1; d < 70; d++ {
				for _, n := range []int{1, 2, 5, 16, 17} {
					x, _ := guarded[float64](rng, n*d, d%3)
					dst, wholeDst := guarded[float64](rng, n*d, d%2)
					ref, _ := guarded[float64](rng, d, 1)
					sum, wholeSum := guarded[float64](rng, d, 2)
					lo, wholeLo := guarded[float64](rng, d, 3)
					hi, wholeHi := guarded[float64](rng, d, 0)
					x[rng.IntN(len(x))] = math.Copysign(0, -1)
					wantSum, wantLo, wantHi := append([]float64{}, sum...), append([]float64{}, lo...), append([]float64{}, hi...)
					centre(isa, dst, x, ref, sum, lo, hi)
					for i, v := range x {
						j := i % d
						if v < wantLo[j] {
							wantLo[j] = v
						}
						if v > wantHi[j] {
							wantHi[j] = v
						}
						wantSum[j] += v - ref[j]
						if dst[i] != v-ref[j] {
							t.Fatalf("n = %d, d = %d: dst[%d] = %v, want %v", n, d, i, dst[i], v-ref[j])
						}
					}
					for j := range d {
						if sum[j] != wantSum[j] || lo[j] != wantLo[j] || hi[j] != wantHi[j] {
							t.Fatalf("n = %d, d = %d: column %d has %v, %v, %v, want %v, %v, %v", n, d, j, sum[j], lo[j], hi[j], wantSum[j], wantLo[j], wantHi[j])
						}
					}
					checkCanaries(t, wholeDst, n*d, d%2)
					checkCanaries(t, wholeSum, d, 2)
					checkCanaries(t, wholeLo, d, 3)
					checkCanaries(t, wholeHi, d, 0)
				}
			}
			// In place, and a NaN stays out of the extrema wherever it comes.
			x := []float64{math.NaN(), 5, 1, math.NaN(), 3, 7}
			sum, lo, hi := []float64{0, 0}, []float64{9, 9}, []float64{-9, -9}
			centre(isa, x, x, []float64{1, 1}, sum, lo, hi)
			if x[1] != 4 || x[2] != 0 || x[5] != 6 || !math.IsNaN(x[0]) || !math.IsNaN(sum[0]) || !math.IsNaN(sum[1]) || lo[0] != 1 || hi[0] != 3 || lo[1] != 5 || hi[1] != 7 {
				t.Errorf("got %v, %v, %v, %v", x, sum, lo, hi)
			}
		})
	}
}

func TestCentreManyRows(t *testing.T) {
	const n, d = 5*centreRows + 3, 11
	rng := rand.New(rand.NewPCG(3, 4))
	x, _ := guarded[float64](rng, n*d, 0)
	ref, _ := guarded[float64](rng, d, 0)
	got, want := make([]float64, n*d+3*d), make([]float64, n*d+3*d)
	Centre(got[:n*d], x, ref, got[n*d:][:d], got[n*d+d:][:d], got[n*d+2*d:])
	centreGo(want[:n*d], x, ref, want[n*d:][:d], want[n*d+d:][:d], want[n*d+2*d:])
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
	Centre(nil, nil, nil, nil, nil, nil)
	for _, wrong := range [][2]int{{2*d + 1, 2*d + 1}, {d, 2 * d}} {
		panics(t, fmt.Sprint(wrong, " values"), "vec: Centre", func() {
			Centre(got[:wrong[0]], x[:wrong[1]], ref, make([]float64, d), make([]float64, d), make([]float64, d))
		})
	}
}

func BenchmarkCentre(b *testing.B) {
	for _, d := range []int{5, 20, 100, 1000} {
		n := 65_536 / d
		x, dst := make([]float64, n*d), make([]float64, n*d)
		ref, sum, lo, hi := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for _, isa := range available() {
			b.Run(fmt.Sprintf("d=%d/kernel=%v", d, isa), func(b *testing.B) {
				b.SetBytes(int64(8 * len(x)))
				for b.Loop() {
					for i := 0; i < n; i += centreRows {
						i0, i1 := i*d, min(i+centreRows, n)*d
						centre(isa, dst[i0:i1], x[i0:i1], ref, sum, lo, hi)
					}
				}
			})
		}
	}
}
