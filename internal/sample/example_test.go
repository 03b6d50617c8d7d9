package sample_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// ExampleRun has three columns; the last depends on the other two, which are independent. The correlations
// identify the directions of this v-structure.
func ExampleRun() {
	r := matrix.Of(3, 3, []float64{1, 0, 0.5, 0, 1, 0.5, 0.5, 0.5, 1})
	s, err := score.NewBGe(r, 100, score.DefaultBGe())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := sample.Run(context.Background(), sample.Problem{Score: s}, sample.DefaultSettings(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exact:", res.Exact)
	fmt.Printf("0 → 2: %.2f, 2 → 0: %.2f, 0 → 1: %.2f\n", res.Edge.At(0, 2), res.Edge.At(2, 0), res.Edge.At(0, 1))
	// Output:
	// exact: true
	// 0 → 2: 0.97, 2 → 0: 0.03, 0 → 1: 0.03
}
