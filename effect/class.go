package effect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/score"
)

// member is a DAG of the class with these parents of one column.
type member struct {
	parents []int
	dag     *graph.Graph
}

// mostMembers limits the number of ways to direct the undirected edges at a column.
const mostMembers = 1024

// members returns one DAG for every possible parent set of column a in an equally well fitting graph, the learned graph first.
// Total effects of a depend only on its parents: a linear effect is the coefficient of a in a regression on a and its parents (IDA:
// Maathuis, Kalisch and Bühlmann 2009). A set of undirected neighbours can be parents if it is a clique, so that no v-structure
// arises at a (their local criterion), and if a DAG of the class has it, which Meek's rules and an extension decide. With prior
// knowledge or interventions the local criterion alone is not sufficient (Perković, Kalisch and Maathuis 2017).
// Edges in stated keep their direction.
func members(res *polydag.Result, a int, stated map[polydag.Link]bool) (open []int, out []member, err error) {
	if res.Model == score.SmoothEffects || res.Model == score.FlexibleEffects {
		return turnedMembers(res, a, stated)
	}
	class, learned, err := classOf(res, stated)
	if err != nil {
		return nil, nil, err
	}
	return orientations(class, learned, a)
}

// orientations is members for a class and one DAG of it.
func orientations(class *graph.PDAG, learned *graph.Graph, a int) (open []int, out []member, err error) {
	out = []member{{learned.Parents(a), learned}}
	open = slices.Clone(class.Neighbors(a))
	if len(open) == 0 {
		return nil, out, nil
	}
	err = cliques(class, a, open, func(s []int) error {
		var known []graph.Edge
		for _, v := range open {
			if slices.Contains(s, v) {
				known = append(known, graph.Edge{From: v, To: a})
			} else {
				known = append(known, graph.Edge{From: a, To: v})
			}
		}
		directed, err := class.WithKnowledge(known)
		if errors.Is(err, graph.ErrNoExtension) {
			return nil
		}
		if err != nil {
			return err
		}
		dag, err := directed.Extension()
		if errors.Is(err, graph.ErrNoExtension) {
			return nil
		}
		if err == nil && !slices.Equal(dag.Parents(a), learned.Parents(a)) {
			out = append(out, member{slices.Clone(dag.Parents(a)), dag})
		}
		return err
	})
	return open, out, err
}

// equivalence is the class of a result and one DAG of it.
type equivalence struct {
	of      *polydag.Result
	class   *graph.PDAG
	learned *graph.Graph
}

// members is the function of this name. A source that caches models also caches the class of the last result.
func (s *source) members(res *polydag.Result, a int, stated map[polydag.Link]bool) (open []int, out []member, err error) {
	if s.kept == nil || res.Model == score.SmoothEffects || res.Model == score.FlexibleEffects {
		return members(res, a, stated)
	}
	if s.last.of != res {
		class, learned, err := classOf(res, stated)
		if err != nil {
			return nil, nil, err
		}
		s.last = equivalence{res, class, learned}
	}
	return orientations(s.last.class, s.last.learned, a)
}

// cliques calls each with every subset of open whose members are adjacent to each other and to the parents of a.
func cliques(class *graph.PDAG, a int, open []int, each func([]int) error) error {
	count := 0
	var grow func(s, rest []int) error
	grow = func(s, rest []int) error {
		if count++; count > mostMembers {
			return fault.New(ErrTooWide, fmt.Sprintf("%d undirected edges at one column have more than %d orientations", len(open), mostMembers),
				"direct some of them with %s and learn again", fault.Use("require"))
		}
		if err := each(s); err != nil {
			return err
		}
		for i, v := range rest {
			fits := func(u int) bool { return class.Adjacent(u, v) }
			if !slices.ContainsFunc(append(slices.Clone(class.Parents(a)), s...), func(u int) bool { return !fits(u) }) {
				if err := grow(append(slices.Clone(s), v), rest[i+1:]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return grow(nil, open)
}

// classOf returns the equivalence class of the result as a PDAG, and one DAG of it: the learned graph if it is a DAG.
func classOf(res *polydag.Result, stated map[polydag.Link]bool) (*graph.PDAG, *graph.Graph, error) {
	switch res.Kind {
	case graph.KindDAG:
		class, err := graph.CPDAG(res.Graph)
		if err != nil {
			return nil, nil, err
		}
		at := names.Index(res.Names)
		var known, turned []graph.Edge
		for _, e := range res.Edges {
			own := graph.Edge{From: at[e.From], To: at[e.To]}
			switch {
			case e.Compelled || stated[e.Link]:
				known = append(known, own)
			case stated[polydag.Link{From: e.To, To: e.From}]:
				turned = append(turned, graph.Edge{From: own.To, To: own.From})
			}
		}
		if class, err = class.WithKnowledge(known); err != nil || len(turned) == 0 {
			return class, res.Graph, err
		}
		return turnedClass(class, res.Graph, turned)
	case graph.KindAverage:
		return nil, nil, fault.New(ErrNotIdentified, "an averaged graph has no mechanisms", "use a result with a DAG")
	}
	class := graph.NewPDAG(len(res.Names))
	for _, e := range res.Marked.Edges() {
		if e.Directed() {
			class.SetDirected(e.From, e.To)
		} else {
			class.SetUndirected(e.From, e.To)
		}
	}
	dag, err := class.Extension()
	if err != nil {
		return nil, nil, fault.New(ErrNotIdentified, "the undirected edges cannot be oriented without a cycle or a new collider, so the graph represents no DAG", "learn with the default method, which gives a DAG")
	}
	return class, dag, nil
}

// turnedClass directs undirected edges of a class as another result states them, where the class allows it, and returns one DAG of it.
func turnedClass(class *graph.PDAG, learned *graph.Graph, turned []graph.Edge) (*graph.PDAG, *graph.Graph, error) {
	for _, e := range turned {
		if !class.HasUndirected(e.From, e.To) {
			continue
		}
		next, err := class.WithKnowledge([]graph.Edge{e})
		if errors.Is(err, graph.ErrNoExtension) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		dag, err := next.Extension()
		if errors.Is(err, graph.ErrNoExtension) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		class, learned = next, dag
	}
	return class, learned, nil
}

// turnedMembers is members for a smooth or a flexible model, which identifies directions by fit: the undecided edges at a are reversed in all
// acyclic ways, and all other edges stay.
func turnedMembers(res *polydag.Result, a int, stated map[polydag.Link]bool) (open []int, out []member, err error) {
	out = []member{{res.Graph.Parents(a), res.Graph}}
	at := names.Index(res.Names)
	for _, e := range res.Edges {
		switch {
		case e.Compelled || stated[e.Link]:
		case at[e.From] == a:
			open = append(open, at[e.To])
		case at[e.To] == a:
			open = append(open, at[e.From])
		}
	}
	slices.Sort(open)
	if len(open) > 10 {
		return nil, nil, fault.New(ErrTooWide, fmt.Sprintf("%d undirected edges at %s have more than %d orientations", len(open), res.Names[a], mostMembers),
			"direct some of them with %s and learn again", fault.Use("require"))
	}
	for set := 1; set < 1<<len(open); set++ {
		g := res.Graph.Clone()
		for k, v := range open {
			switch {
			case set>>k&1 == 0:
			case g.RemoveEdge(a, v):
				g.AddEdge(v, a)
			default:
				g.RemoveEdge(v, a)
				g.AddEdge(a, v)
			}
		}
		if g.IsAcyclic() {
			out = append(out, member{slices.Clone(g.Parents(a)), g})
		}
	}
	return open, out, nil
}
