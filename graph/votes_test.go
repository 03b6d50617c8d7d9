package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// marked returns a graph of the directed edges i → j and the undirected edges i — j.
func marked(n int, directed, undirected []graph.Edge) *graph.Mixed {
	m := graph.NewMixed(graph.KindAverage, n)
	for _, e := range directed {
		m.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	for _, e := range undirected {
		m.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Tail})
	}
	return m
}

// TestVotesByHand counts three graphs by hand.
func TestVotesByHand(t *testing.T) {
	v := graph.NewVotes(4)
	v.Add(marked(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}, nil))
	v.Add(marked(4, []graph.Edge{{From: 1, To: 2}}, []graph.Edge{{From: 0, To: 1}}))
	v.Add(marked(4, []graph.Edge{{From: 1, To: 0}}, nil))
	v.Add(marked(4, nil, nil))
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"0 → 1", v.Directed(0, 1), 1.5 / 4}, {"1 → 0", v.Directed(1, 0), 1.5 / 4}, {"0 and 1", v.Adjacent(1, 0), 3.0 / 4},
		{"1 → 2", v.Directed(1, 2), 0.5}, {"0 above 2", v.Ancestor(0, 2), 1.5 / 4}, {"2 above 0", v.Ancestor(2, 0), 0},
		{"1 above 0", v.Ancestor(1, 0), 1.5 / 4}, {"3 alone", v.Adjacent(3, 0) + v.Ancestor(3, 1) + v.Ancestor(1, 3), 0},
	} {
		must.Near(t, c.got, c.want, 1e-15, "%s", c.what)
	}
	if empty := graph.NewVotes(2); empty.Directed(0, 1) != 0 || empty.Graphs() != 0 {
		t.Error("no graph has votes")
	}
}

// all lists every DAG on n nodes.
func all(n int) (out []*graph.Graph) {
	pairs := n * (n - 1) / 2
	total := 1
	for range pairs {
		total *= 3
	}
	for code := range total {
		g := graph.New(n)
		for i, c := 0, code; i < n; i++ {
			for j := range i {
				switch c % 3 {
				case 1:
					g.AddEdge(i, j)
				case 2:
					g.AddEdge(j, i)
				}
				c /= 3
			}
		}
		if g.IsAcyclic() {
			out = append(out, g)
		}
	}
	return out
}

// TestConsensusIsNearest checks that at level 1/2 the consensus has the least expected distance from the
// graphs, among all DAGs. An extra, a missing and a reversed edge are one error each. There are enough
// replicates for clear directions.
func TestConsensusIsNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 4
	dags := all(n)
	for range 12 {
		few := []*graph.Graph{dags[rng.IntN(len(dags))], dags[rng.IntN(len(dags))], dags[rng.IntN(len(dags))], dags[rng.IntN(len(dags))]}
		weights := []int{500, 220, 110, 40}
		v := graph.NewVotes(n)
		for k, g := range few {
			for range weights[k] {
				v.Add(g.Mixed())
			}
		}
		distance := func(g *graph.Graph) (sum float64) {
			for k, other := range few {
				for i := range n {
					for j := range i {
						if g.HasEdge(i, j) != other.HasEdge(i, j) || g.HasEdge(j, i) != other.HasEdge(j, i) {
							sum += float64(weights[k])
						}
					}
				}
			}
			return sum
		}
		got, err := v.Consensus(0.5, []int{0, 1, 2, 3})
		if err != nil || !got.IsAcyclic() {
			t.Fatalf("%v, %v", got, err)
		}
		least := math.Inf(1)
		for _, g := range dags {
			least = min(least, distance(g))
		}
		if distance(got) > least {
			t.Errorf("the consensus has distance %v, another DAG %v", distance(got), least)
		}
	}
}

