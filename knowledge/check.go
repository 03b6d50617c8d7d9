package knowledge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/polydag/polydag/graph"
)

// Check returns nil if g agrees with the knowledge, and otherwise an error that lists every missing required edge and every
// forbidden edge, with the reason. It does not check that g is a DAG. O(edges) beyond the messages.
func (k *Knowledge) Check(g *graph.Graph) error {
	if err := k.sameSize(g.N()); err != nil {
		return err
	}
	var errs []error
	for _, e := range k.required {
		if !g.HasEdge(e.From, e.To) {
			errs = append(errs, fault("%s is required and missing", k.edge(e.From, e.To)))
		}
	}
	for _, e := range g.Edges() {
		if k.Forbidden(e.From, e.To) {
			errs = append(errs, fault("%s is forbidden: %s", k.edge(e.From, e.To), k.why(e.From, e.To)))
		}
	}
	return errors.Join(errs...)
}

func (k *Knowledge) sameSize(n int) error {
	if n != len(k.names) {
		return fault("the graph has %d nodes and the knowledge is about %d columns; resolve it for the columns of the graph", n, len(k.names))
	}
	return nil
}

func (k *Knowledge) edge(i, j int) string { return k.names[i] + " → " + k.names[j] }

// why returns the reason why i → j is forbidden; if there are several, the first in the file.
func (k *Knowledge) why(i, j int) string {
	switch {
	case i == j:
		return "it is a self-loop"
	case k.Input(j):
		return k.names[j] + " is an input"
	case k.explicit(i, j):
		return "forbid has " + k.forbiddingTexts(i, j)
	case k.againstTiers(i, j):
		return fmt.Sprintf("it leads from tiers[%d] back to tiers[%d]", k.tiers[i], k.tiers[j])
	}
	var path []string
	for _, v := range k.paths.path(j, i) {
		path = append(path, k.names[v])
	}
	return "it would close a cycle with the required " + strings.Join(path, " → ")
}
