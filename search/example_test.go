package search_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// ExampleSearch has two causes 0 and 1 of 2, which causes 3, and needs only correlations.
func ExampleSearch() {
	r := matrix.Of(4, 4, []float64{
		1.0, 0.0, 0.6, 0.3,
		0.0, 1.0, 0.6, 0.3,
		0.6, 0.6, 1.0, 0.5,
		0.3, 0.3, 0.5, 1.0,
	})
	res, err := search.Search(context.Background(), search.Problem{R: r, N: 1000}, search.DefaultSettings(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, parents := range res.Parents {
		fmt.Println(v, "has parents", parents)
	}
	fmt.Println(res.Status)
	// Output:
	// 0 has parents []
	// 1 has parents []
	// 2 has parents [0 1]
	// 3 has parents [2]
	// optimal
}

// ExampleKnowledge shows that correlations alone do not identify the direction of a single edge, but knowledge
// does.
func ExampleKnowledge() {
	r := matrix.Of(2, 2, []float64{1, 0.5, 0.5, 1})
	p := search.Problem{R: r, N: 100, Knowledge: search.Knowledge{Tiers: []int{1, 0}}}
	res, err := search.Search(context.Background(), p, search.DefaultSettings(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Order, res.Parents)
	// Output:
	// [1 0] [[1] []]
}

// ExampleVariance shows that with equal noise variances the scale of the data identifies the direction: the
// variance grows along the edges.
func ExampleVariance() {
	r := matrix.Of(2, 2, []float64{1, 0.8, 0.8, 1})
	s := search.DefaultSettings()
	s.Variance = search.Equal
	res, err := search.Search(context.Background(), search.Problem{R: r, N: 100, Scale: []float64{1.67, 1}}, s, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Parents, "equal is better:", res.Scores.Equal < res.Scores.Unequal)
	// Output:
	// [[1] []] equal is better: true
}
