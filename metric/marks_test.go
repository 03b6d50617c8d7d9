package metric_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
)

func marked(kind graph.Kind, n int, edges ...graph.MarkedEdge) *graph.Mixed {
	m := graph.NewMixed(kind, n)
	for _, e := range edges {
		m.Set(e)
	}
	return m
}

func mark(from, to int, atFrom, atTo graph.Mark) graph.MarkedEdge {
	return graph.MarkedEdge{Edge: graph.Edge{From: from, To: to}, AtFrom: atFrom, AtTo: atTo}
}

func TestCompareMarks(t *testing.T) {
	const tail, arrow, circle = graph.Tail, graph.Arrow, graph.Circle
	truth := marked(graph.KindPAG, 5, mark(0, 1, circle, arrow), mark(2, 1, circle, arrow), mark(1, 3, tail, arrow))
	est := marked(graph.KindPAG, 5, mark(0, 1, circle, arrow), mark(2, 1, arrow, arrow), mark(3, 1, circle, arrow), mark(3, 4, arrow, arrow))
	m := metric.CompareMarks(truth, est)
	// Arrowheads of the estimate: at 1 from 0 (right), at 2 (wrong) and 1 (right), at 1 from 3 (wrong), two of the edge that is not true.
	want := metric.Marks{Kind: graph.KindPAG, Nodes: 5, EdgesTrue: 3, EdgesEstimated: 4,
		AdjacencyPrecision: 3. / 4, AdjacencyRecall: 1, ArrowheadPrecision: 2. / 6, ArrowheadRecall: 2. / 3, TailPrecision: 1, TailRecall: 0, SHD: 4}
	if m != want {
		t.Errorf("%+v, want %+v", m, want)
	}
	if same := metric.CompareMarks(truth, truth); same.SHD != 0 || same.ArrowheadPrecision != 1 || same.TailRecall != 1 {
		t.Errorf("against itself: %+v", same)
	}
}

// TestTailsOfUndirectedEdges checks that only tails opposite an arrowhead count: an undirected edge has none, in the estimate and in the truth.
func TestTailsOfUndirectedEdges(t *testing.T) {
	const tail, arrow = graph.Tail, graph.Arrow
	undirected := marked(graph.KindCPDAG, 3, mark(0, 1, tail, tail), mark(1, 2, tail, tail))
	directed := marked(graph.KindDAG, 3, mark(0, 1, tail, arrow), mark(1, 2, tail, arrow))
	if m := metric.CompareMarks(directed, undirected); m.TailPrecision != 1 || m.TailRecall != 0 {
		t.Errorf("undirected estimate: precision %v and recall %v of tails, want 1 and 0", m.TailPrecision, m.TailRecall)
	}
	if m := metric.CompareMarks(undirected, directed); m.TailPrecision != 0 || m.TailRecall != 1 {
		t.Errorf("undirected truth: precision %v and recall %v of tails, want 0 and 1", m.TailPrecision, m.TailRecall)
	}
}

// TestSIDBounds compares the bounds with the SID of every DAG of the class.
func TestSIDBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	wide := 0
	for range 200 {
		n := 2 + rng.IntN(4)
		draw := func() *graph.Graph {
			g, order := graph.New(n), rng.Perm(n)
			for k, v := range order {
				for _, u := range order[:k] {
					if rng.Float64() < 0.5 {
						g.AddEdge(u, v)
					}
				}
			}
			return g
		}
		truth, est := draw(), draw()
		class, err := graph.CPDAG(est)
		must.Succeed(t, err)
		lower, upper, err := metric.SIDBounds(truth, class)
		must.Succeed(t, err)
		least, most := n*n, 0
		edges := est.Edges()
		for bits := range 1 << len(edges) { // every way to direct the edges
			g := graph.New(n)
			for k, e := range edges {
				if bits>>k&1 == 1 {
					e.From, e.To = e.To, e.From
				}
				g.AddEdge(e.From, e.To)
			}
			if same, err := graph.MarkovEquivalent(g, est); err != nil || !same {
				continue
			}
			sid := must.Get(metric.SID(truth, g))
			least, most = min(least, sid), max(most, sid)
		}
		if lower != least || upper != most {
			t.Fatalf("%v against %v: %d to %d, one by one %d to %d", truth.Edges(), est.Edges(), lower, upper, least, most)
		}
		if least < most {
			wide++
		}
	}
	if wide < 20 {
		t.Errorf("the bounds differ in %d classes only", wide)
	}
	for _, n := range []int{7, 9} { // 7! = 5040 members have bounds, 9! have none
		clique := graph.NewPDAG(n)
		for j := range n {
			for i := range j {
				clique.SetUndirected(i, j)
			}
		}
		// Without true edges no effect is wrong, whatever the directions.
		if lower, upper, err := metric.SIDBounds(graph.New(n), clique); (err != nil) != (n == 9) || n == 9 && !errors.Is(err, metric.ErrLargeClass) || lower != 0 || upper != 0 {
			t.Errorf("%d columns: bounds %d and %d, %v", n, lower, upper, err)
		}
	}
}

// An edge of the truth that the estimate lacks counts against the recall. A tail counts only opposite an arrowhead, and not at an undirected
// edge.
func TestMissingMarks(t *testing.T) {
	const tail, arrow = graph.Tail, graph.Arrow
	truth := marked(graph.KindPAG, 3, mark(0, 1, tail, arrow), mark(1, 2, tail, tail))
	est := marked(graph.KindPAG, 3, mark(1, 2, tail, arrow))
	want := metric.Marks{Kind: graph.KindPAG, Nodes: 3, EdgesTrue: 2, EdgesEstimated: 1, AdjacencyPrecision: 1, AdjacencyRecall: 0.5, SHD: 2}
	if got := metric.CompareMarks(truth, est); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A truth with a cycle has no equivalence class to compare with.
func TestCompareWithACycle(t *testing.T) {
	cyclic, chain := graph.New(3), graph.New(3)
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 0}} {
		cyclic.AddEdge(e[0], e[1])
		if e[0] < e[1] {
			chain.AddEdge(e[0], e[1])
		}
	}
	for what, r := range map[string]metric.Report{"truth": metric.Compare(cyclic, chain), "estimate": metric.Compare(chain, cyclic)} {
		if r.CPDAGSHD != nil || r.CPDAGF1 != nil {
			t.Errorf("the %s has a cycle, and a distance of classes: %+v", what, r)
		}
	}
	if r := metric.Compare(chain, chain); r.CPDAGSHD == nil || *r.CPDAGSHD != 0 || *r.CPDAGF1 != 1 {
		t.Errorf("a chain against itself: %+v", r)
	}
}
