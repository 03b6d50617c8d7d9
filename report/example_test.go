package report_test

import (
	"fmt"
	"os"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/solve"
	"github.com/polydag/polydag/trust"
)

func ExampleText() {
	res := &polydag.Result{
		Method: "order", Kind: "dag", Status: solve.Converged, Rows: 100, Names: []string{"a", "b", "c"},
		Edges: []polydag.Edge{
			{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2.5, Standardized: 0.5, Strength: 0.2, Compelled: true, Direction: polydag.DirectionModel},
			{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Weight: -0.1, Standardized: -0.75, Strength: 0.59},
		},
		Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a", "b", "c"}},
	}
	report.Text(res)(os.Stdout)
	// Output:
	// order on 100 rows × 3 columns: converged, 0.00 s
	//
	// 2 edges, strongest first (weight in units of the data, and with unit variances; bits a row that the edge saves):
	//   a ⇢ c        -0.1  -0.750   0.590 ░░░░░░░░░░░░
	//   a → b         2.5  +0.500   0.200 ████████
	// →  1 direction fixed under the model, whose checks passed; that nothing outside the table acts on two columns cannot be checked
	// ⇢  1 direction open: under the model the data fit as well with the edge turned round (Markov equivalence)
	//
	// DAG: yes. Every edge goes forward in this order:
	//   a, b, c
}

func ExampleFormats() {
	res := &polydag.Result{
		Kind: "dag", Names: []string{"rain", "wet grass", "snow"},
		Edges: []polydag.Edge{{Link: polydag.Link{From: "rain", To: "wet grass"}, Mark: "-->", Weight: 0.5, Standardized: 0.25, Compelled: true, Direction: polydag.DirectionModel}},
	}
	for _, file := range []string{"graph.dot", "graph.bnlearn", "edges.csv"} {
		f, err := report.Formats().ForFile(file)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("#", f.Name)
		f.Write(res)(os.Stdout)
	}
	// Output:
	// # dot
	// digraph polydag {
	//   rankdir=TB;
	//   node [shape=box, style=rounded];
	//   "rain";
	//   "wet grass";
	//   "snow";
	//   "rain" -> "wet grass" [label="+0.5", color="#0072B2", fontcolor="#0072B2", coefficient="0.5", standardized="0.25", compelled=true];
	// }
	// # bnlearn
	// [rain][wet grass|rain][snow]
	// # edges
	// from,to,weight,standardized,mark,compelled,direction
	// rain,"wet grass",0.5,0.25,"-->",true,model
}
