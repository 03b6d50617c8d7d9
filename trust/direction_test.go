package trust

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
)

// Two parts: a → b ← c and p → q - r, of which the last edge is open.
func TestDirections(t *testing.T) {
	g := graph.NewMixed(graph.KindCPDAG, 6)
	for _, e := range []graph.MarkedEdge{
		{Edge: graph.Edge{From: 0, To: 1}, AtFrom: graph.Tail, AtTo: graph.Arrow}, {Edge: graph.Edge{From: 2, To: 1}, AtFrom: graph.Tail, AtTo: graph.Arrow},
		{Edge: graph.Edge{From: 3, To: 4}, AtFrom: graph.Tail, AtTo: graph.Arrow}, {Edge: graph.Edge{From: 4, To: 5}, AtFrom: graph.Tail, AtTo: graph.Tail},
	} {
		g.Set(e)
	}
	names := []string{"a", "b", "c", "p", "q", "r"}
	held := Assumption{Verdict: HoldsUp}
	against := func(columns ...string) Assumption {
		return Assumption{Verdict: Fails, Evidence: []Finding{{Columns: columns}}}
	}
	const model, doubtful, unchecked, open = DirectionModel, DirectionDoubtful, DirectionUnchecked, DirectionOpen
	for what, c := range map[string]struct {
		assumptions []Assumption
		want        []Direction
	}{
		"nothing is known":         {nil, []Direction{unchecked, unchecked, unchecked, open}},
		"all held up":              {[]Assumption{held, {Verdict: NotCheckable}}, []Direction{model, model, model, open}},
		"one was not tested":       {[]Assumption{held, {Verdict: NotTested}}, []Direction{unchecked, unchecked, unchecked, open}},
		"a column of one part":     {[]Assumption{held, against("c")}, []Direction{doubtful, doubtful, model, open}},
		"beyond an open edge":      {[]Assumption{held, against("r")}, []Direction{model, model, doubtful, open}},
		"the whole table":          {[]Assumption{held, against()}, []Direction{doubtful, doubtful, doubtful, open}},
		"a failure without reason": {[]Assumption{{Verdict: Fails}}, []Direction{doubtful, doubtful, doubtful, open}},
		"failed and not tested":    {[]Assumption{against("a"), {Verdict: NotTested}}, []Direction{doubtful, doubtful, unchecked, open}},
	} {
		rests := Directions(g, names, c.assumptions)
		var got []Direction
		for _, e := range g.Edges() {
			got = append(got, rests(e.From, e.Directed()))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
