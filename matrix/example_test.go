package matrix_test

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

func ExampleMul() {
	a := matrix.Of(2, 2, []float64{0, 1, 0, 0}) // the edge 0 → 1
	b := matrix.Of(2, 2, []float64{1, 2, 3, 4})
	c := matrix.New[float64](2, 2)
	matrix.Mul(c, a, b, 1)
	fmt.Println(c.Row(0), c.Row(1))
	// Output: [3 4] [0 0]
}

func ExampleLU() {
	a := matrix.Of(2, 2, []float64{0, 2, 1, 1})
	var f matrix.LU[float64]
	if err := f.Factor(a); err != nil {
		fmt.Println(err)
		return
	}
	x := matrix.Of(2, 1, []float64{4, 5})
	f.Solve(x, x)
	logAbs, sign := f.LogAbsDet()
	fmt.Printf("x = %v, log|det| = %.3f, sign %v\n", x.Data, logAbs, sign)

	err := f.Factor(matrix.Of(2, 2, []float64{1, 2, 2, 4}))
	fmt.Println(errors.Is(err, matrix.ErrSingular), err)
	// Output:
	// x = [3 2], log|det| = 0.693, sign -1
	// true matrix: singular: column 1 of 2×2 depends on those before it (pivot is zero)
}

func ExampleTraceMul() {
	a := matrix.Of(2, 2, []float64{1, 2, 3, 4})
	fmt.Println(matrix.TraceMul(a, a)) // tr(a²): closed walks of length two
	// Output: 29
}
