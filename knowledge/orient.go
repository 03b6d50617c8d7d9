package knowledge

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
)

// Orient returns the PDAG of the DAGs of p that agree with the knowledge: an edge is directed exactly if they all agree on it. p is
// a CPDAG, or a result of PDAG.WithKnowledge or Orient, and is not changed. If no DAG of p agrees, the error matches ErrKnowledge
// and graph.ErrNoExtension, and names single edges that cause it.
//
// Each undirected edge with one forbidden direction gets the other, and Meek's rules give the rest. This is complete: a DAG of p
// agrees with the knowledge exactly if none of its directions is forbidden and the ends of each required edge, whose reverse is
// forbidden, are adjacent.
func (k *Knowledge) Orient(p *graph.PDAG) (*graph.PDAG, error) {
	if err := k.sameSize(p.N()); err != nil {
		return nil, err
	}
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %w", fault(format, args...), graph.ErrNoExtension))
	}
	for _, e := range k.required {
		if !p.Adjacent(e.From, e.To) {
			bad("%s is required and the class has no edge there", k.edge(e.From, e.To))
		}
	}
	for _, e := range p.DirectedEdges() {
		if k.Forbidden(e.From, e.To) {
			bad("all DAGs of the class have %s, which is forbidden: %s", k.edge(e.From, e.To), k.why(e.From, e.To))
		}
	}
	var known []graph.Edge
	for _, e := range p.UndirectedEdges() {
		i, j := e.From, e.To
		switch there, back := k.Forbidden(i, j), k.Forbidden(j, i); {
		case there && back:
			bad("the class joins %s and %s, and both directions are forbidden: %s; %s", k.names[i], k.names[j], k.why(i, j), k.why(j, i))
		case there:
			known = append(known, graph.Edge{From: j, To: i})
		case back:
			known = append(known, graph.Edge{From: i, To: j})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	q, err := p.WithKnowledge(known)
	if err != nil {
		return nil, fault("no DAG of the class keeps all of it: %w", err)
	}
	return q, nil
}
