package page

import (
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/metric"
)

type pair [2]int

// A table has the names of all results under one index, and the graph of each result on them.
type table struct {
	names  []string
	index  map[string]int
	marked []*graph.Mixed
	stated []*graph.Mixed  // as marked, without the directions that a verdict does not state
	listed []map[pair]bool // edges as in the result, from and to
}

func newTable(results []Labelled) (*table, error) {
	t := &table{names: []string{}, index: map[string]int{}}
	for _, r := range results {
		for _, name := range r.Result.Names {
			if _, ok := t.index[name]; !ok {
				t.index[name] = len(t.names)
				t.names = append(t.names, name)
			}
		}
	}
	for _, r := range results {
		g, listed := graph.NewMixed(r.Result.Kind, len(t.names)), map[pair]bool{}
		stated := graph.NewMixed(r.Result.Kind, len(t.names))
		for _, e := range r.Result.Edges {
			i, okFrom := t.index[e.From]
			j, okTo := t.index[e.To]
			if !okFrom || !okTo {
				return nil, fmt.Errorf("%s has an edge %s → %s between names that it does not list", r.Label, e.From, e.To)
			}
			atFrom, atTo, err := graph.ParseSymbol(e.Mark)
			if err != nil || i == j {
				return nil, fmt.Errorf("%s has an edge %s %s %s, which is not a valid edge; learn it again", r.Label, e.From, e.Mark, e.To)
			}
			if _, twice := g.Between(i, j); twice {
				return nil, fmt.Errorf("the graph of %s joins %s and %s twice; learn it again", r.Label, e.From, e.To)
			}
			marked := graph.MarkedEdge{Edge: graph.Edge{From: i, To: j}, AtFrom: atFrom, AtTo: atTo}
			g.Set(marked)
			if e.Directed() && (e.Verdict == polydag.Undirected || e.Verdict == polydag.Weak) {
				marked.AtTo = graph.Tail
			}
			stated.Set(marked)
			listed[pair{i, j}] = true
		}
		if r.Result.Kind != graph.KindAverage && !g.Directed().IsAcyclic() {
			return nil, fmt.Errorf("the directed edges of %s have a cycle; learn it again", r.Label)
		}
		t.marked, t.stated, t.listed = append(t.marked, g), append(t.stated, stated), append(t.listed, listed)
	}
	return t, nil
}

type verdicts struct {
	Edges    int       `json:"edges"`
	Verdicts []verdict `json:"verdicts"`
}

// A verdict classifies the edges of a result as metric.SHD counts them. Reversed edges are as learned, missing
// ones as in the truth. metric supports only directed edges: it counts undirected ones as missing, and the page
// lists them separately.
type verdict struct {
	Metrics  metric.Report `json:"metrics"`
	Right    []pair        `json:"right"`
	Reversed []pair        `json:"reversed"`
	Missing  []pair        `json:"missing"`
	Extra    []pair        `json:"extra"`
	// Unoriented are undirected edges between names that are adjacent in the truth, as learned.
	Unoriented []pair `json:"unoriented"`
}

func (t *table) judge(results []Labelled, truth *Truth) (*verdicts, error) {
	out := &verdicts{}
	for k, r := range results {
		// Use only the columns of this result, so that the metrics equal those of polydag evaluate.
		index := names.Index(r.Result.Names)
		want, got := graph.New(len(index)), graph.New(len(index))
		all := graph.New(len(t.names))
		for _, e := range truth.Edges {
			i, okFrom := index[e.From]
			j, okTo := index[e.To]
			if !okFrom || !okTo {
				return nil, fmt.Errorf("%w: the truth has an edge %s → %s between columns that %s does not have", ErrInput, e.From, e.To, r.Label)
			}
			want.AddEdge(i, j)
			all.AddEdge(t.index[e.From], t.index[e.To])
		}
		for _, e := range r.Result.Edges {
			if e.Directed() {
				got.AddEdge(index[e.From], index[e.To])
			}
		}
		v := t.sorted(all, k)
		v.Metrics = metric.Compare(want, got)
		out.Edges = want.NumEdges()
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

// pairOf returns an edge of a result with the ends in the order of the result. A symmetric edge may have either
// order.
func (t *table) pairOf(k int, e graph.MarkedEdge) pair {
	if p := (pair{e.From, e.To}); t.listed[k][p] {
		return p
	}
	return pair{e.To, e.From}
}

func (t *table) sorted(truth *graph.Graph, k int) verdict {
	got := t.marked[k]
	v := verdict{Right: []pair{}, Reversed: []pair{}, Missing: []pair{}, Extra: []pair{}, Unoriented: []pair{}}
	for _, e := range got.Edges() {
		p := t.pairOf(k, e)
		switch {
		case !truth.Adjacent(e.From, e.To):
			v.Extra = append(v.Extra, p)
		case !e.Directed():
			v.Unoriented = append(v.Unoriented, p)
		case truth.HasEdge(e.From, e.To):
			v.Right = append(v.Right, p)
		default:
			v.Reversed = append(v.Reversed, p)
		}
	}
	for _, e := range truth.Edges() {
		if _, found := got.Between(e.From, e.To); !found && e.From != e.To {
			v.Missing = append(v.Missing, pair{e.From, e.To})
		}
	}
	return v
}

// A comparison classifies the edges of two results by what they state: an edge whose direction neither result
// states is the same in both. Turned ones are in both with another direction or other marks, and have the order
// of the first.
type comparison struct {
	Both       []pair `json:"both"`
	Turned     []pair `json:"turned"`
	OnlyFirst  []pair `json:"only_first"`
	OnlySecond []pair `json:"only_second"`
}

func (t *table) compare() *comparison {
	a, b := t.stated[0], t.stated[1]
	c := &comparison{Both: []pair{}, Turned: []pair{}, OnlyFirst: []pair{}, OnlySecond: []pair{}}
	for _, e := range a.Edges() {
		p := t.pairOf(0, e)
		switch other, found := b.Between(e.From, e.To); {
		case !found:
			c.OnlyFirst = append(c.OnlyFirst, p)
		case other == e:
			c.Both = append(c.Both, p)
		default:
			c.Turned = append(c.Turned, p)
		}
	}
	for _, e := range b.Edges() {
		if _, found := a.Between(e.From, e.To); !found {
			c.OnlySecond = append(c.OnlySecond, t.pairOf(1, e))
		}
	}
	return c
}
