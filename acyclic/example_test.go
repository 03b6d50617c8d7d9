package acyclic_test

import (
	"fmt"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
)

func ExampleGeometric() {
	geo := &acyclic.Geometric[float64]{K: 16}
	w, grad := matrix.New[float64](3, 3), matrix.New[float64](3, 3)
	w.Set(0, 1, 0.5)
	w.Set(1, 2, -2)
	h, _ := geo.Eval(grad, w)
	fmt.Println("a DAG:", h)
	w.Set(2, 0, 0.1) // closes a cycle
	h, _ = geo.Eval(grad, w)
	fmt.Printf("a cycle: %.4f, and shrinking the edge 2 → 0 lowers it: %.2f\n", h, grad.At(2, 0))
	// Output:
	// a DAG: 0
	// a cycle: 0.0303, and shrinking the edge 2 → 0 lowers it: 0.61
}
