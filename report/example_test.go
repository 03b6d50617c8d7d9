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
			{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2.5, Standardized: 0.5, Gain: 0.2, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: trust.Judgement{Verdict: polydag.Directed, Confidence: 0.93, PAdjacent: 0.98, PDirection: 0.95}},
			{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Weight: -0.1, Standardized: -0.75, Gain: 0.59, Judgement: trust.Judgement{Verdict: polydag.Undirected, Confidence: 0.98, PAdjacent: 0.98, PDirection: 0.5}},
		},
		Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a", "b", "c"}},
	}
	report.Text(res)(os.Stdout)
	// Output:
	// 100 rows, 3 columns
	// Learned 2 edges: 1 directed, 1 undirected.
	//
	//   from     to  confidence  effect  std. effect  gain (bits/row)
	//   a     —  c         0.98  -0.1          -0.75            0.590
	//   a     →  b         0.93  +2.5          +0.50            0.200
	// Legend:
	//   →            directed: the probability of the edge and its direction together is at least 0.8
	//   —            undirected: an edge with a probability of at least 0.8; the direction is not stated
	//   confidence   probability of the edge and its direction for →, of an edge in either direction for —
	//   effect       change of "to" per unit of "from", with the other causes of "to" fixed, if "from" acts on "to"
	//   std. effect  effect in standard deviations of both columns
	//   gain         log-likelihood lost without the edge, its penalty subtracted, in bits per row; the table is sorted by it
	// Confidence: calibrated, from one fit (score differences and assumption checks, no resampling; at most 0.98).
	//
	// Details:
	//   method: order, converged
	//   acyclicity certificate (every edge points forward in this order):
	//     a, b, c
}

func ExampleFormats() {
	res := &polydag.Result{
		Kind: "dag", Names: []string{"rain", "wet grass", "snow"},
		Edges: []polydag.Edge{{Link: polydag.Link{From: "rain", To: "wet grass"}, Mark: "-->", Weight: 0.5, Standardized: 0.25, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: trust.Judgement{Verdict: polydag.Directed, Confidence: 0.9, PAdjacent: 0.95, PDirection: 0.95, Basis: trust.ByNames}}},
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
	//   "rain" -> "wet grass" [label="+0.5", color="#0072B2", fontcolor="#0072B2", coefficient="0.5", standardized="0.25", compelled=true, verdict=directed, confidence="0.9", p_adjacent="0.95", p_direction="0.95", basis=names];
	// }
	// # bnlearn
	// [rain][wet grass|rain][snow]
	// # edges
	// from,to,weight,standardized,mark,compelled,verdict,confidence,p_adjacent,p_direction,basis
	// rain,"wet grass",0.5,0.25,"-->",true,directed,0.9,0.95,0.95,names
}
