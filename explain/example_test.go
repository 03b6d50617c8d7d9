package explain_test

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
)

func Example() {
	m, err := explain.NewModel([]string{"Male", "Heavy_Makeup", "Wearing_Lipstick"}, []explain.Edge{
		{Link: graph.Link{From: "Male", To: "Heavy_Makeup"}, Weight: -1.1},
		{Link: graph.Link{From: "Male", To: "Wearing_Lipstick"}, Weight: -0.8, Undirected: true},
		{Link: graph.Link{From: "Heavy_Makeup", To: "Wearing_Lipstick"}, Weight: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := explain.DefaultSettings()
	opt.Sensitive = []string{"Male"}
	e, err := m.Between("Heavy_Makeup", "Wearing_Lipstick", opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	e.WriteText(os.Stdout)
	// Output:
	// Paths from Heavy_Makeup to Wearing_Lipstick in the learned graph
	//
	// Effect of one unit of Heavy_Makeup on Wearing_Lipstick, in the units of the data:
	//   total   1
	//   direct  1
	//   through sensitive Male  0
	// Directed paths: 1
	//   Heavy_Makeup → Wearing_Lipstick  1
	//
	// Back-door paths that are open: 1, association that is not the effect of Heavy_Makeup
	//   Heavy_Makeup ← Male → Wearing_Lipstick  through sensitive Male  depends on undirected Male — Wearing_Lipstick
	//
	// Back-door paths that a collider blocks: none.
	//
	// Confounders  Male (sensitive)
	// Mediators    none
	// Colliders    none
	// Adjust for   Male (blocks every back-door path)
	// Depends on   undirected Male — Wearing_Lipstick: with these reversed, the adjustment set can differ
	//
	// Caution: exploratory; the result depends on the model and this sample, does not confirm causal mechanisms, and must not be used for decisions about individuals.
}
