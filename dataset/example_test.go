package dataset_test

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
)

func ExampleMoments_Merge() {
	a, b := dataset.NewMoments([]string{"x", "y"}), dataset.NewMoments([]string{"x", "y"})
	_ = a.AddBlock([]float64{1, 2, 3, 6})
	_ = b.AddBlock([]float64{5, 10})
	_ = a.Merge(b)
	fmt.Println(a.N, a.Mean, a.Scatter)
	// Output:
	// 3 [3 6] [8 16 16 32]
}
