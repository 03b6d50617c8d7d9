package diagnose_test

import (
	"fmt"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
)

func ExampleCertify() {
	names := []string{"rain", "wet", "slip"}
	g := dag.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	cert := diagnose.Certify(g, names)
	fmt.Println(cert.DAG, cert.Order)
	fmt.Println(cert.Verify(names, [][2]string{{"rain", "wet"}, {"wet", "slip"}}))
	fmt.Println(cert.Verify(names, [][2]string{{"slip", "rain"}}))
	g.AddEdge(2, 0)
	cert = diagnose.Certify(g, names)
	fmt.Println(cert.DAG, cert.Cycle, cert.CyclicComponents)
	// Output:
	// true [rain wet slip]
	// <nil>
	// diagnose: the edge slip → rain does not go forward in the order
	// false [rain wet slip] 1
}
