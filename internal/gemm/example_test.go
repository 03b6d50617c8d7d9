package gemm_test

import (
	"fmt"

	"github.com/polydag/polydag/internal/gemm"
)

func ExampleGemm() {
	a := []float64{
		1, 2, 3,
		4, 5, 6,
	}
	b := []float64{
		1, 0,
		0, 1,
		1, 1,
	}
	c := make([]float64, 4)
	gemm.Gemm(false, false, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2, 1) // C = A·B
	fmt.Println(c)
	gemm.Gemm(true, true, 2, 2, 2, 1, a, 3, b, 2, 1, c, 2, 1) // C += (2×2 of A)ᵀ·(2×2 of B)ᵀ
	fmt.Println(c)
	// Output:
	// [4 5 10 11]
	// [5 9 12 16]
}

func ExampleKernels() {
	for _, k := range gemm.Kernels() {
		c := []float32{0}
		gemm.GemmWith(k, false, false, 1, 1, 2, 1, []float32{3, 4}, 2, []float32{3, 4}, 1, 0, c, 1, 1)
		if c[0] != 25 {
			fmt.Println(k, "gives", c[0])
		}
	}
	fmt.Println(len(gemm.Kernels()) > 0)
	// Output: true
}
