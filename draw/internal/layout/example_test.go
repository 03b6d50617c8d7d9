package layout_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/draw/internal/layout"
	"github.com/polydag/polydag/graph"
)

func Example() {
	g := layout.Graph{
		Nodes: []layout.Node{{Name: "age", Width: 40, Height: 20}, {Name: "income", Width: 60, Height: 20}, {Name: "height", Width: 50, Height: 20}},
		Edges: []layout.Edge{{Edge: graph.Edge{From: 0, To: 1}, Weight: 0.4}},
	}
	d, err := layout.Layered(context.Background(), g, layout.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, n := range g.Nodes {
		fmt.Printf("%s at (%.0f, %.0f)\n", n.Name, d.Nodes[i].X, d.Nodes[i].Y)
	}
	// Output:
	// age at (30, 10)
	// income at (30, 64)
	// height at (30, 112)
}
