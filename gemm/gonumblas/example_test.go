package gonumblas_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/gemm/gonumblas"
)

func Example() {
	blas64.Use(gonumblas.BLAS{Threads: 1}) // once, in main
	defer blas64.Use(gonum.Implementation{})

	a := mat.NewDense(2, 2, []float64{2, 1, 1, 3})
	var inv mat.Dense
	if err := inv.Inverse(a); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.1f\n", mat.Formatted(&inv))
	// Output:
	// ⎡ 0.6  -0.2⎤
	// ⎣-0.2   0.4⎦
}
