package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// allDAGs returns every DAG on n nodes: 1, 3, 25, 543, 29281 for n = 1..5.
func allDAGs(n int) []*Graph {
	var pairs []Edge
	for i := range n {
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, Edge{i, j})
		}
	}
	total := 1
	for range pairs {
		total *= 3
	}
	var all []*Graph
	for code := range total {
		g := New(n)
		for _, e := range pairs {
			switch code % 3 {
			case 1:
				g.AddEdge(e.From, e.To)
			case 2:
				g.AddEdge(e.To, e.From)
			}
			code /= 3
		}
		if g.IsAcyclic() {
			all = append(all, g)
		}
	}
	return all
}

// classes groups DAGs by skeleton and v-structures, in order of first appearance.
func classes(all []*Graph) [][]*Graph {
	index := map[string]int{}
	var groups [][]*Graph
	for _, g := range all {
		key := fmt.Sprint(g.Skeleton(), g.VStructures())
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], g)
	}
	return groups
}

// common returns the PDAG in which an edge is directed if all members have it so, and
// undirected otherwise. The members must have one skeleton.
func common(members []*Graph) *PDAG {
	p := NewPDAG(members[0].N())
	for _, e := range members[0].Edges() {
		same := true
		for _, m := range members {
			same = same && m.HasEdge(e.From, e.To)
		}
		if same {
			p.SetDirected(e.From, e.To)
		} else {
			p.SetUndirected(e.From, e.To)
		}
	}
	return p
}

// TestAllClasses checks CPDAG, Extension and Close on every DAG of up to five nodes. The numbers of DAGs and of classes are sequences A003024 and
// A007984 of the OEIS.
func TestAllClasses(t *testing.T) {
	dags := []int{1, 1, 3, 25, 543, 29281}
	count := []int{1, 1, 2, 11, 185, 8782}
	for n := range 6 {
		all := allDAGs(n)
		groups := classes(all)
		if len(all) != dags[n] || len(groups) != count[n] {
			t.Fatalf("n = %d: %d DAGs in %d classes, want %d in %d", n, len(all), len(groups), dags[n], count[n])
		}
		for _, members := range groups {
			want := common(members)
			for _, g := range members {
				got := must.Get(CPDAG(g))
				if !got.Equal(want) {
					t.Fatalf("CPDAG of %v: directed %v undirected %v, want %v and %v", g.Edges(),
						got.DirectedEdges(), got.UndirectedEdges(), want.DirectedEdges(), want.UndirectedEdges())
				}
			}
			ext := must.Get(want.Extension())
			if !slices.ContainsFunc(members, ext.Equal) {
				t.Fatalf("extension %v is not in the class of %v", ext.Edges(), members[0].Edges())
			}

			pattern := NewPDAG(n)
			for _, e := range members[0].Skeleton() {
				pattern.SetUndirected(e.From, e.To)
			}
			for _, v := range members[0].VStructures() {
				pattern.SetDirected(v.A, v.Mid)
				pattern.SetDirected(v.B, v.Mid)
			}
			pattern.Close()
			if !pattern.Equal(want) {
				t.Fatalf("Close of the pattern of %v is not its CPDAG", members[0].Edges())
			}
		}
	}
}