// TestConsensusLevels checks that a higher level keeps fewer edges, and that an unclear direction follows the
// given order, so that a chain gets no collider.
func TestConsensusLevels(t *testing.T) {
	v := graph.NewVotes(3)
	for k := range 100 {
		directed := []graph.Edge{}
		if k < 80 {
			directed = append(directed, graph.Edge{From: 0, To: 2})
		}
		v.Add(marked(3, directed, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	}
	for _, c := range []struct {
		level float64
		order []int
		want  []graph.Edge
	}{
		{0.5, []int{0, 1, 2}, []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}}},
		{0.5, []int{1, 0, 2}, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 0}, {From: 1, To: 2}}},
		{0.8, []int{0, 1, 2}, []graph.Edge{{From: 0, To: 2}}},
		{0.81, []int{0, 1, 2}, nil},
	} {
		g := must.Get(v.Consensus(c.level, c.order))
		want := must.Get(graph.FromEdges(3, c.want))
		if !g.Equal(want) {
			t.Errorf("level %v, order %v: %v, want %v", c.level, c.order, g.Edges(), c.want)
		}
	}
}

// TestTurned checks that only edges with a majority for the other direction are reversed, that adjacencies
// stay, and that no cycle arises. Such an edge stays only if its reversal would close a cycle.
func TestTurned(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const n = 4
	dags := all(n)
	turnedSome, leftSome := 0, 0
	for range 60 {
		v := graph.NewVotes(n)
		for range 3 {
			g := dags[rng.IntN(len(dags))]
			for range 20 + rng.IntN(200) {
				v.Add(g.Mixed())
			}
		}
		g := dags[rng.IntN(len(dags))]
		out, turned := v.Turned(g)
		if !out.IsAcyclic() || out.NumEdges() != g.NumEdges() {
			t.Fatalf("%v became %v", g.Edges(), out.Edges())
		}
		was := map[graph.Edge]bool{}
		for _, e := range turned {
			was[graph.Edge{From: e.To, To: e.From}] = true
			turnedSome++
			if g.HasEdge(e.From, e.To) || !out.HasEdge(e.From, e.To) {
				t.Fatalf("%v is said to be turned in %v", e, out.Edges())
			}
		}
		for _, e := range g.Edges() {
			forward, back := v.Directed(e.From, e.To), v.Directed(e.To, e.From)
			clear := min(forward, back) == 0 || math.Abs(forward-back) > 2*math.Sqrt((forward+back)/float64(v.Graphs()))
			want := back > forward && clear
			switch {
			case was[e] && !want:
				t.Fatalf("%v was turned: %v forward, %v back", e, forward, back)
			case was[e] == want:
			default: // it has to close a cycle now
				leftSome++
				h := out.Clone()
				h.RemoveEdge(e.From, e.To)
				h.AddEdge(e.To, e.From)
				if h.IsAcyclic() {
					t.Fatalf("%v could be turned in %v", e, out.Edges())
				}
			}
		}
	}
	if turnedSome < 20 || leftSome == 0 {
		t.Errorf("%d edges were turned, %d had to stay", turnedSome, leftSome)
	}
}

// If only one of two edges can be reversed, Turned reverses the one with the larger margin, even if the other one is in more graphs.
func TestTurnedTakesTheClearestFirst(t *testing.T) {
	const a, b, c = 0, 1, 2
	v := graph.NewVotes(3)
	for k := range 100 {
		g := graph.New(3)
		if k < 60 {
			g.AddEdge(b, a) // margin 0.6
		}
		switch {
		case k < 75:
			g.AddEdge(c, b) // margin 0.55, in 95 graphs
		case k < 95:
			g.AddEdge(b, c)
		}
		v.Add(g.Mixed())
	}
	g := graph.New(3)
	for _, e := range [][2]int{{a, b}, {b, c}, {a, c}} {
		g.AddEdge(e[0], e[1])
	}
	_, turned := v.Turned(g)
	if len(turned) != 1 || turned[0] != (graph.Edge{From: b, To: a}) {
		t.Errorf("turned %v, want only b → a", turned)
	}
}
