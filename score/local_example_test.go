package score_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// The second column is the square of the first and a little noise: a linear score sees nothing, and only the
// first explains the second.
func ExampleSmooth() {
	x := matrix.New[float64](200, 2)
	for i := range 200 {
		a := float64(i)/100 - 0.995
		x.Set(i, 0, a)
		x.Set(i, 1, a*a+0.1*float64(i*7919%13-6)/6)
	}
	b, err := basis.OfRows([]string{"cause", "effect"}, nil, x, basis.DefaultSettings(), 1)
	if err != nil {
		panic(err)
	}
	s, err := score.NewSmooth(b, score.DefaultSmoothSettings())
	if err != nil {
		panic(err)
	}
	e := s.Evaluator()
	fmt.Println("cause → effect pays:", e.Score(1, []int{0}) < e.Score(1, nil)-100)
	fmt.Println("effect → cause pays:", e.Score(0, []int{1}) < e.Score(0, nil))
	evidence, err := score.Curvature(context.Background(), b)
	fmt.Println("curved:", evidence.Curved(), err)
	// Output:
	// cause → effect pays: true
	// effect → cause pays: false
	// curved: true <nil>
}
