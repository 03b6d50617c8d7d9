package page

import (
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/metric"
)

// A pair is an edge by index of names.
type pair [2]int

// A table has the names of all results under one index, and each result's graph on them.
type table struct {
	names  []string
	index  map[string]int
	graphs []*graph.Graph
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
		g := graph.New(len(t.names))
		for _, e := range r.Result.Edges {
			i, okFrom := t.index[e.From]
			j, okTo := t.index[e.To]
			if !okFrom || !okTo {
				return nil, fmt.Errorf("%s has an edge %s → %s between names that it does not list", r.Label, e.From, e.To)
			}
			g.AddEdge(i, j)
		}
		if !g.IsAcyclic() {
			return nil, fmt.Errorf("the graph of %s is not a DAG; learn it again", r.Label)
		}
		t.graphs = append(t.graphs, g)
	}
	return t, nil
}

// verdicts is how each result stands to the truth.
type verdicts struct {
	Edges    int       `json:"edges"`
	Verdicts []verdict `json:"verdicts"`
}

// A verdict sorts the edges of a result as metric.SHD counts them: reversed ones stand as learned, missing ones as in the truth.
type verdict struct {
	Metrics  metric.Report `json:"metrics"`
	Right    []pair        `json:"right"`
	Reversed []pair        `json:"reversed"`
	Missing  []pair        `json:"missing"`
	Extra    []pair        `json:"extra"`
}

func (t *table) judge(results []Labelled, truth *Truth) (*verdicts, error) {
	out := &verdicts{}
	for k, r := range results {
		// On the columns of this result alone, so that the metrics are those of polydag evaluate.
		index := make(map[string]int, len(r.Result.Names))
		for i, name := range r.Result.Names {
			index[name] = i
		}
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
			got.AddEdge(index[e.From], index[e.To])
		}
		v := sorted(all, t.graphs[k])
		v.Metrics = metric.Compare(want, got)
		out.Edges = want.NumEdges()
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

func sorted(truth, got *graph.Graph) verdict {
	d := metric.Diff(truth, got)
	return verdict{Right: pairs(d.Right), Reversed: pairs(d.Reversed), Missing: pairs(d.Missing), Extra: pairs(d.Extra)}
}

// pairs is never nil, which JSON would write as null.
func pairs(edges []graph.Edge) []pair {
	out := make([]pair, len(edges))
	for k, e := range edges {
		out[k] = pair{e.From, e.To}
	}
	return out
}

// A comparison sorts the edges of two results. Turned ones are in both, the other way round, and stand as in the first.
type comparison struct {
	Both       []pair `json:"both"`
	Turned     []pair `json:"turned"`
	OnlyFirst  []pair `json:"only_first"`
	OnlySecond []pair `json:"only_second"`
}

func (t *table) compare() *comparison {
	d := metric.Diff(t.graphs[1], t.graphs[0])
	return &comparison{Both: pairs(d.Right), Turned: pairs(d.Reversed), OnlyFirst: pairs(d.Extra), OnlySecond: pairs(d.Missing)}
}

// links gives the edges of the truth by index, those that some result lacks the names of left out.
func (t *table) links(list []polydag.Link) []pair {
	var out []pair
	for _, l := range list {
		i, okFrom := t.index[l.From]
		j, okTo := t.index[l.To]
		if okFrom && okTo && i != j {
			out = append(out, pair{i, j})
		}
	}
	return out
}
