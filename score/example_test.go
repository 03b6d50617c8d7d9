package score_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// ExampleGaussianLocal compares sets of parents, as a search of one's own does, and runs the search over orders with the same score.
func ExampleGaussianLocal() {
	r := matrix.Of(3, 3, []float64{ // 0 and 1 cause 2
		1.0, 0.0, 0.5,
		0.0, 1.0, 0.5,
		0.5, 0.5, 1.0,
	})
	s, err := score.NewGaussianLocal(r, 1000, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	eval := s.Evaluator()
	for _, parents := range [][]int{nil, {0}, {0, 1}} {
		fmt.Printf("2 with parents %v: %.0f\n", parents, eval.Score(2, parents))
	}
	res, err := search.Search(context.Background(), search.Problem{Score: s}, search.DefaultSettings(), nil)
	fmt.Println(res.Parents, err)
	// Output:
	// 2 with parents []: 2838
	// 2 with parents [0]: 2558
	// 2 with parents [0 1]: 2161
	// [[] [] [0 1]] <nil>
}
