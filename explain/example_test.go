package explain_test

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
)

func Example() {
	m, err := explain.NewModel([]string{"mist", "guests_today", "ice_cream_scoops"}, []explain.Edge{
		{Link: graph.Link{From: "mist", To: "guests_today"}, Weight: -1.1},
		{Link: graph.Link{From: "mist", To: "ice_cream_scoops"}, Weight: -0.8, Undirected: true},
		{Link: graph.Link{From: "guests_today", To: "ice_cream_scoops"}, Weight: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := explain.DefaultSettings()
	opt.Sensitive = []string{"mist"}
	e, err := m.Between("guests_today", "ice_cream_scoops", opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	e.WriteText(os.Stdout)
	// Output:
	// Paths from guests_today to ice_cream_scoops in the learned graph
	//
	// Effect of one unit of guests_today on ice_cream_scoops, in the units of the data:
	//   total   1
	//   direct  1
	//   through sensitive mist  0
	// Directed paths: 1
	//   guests_today → ice_cream_scoops  1
	//
	// Back-door paths that are open: 1, association that is not the effect of guests_today
	//   guests_today ← mist → ice_cream_scoops  through sensitive mist  depends on undirected mist — ice_cream_scoops
	//
	// Back-door paths that a collider blocks: none.
	//
	// Confounders  mist (sensitive)
	// Mediators    none
	// Colliders    none
	// Adjust for   mist (blocks every back-door path)
	// Depends on   undirected mist — ice_cream_scoops: with these reversed, the adjustment set can differ
	//
	// Caution: exploratory; the result depends on the model and this sample, does not confirm causal mechanisms, and must not be used for decisions about individuals.
}
