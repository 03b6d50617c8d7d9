package independence_test

import (
	"fmt"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/matrix"
)

// ExampleNewFisherZ tests a chain 0 → 1 → 2, of which only the correlations are known: the ends depend on each other until the middle is
// given.
func ExampleNewFisherZ() {
	r := matrix.Of(3, 3, []float64{
		1.00, 0.60, 0.36,
		0.60, 1.00, 0.60,
		0.36, 0.60, 1.00,
	})
	test, err := independence.NewFisherZ(r, 500)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, given := range [][]int{nil, {1}} {
		res, err := test.Independent(0, 2, given)
		fmt.Println("given", given, "independent:", res.P > 0.01, err)
	}
	// Output:
	// given [] independent: false <nil>
	// given [1] independent: true <nil>
}

// twoPart is a test of one's own: it knows that columns below Cut do not depend on the others.
type twoPart struct {
	independence.Test
	Cut int
}

func (t twoPart) Independent(x, y int, given []int) (independence.Result, error) {
	if (x < t.Cut) != (y < t.Cut) {
		return independence.Result{P: 1}, nil
	}
	return t.Test.Independent(x, y, given)
}

// ExampleTest wraps a test and caches its results, as methods do.
func ExampleTest() {
	r := matrix.Of(3, 3, []float64{1, 0.5, 0.2, 0.5, 1, 0.2, 0.2, 0.2, 1})
	z, err := independence.NewFisherZ(r, 500)
	if err != nil {
		fmt.Println(err)
		return
	}
	test := independence.NewCache(twoPart{z, 2}, 1<<20)
	a, _ := test.Independent(0, 1, nil)
	b, _ := test.Independent(1, 2, nil)
	fmt.Println(a.P < 0.01, b.P)
	// Output: true 1
}
