package trust_test

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

func ExampleCertify() {
	names := []string{"rain", "wet", "slip"}
	g := graph.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	cert := trust.Certify(g.Mixed(), names)
	fmt.Println(cert.Holds, cert.Order)
	fmt.Println(cert.Verify(names, []graph.Link{{From: "rain", To: "wet"}, {From: "wet", To: "slip"}}))
	fmt.Println(cert.Verify(names, []graph.Link{{From: "slip", To: "rain"}}))
	g.AddEdge(2, 0)
	cert = trust.Certify(g.Mixed(), names)
	fmt.Println(cert.Holds, cert.Order)
	// Output:
	// true [rain wet slip]
	// <nil>
	// the edge slip → rain does not go forward in the order
	// false []
}

func ExampleExamine() {
	// Shares of a day that add to 1, a height in two units, and a column that never changes.
	x := matrix.Of(8, 6, []float64{
		0.50, 0.30, 0.20, 170, 1.70, 7,
		0.10, 0.60, 0.30, 182, 1.82, 7,
		0.25, 0.25, 0.50, 165, 1.65, 7,
		0.80, 0.15, 0.05, 158, 1.58, 7,
		0.35, 0.45, 0.20, 177, 1.77, 7,
		0.60, 0.10, 0.30, 169, 1.69, 7,
		0.40, 0.20, 0.40, 193, 1.93, 7,
		0.70, 0.20, 0.10, 161, 1.61, 7,
	})
	m, err := dataset.MomentsOf([]string{"office", "home", "travel", "cm", "m", "site"}, x, 1)
	if err != nil {
		panic(err)
	}
	p := trust.Examine(m, nil)
	for _, f := range p.Findings {
		switch f.Code {
		case trust.Constant, trust.Duplicate, trust.Collinear:
			fmt.Printf("%s: %s\n", f.Severity, f.Sentence)
		}
	}
	fmt.Println(p.Worst(), p.Rank, "of", p.Varying)
	// Output:
	// error: site (7) is constant
	// warning: m = 0.01·cm in every row
	// warning: office + home + travel = 1 in every row
	// error 3 of 5
}

func ExampleVarsortability() {
	g := graph.New(3) // rain → wet → slip
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	share, ok := trust.Varsortability(g, []float64{1, 2, 1.5})
	fmt.Printf("%.2f %v\n", share, ok)
	// Output:
	// 0.67 true
}
