package vec_test

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
)

func ExampleAxpy() {
	y := []float64{1, 2, 3}
	vec.Axpy(y, 10, []float64{1, 1, 2})
	fmt.Println(y)
	// Output: [11 12 23]
}

// ExampleAdam minimizes (w - 3)² with Adam.
func ExampleAdam() {
	w, g := []float64{0}, []float64{0}
	m, v := []float64{0}, []float64{0}
	p := vec.AdamParams{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	for t := 1; t <= 500; t++ {
		g[0] = 2 * (w[0] - 3)
		p.Corr1 = 1 - math.Pow(p.Beta1, float64(t))
		p.Corr2 = 1 - math.Pow(p.Beta2, float64(t))
		vec.Adam(w, g, m, v, p)
	}
	fmt.Printf("%.3f\n", w[0])
	// Output: 3.000
}

func ExampleChainRule() {
	w := []float64{1, -2}
	p := []float64{0.5, 0.25} // gradient with respect to w∘w
	grad := make([]float64, 2)
	fmt.Println(vec.ChainRule(grad, w, p), grad)
	// Output: 1.5 [1 -1]
}
