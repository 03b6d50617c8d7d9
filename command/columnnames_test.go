package command

import (
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
)

// The next command states the role of a column whose name leaves it open, if that would settle an edge.
func TestUnsureName(t *testing.T) {
	res := &polydag.Result{Edges: make([]polydag.Edge, 2)}
	res.Edges[0].From, res.Edges[0].To, res.Edges[0].Verdict = "age", "drug", polydag.Undirected
	res.Edges[1].From, res.Edges[1].To, res.Edges[1].Verdict = "age", "death", polydag.Directed
	table := polydag.FromMoments(dataset.NewMoments([]string{"age", "drug", "city", "death"}))
	flag, why := unsureName(res, table, []string{"learn", "data.csv"})
	if flag != "--roots drug" || why != "if drug was assigned at random" {
		t.Errorf("%q, %q", flag, why)
	}
	for _, typed := range [][]string{{"learn", "--leaves=drug"}, {"learn", "--names", "off"}, {"learn", "--names=off"}} {
		if flag, _ := unsureName(res, table, typed); flag != "" {
			t.Errorf("%q is proposed after %q", flag, typed)
		}
	}
	res.Edges[0].Verdict = polydag.Directed
	if flag, _ := unsureName(res, table, nil); flag != "" {
		t.Errorf("%q is proposed for a directed edge", flag)
	}
	if flag, _ := unsureName(res, nil, nil); flag != "" {
		t.Errorf("%q is proposed without a table", flag)
	}
}