// TestCloseWithKnowledge directs random edges of a CPDAG as in a random member, or at
// random, and compares WithKnowledge, Close and Extension with the members that agree.
func TestCloseWithKnowledge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	groups := classes(allDAGs(5))
	var free [][]*Graph // classes with more than one member
	for _, members := range groups {
		if len(members) > 1 {
			free = append(free, members)
		}
	}
	followed, impossible := 0, 0
	for trial := range 10000 {
		members := free[rng.IntN(len(free))]
		p := common(members)
		truth := members[rng.IntN(len(members))]
		open := p.UndirectedEdges()
		var known []Edge
		for range 1 + rng.IntN(3) {
			e := open[rng.IntN(len(open))]
			if trial%4 == 0 && rng.IntN(2) == 0 || trial%4 != 0 && !truth.HasEdge(e.From, e.To) {
				e = Edge{e.To, e.From}
			}
			known = append(known, e)
			p.SetDirected(e.From, e.To)
		}
		var agree []*Graph
		for _, m := range members {
			if !slices.ContainsFunc(known, func(e Edge) bool { return !m.HasEdge(e.From, e.To) }) {
				agree = append(agree, m)
			}
		}
		got, err := common(members).WithKnowledge(known)
		if len(agree) == 0 {
			impossible++
			if !errors.Is(err, ErrNoExtension) {
				t.Fatalf("trial %d: no DAG of the class of %v agrees with %v, but the error is %v",
					trial, truth.Edges(), known, err)
			}
			continue
		}
		before := p.NumDirected()
		raw, err2 := p.Extension()
		p.Close()
		if want := common(agree); !p.Equal(want) || err != nil || !got.Equal(want) {
			t.Fatalf("trial %d: class of %v, known %v: directed %v, want %v; %v", trial, truth.Edges(), known,
				p.DirectedEdges(), want.DirectedEdges(), err)
		}
		if p.NumDirected() > before {
			followed++
		}
		closed, err := p.Extension()
		if err != nil || err2 != nil {
			t.Fatalf("trial %d: extension: %v, %v", trial, err, err2)
		}
		for _, x := range []*Graph{raw, closed} {
			if !slices.ContainsFunc(agree, x.Equal) {
				t.Fatalf("trial %d: extension %v does not agree with %v", trial, x.Edges(), known)
			}
		}
	}
	if followed < 1000 || impossible < 20 {
		t.Fatalf("edges followed in %d trials, knowledge was impossible in %d: too few", followed, impossible)
	}
}

// TestMeekRules shows each rule alone: the one edge that it directs.
func TestMeekRules(t *testing.T) {
	const x, y, c, d = 0, 1, 2, 3
	for _, test := range []struct {
		name                 string
		directed, undirected []Edge
		others               []Edge // undirected edges that stay
	}{
		{"R1", []Edge{{c, x}}, []Edge{{x, y}}, nil},
		{"R2", []Edge{{x, c}, {c, y}}, []Edge{{x, y}}, nil},
		{"R3", []Edge{{c, y}, {d, y}}, []Edge{{x, y}, {x, c}, {x, d}}, []Edge{{x, c}, {x, d}}},
		{"R4", []Edge{{c, d}, {d, y}}, []Edge{{x, y}, {x, c}, {x, d}}, []Edge{{x, c}, {x, d}}},
	} {
		p := NewPDAG(4)
		for _, e := range test.directed {
			p.SetDirected(e.From, e.To)
		}
		for _, e := range test.undirected {
			p.SetUndirected(e.From, e.To)
		}
		p.Close()
		if !p.HasDirected(x, y) || !slices.Equal(p.UndirectedEdges(), test.others) {
			t.Errorf("%s: directed %v, undirected %v", test.name, p.DirectedEdges(), p.UndirectedEdges())
		}
	}
}

// TestCloseReachesTheEnd runs Close on arbitrary PDAGs, most of which have no DAG, and checks that no rule
// applies afterwards.
func TestCloseReachesTheEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	directed := 0
	for trial := range 3000 {
		n := 4 + rng.IntN(5)
		p := NewPDAG(n)
		for i := range n {
			for j := range i {
				switch u := rng.Float64(); {
				case u < 0.1:
					p.SetDirected(i, j)
				case u < 0.2:
					p.SetDirected(j, i)
				case u < 0.7:
					p.SetUndirected(i, j)
				}
			}
		}
		before := p.Clone()
		p.Close()
		directed += p.NumDirected() - before.NumDirected()
		for _, e := range p.UndirectedEdges() {
			if p.follows(e.From, e.To, noDoubt()) || p.follows(e.To, e.From, noDoubt()) {
				t.Fatalf("trial %d: %v is left undirected; directed %v, undirected %v", trial, e,
					before.DirectedEdges(), before.UndirectedEdges())
			}
		}
		for _, e := range before.DirectedEdges() {
			if !p.HasDirected(e.From, e.To) {
				t.Fatalf("trial %d: %v was directed before and is not now", trial, e)
			}
		}
		if p.NumEdges() != before.NumEdges() {
			t.Fatalf("trial %d: %d edges became %d", trial, before.NumEdges(), p.NumEdges())
		}
	}
	if directed < 3000 {
		t.Fatalf("only %d edges were directed", directed)
	}
}

