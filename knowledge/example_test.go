package knowledge_test

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
)

func Example() {
	file := strings.NewReader(`{
	  "require": ["dose->outcome"],
	  "forbid":  ["*->age"],
	  "tiers":   [["age", "sex"], ["dose", "outcome"]]
	}`)
	spec, err := knowledge.ReadSpec(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := spec.Resolve([]string{"age", "sex", "dose", "outcome"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("required", k.Required(), "tiers", k.Tiers())
	fmt.Println("sex → age forbidden:", k.Forbidden(1, 0))
	fmt.Println("dose → sex forbidden:", k.Forbidden(2, 1))
	fmt.Println("outcome → dose forbidden:", k.Forbidden(3, 2))
	// Output:
	// required [{2 3}] tiers [0 0 1 1]
	// sex → age forbidden: true
	// dose → sex forbidden: true
	// outcome → dose forbidden: true
}

func ExampleSpec_Resolve() {
	spec := knowledge.Spec{
		Require: []string{"age->dose", "dose->outcome", "outcome->age"},
		Forbid:  []string{"*->dose", "sexx->outcome"},
	}
	_, err := spec.Resolve([]string{"age", "sex", "dose", "outcome"})
	fmt.Println(err)
	// Output:
	// forbid "sexx->outcome": no column is named "sexx"; did you mean "sex"?
	// require "age->dose": forbidden by "*->dose"; drop one of them
	// the required edges close a cycle: age → dose → outcome → age; drop one of them
}

func ExampleKnowledge_Check() {
	k, err := knowledge.Spec{Require: []string{"dose->outcome"}, Forbid: []string{"*->age"}}.Resolve([]string{"age", "dose", "outcome"})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := graph.New(3)
	g.AddEdge(1, 0)
	fmt.Println(k.Check(g))
	// Output:
	// dose → outcome is required and missing
	// dose → age is forbidden: forbid has "*->age"
}

func ExampleKnowledge_Orient() {
	names := []string{"age", "dose", "outcome"}
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	class, _ := graph.CPDAG(g) // age — dose — outcome

	k, err := knowledge.Spec{Tiers: [][]string{{"age"}, {"dose"}}}.Resolve(names)
	if err != nil {
		fmt.Println(err)
		return
	}
	left, err := k.Orient(class)
	fmt.Println(left.DirectedEdges(), left.UndirectedEdges(), err)
	// Output:
	// [{0 1} {1 2}] [] <nil>
}
