package graph_test

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
)

func ExampleGraph_Order() {
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 2, To: 0}, {From: 0, To: 3}, {From: 2, To: 3}})
	order, _ := g.Order()
	fmt.Println(order)

	g.AddEdge(3, 2)
	_, err := g.Order()
	fmt.Println(err)

	var cycle *graph.CycleError
	if errors.As(err, &cycle) {
		fmt.Println(cycle.WithNames([]string{"age", "dose", "sex", "outcome"}))
	}
	// Output:
	// [1 2 0 3]
	// cycle 2 → 3 → 2
	// cycle sex → outcome → sex
}

func ExampleSmallestAcyclicThreshold() {
	w := [][]float64{
		{0, 0.9, 0},
		{0.2, 0, -0.8},
		{0.1, 0, 0},
	}
	tau, g := graph.SmallestAcyclicThreshold(3, func(i, j int) float64 { return w[i][j] })
	fmt.Println(tau, g.Edges())
	// Output:
	// 0.2 [{0 1} {1 2}]
}

func ExampleBreakCycles() {
	weights := map[graph.Edge]float64{
		{From: 0, To: 1}: 2, {From: 1, To: 2}: 0.5, {From: 2, To: 0}: -1, {From: 2, To: 3}: 0.1,
	}
	g := graph.New(4)
	for e := range weights {
		g.AddEdge(e.From, e.To)
	}
	weight := func(e graph.Edge) float64 { return weights[e] }

	_, cut, _ := graph.BreakCycles(g, weight)
	fmt.Println("cut", cut)
	// Output:
	// cut [{1 2}]
}

func ExampleCPDAG() {
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 0, To: 3}})
	p, _ := graph.CPDAG(g)
	fmt.Println("directed", p.DirectedEdges(), "undirected", p.UndirectedEdges())

	q, _ := p.WithKnowledge([]graph.Edge{{From: 3, To: 0}})
	fmt.Println("directed", q.DirectedEdges(), "undirected", q.UndirectedEdges())
	// Output:
	// directed [{0 2} {1 2}] undirected [{0 3}]
	// directed [{0 2} {1 2} {3 0}] undirected []
}

func ExampleGraph_DSeparated() {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}})
	fmt.Println(g.DSeparated([]int{0}, []int{1}, nil))
	fmt.Println(g.DSeparated([]int{0}, []int{1}, []int{2}))
	// Output:
	// true
	// false
}
