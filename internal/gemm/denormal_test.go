package gemm_test

import (
	"testing"

	"github.com/polydag/polydag/internal/gemm"
)

// TestDenormalNumbers checks that the assembly flushes denormal numbers inside a product and restores the mode
// of the processor.
func TestDenormalNumbers(t *testing.T) {
	const n = 20
	tiny := float32(0x1p-140)
	for _, k := range gemm.Kernels() {
		a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
		for i := range a {
			a[i], b[i] = tiny, 1
		}
		gemm.GemmWith(k, false, false, n, n, n, 1, a, n, b, n, 0, c, n, 1)
		for i, v := range c {
			if k == gemm.Portable && v == 0 || k != gemm.Portable && v != 0 {
				t.Fatalf("%v: entry %d of a product of denormal numbers is %v", k, i, v)
			}
		}
		if half := tiny / 2; half == 0 || half*2 != tiny {
			t.Fatalf("%v: arithmetic after the product flushes denormal numbers", k)
		}
	}
}
