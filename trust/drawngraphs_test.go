package trust

import (
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
)

// TestDrawnGraphs checks that graphs come back as they were, and what is refused of texts that somebody changed.
func TestDrawnGraphs(t *testing.T) {
	edge := func(from, to int, compelled bool) graph.MarkedEdge {
		return Drawn(graph.Edge{From: from, To: to}, compelled)
	}
	graphs := [][]graph.MarkedEdge{
		{edge(0, 1, true), edge(0, 2, false)}, {edge(1, 0, false)}, nil,
		{edge(0, 1, false), edge(1, 2, true), edge(3, 0, true), edge(3, 1, true), edge(3, 2, true), edge(4, 0, true), edge(4, 1, true), edge(4, 3, true)},
	}
	d := NewDrawnGraphs(graphs)
	if got, err := d.Graphs(5); err != nil || !reflect.DeepEqual(got, graphs) {
		t.Errorf("%v, %v", got, err)
	}
	for want, bad := range map[string]DrawnGraphs{
		"not an edge":     {Edges: "12", In: nil},
		"of 5 columns":    {Edges: "1>5"},
		"between two":     {Edges: "1>1"},
		"do not fit":      {Edges: "1>2", In: []string{"AAAA"}},
		"sample 1":        {Edges: "1>2", In: []string{"AA", "?"}},
		"is not a DAG":    {Edges: "1>2 2>1", In: []string{"Aw"}},
		"sample 0 is not": {Edges: "1>2 1-2", In: []string{"Aw"}},
	} {
		if got, err := bad.Graphs(5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v, want %q", bad, got, err, want)
		}
	}
}
