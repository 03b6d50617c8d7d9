package metric_test

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/metric"
)

func ExampleCompare() {
	truth, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}})
	est, _ := graph.FromEdges(4, []graph.Edge{{From: 1, To: 0}, {From: 1, To: 2}, {From: 2, To: 3}})
	r := metric.CompareWithSID(truth, est)
	fmt.Println("SHD", r.SHD, "reversed", r.Reversed)
	fmt.Printf("F1 %.3f, of the skeleton %.3f\n", r.F1, r.SkeletonF1)
	fmt.Println("between the equivalence classes", *r.CPDAGSHD, "SID", *r.SID)
	// Output:
	// SHD 1 reversed 1
	// F1 0.667, of the skeleton 1.000
	// between the equivalence classes 0 SID 4
}