func TestExtensionRefuses(t *testing.T) {
	square := NewPDAG(4) // an undirected four-cycle: every direction makes a v-structure
	for v := range 4 {
		square.SetUndirected(v, (v+1)%4)
	}
	if _, err := square.Extension(); !errors.Is(err, ErrNoExtension) {
		t.Fatalf("four-cycle: error %v", err)
	}
	ring := NewPDAG(3)
	for v := range 3 {
		ring.SetDirected(v, (v+1)%3)
	}
	if _, err := ring.Extension(); !errors.Is(err, ErrNoExtension) {
		t.Fatalf("directed ring: error %v", err)
	}
}

// TestLargeClasses checks on graphs beyond enumeration that the extension of a CPDAG is
// equivalent to the DAG and has the same CPDAG.
func TestLargeClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, n := range []int{10, 30, 100} {
		for range 20 {
			g := randomDAG(rng, n, 4/float64(n))
			p := must.Get(CPDAG(g))
			h := must.Get(p.Extension())
			if same, err := MarkovEquivalent(g, h); err != nil || !same {
				t.Fatalf("n = %d: extension not equivalent: %v", n, err)
			}
			q, err := CPDAG(h)
			if err != nil || !q.Equal(p) {
				t.Fatalf("n = %d: CPDAG of the extension differs: %v", n, err)
			}
		}
	}
}

func TestCyclicGraphsHaveNoClass(t *testing.T) {
	g := mustEdges(t, 2, Edge{0, 1}, Edge{1, 0})
	var cycle *CycleError
	if _, err := CPDAG(g); !errors.As(err, &cycle) {
		t.Errorf("CPDAG: %v", err)
	}
	if _, err := MarkovEquivalent(New(2), g); !errors.As(err, &cycle) {
		t.Errorf("MarkovEquivalent: %v", err)
	}
}

func TestPDAGPairHasOneEdge(t *testing.T) {
	p := NewPDAG(3)
	p.SetUndirected(0, 1)
	p.SetDirected(1, 0)
	p.SetDirected(0, 1)
	if p.NumEdges() != 1 || !p.HasDirected(0, 1) || p.HasDirected(1, 0) || p.HasUndirected(0, 1) {
		t.Fatalf("directed %v undirected %v", p.DirectedEdges(), p.UndirectedEdges())
	}
	p.SetUndirected(1, 0)
	p.SetUndirected(1, 2)
	if p.NumUndirected() != 2 || p.NumDirected() != 0 || !slices.Equal(p.Neighbors(1), []int{0, 2}) {
		t.Fatalf("directed %v undirected %v", p.DirectedEdges(), p.UndirectedEdges())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic for a self-loop")
			}
		}()
		p.SetDirected(1, 1)
	}()
	q := p.Clone()
	q.Remove(0, 1)
	if q.Adjacent(0, 1) || !p.Adjacent(0, 1) || p.Equal(q) {
		t.Fatal("Remove or Clone is wrong")
	}
}

func TestWithKnowledgeNamesTheEdge(t *testing.T) {
	p := NewPDAG(4)
	p.SetDirected(0, 2)
	p.SetDirected(1, 2)
	p.SetUndirected(2, 3)
	p.Close()
	for _, test := range []struct {
		known []Edge
		want  string
	}{
		{[]Edge{{0, 1}}, "known edge 0 → 1: the class has no edge there: " + ErrNoExtension.Error()},
		{[]Edge{{2, 1}}, "known edge 2 → 1: the class or another known edge has 1 → 2: " + ErrNoExtension.Error()},
	} {
		if _, err := p.WithKnowledge(test.known); err == nil || err.Error() != test.want {
			t.Errorf("known %v: %v, want %s", test.known, err, test.want)
		}
	}
}
