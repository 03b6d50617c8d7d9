package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// questions calls ask for every pair of n nodes and every set of the others.
func questions(n int, ask func(x, y int, given []int) bool) {
	for y := range n {
		for x := range y {
			for bits := range 1 << n {
				if bits>>x&1 == 1 || bits>>y&1 == 1 {
					continue
				}
				var given []int
				for v := range n {
					if bits>>v&1 == 1 {
						given = append(given, v)
					}
				}
				if !ask(x, y, given) {
					return
				}
			}
		}
	}
}

// says lists the m-separations of a graph for every question.
func says(p *PAG) (out []bool) {
	questions(p.N(), func(x, y int, given []int) bool {
		out = append(out, p.MSeparated(x, y, given))
		return true
	})
	return out
}

// agrees reports whether a graph with the same skeleton has the same m-separations, and stops at the first difference. No set separates
// adjacent nodes.
func agrees(p *PAG, want []bool) bool {
	k, same := 0, true
	questions(p.N(), func(x, y int, given []int) bool {
		same = p.Adjacent(x, y) || p.MSeparated(x, y, given) == want[k]
		k++
		return same
	})
	return same
}

// definedPAG is a PAG by definition: the common marks of all MAGs with the same independences. Such MAGs have
// the same skeleton.
func definedPAG(mag *PAG, selection bool) *PAG {
	forms := [][2]Mark{{Tail, Arrow}, {Arrow, Tail}, {Arrow, Arrow}}
	if selection {
		forms = append(forms, [2]Mark{Tail, Tail})
	}
	edges, want := mag.Skeleton(), says(mag)
	var common *PAG
	m := mag.Clone()
	var fill func(k int)
	fill = func(k int) {
		if k < len(edges) {
			for _, f := range forms {
				m.Set(edges[k].From, edges[k].To, f[0], f[1])
				fill(k + 1)
			}
			return
		}
		if m.CheckMAG() != nil || !agrees(m, want) {
			return
		}
		if common == nil {
			common = m.Clone()
			return
		}
		for _, e := range edges {
			for _, f := range []Edge{e, {e.To, e.From}} {
				if common.At(f.From, f.To) != m.At(f.From, f.To) {
					common.Mark(f.From, f.To, Circle)
				}
			}
		}
	}
	fill(0)
	return common
}

// drawn returns a DAG with the given number of observed nodes, some hidden common causes of two, one hidden
// node anywhere and, if selection, some selected common effects of two.
func drawn(rng *rand.Rand, observed int, selection bool) (g *Graph, hidden, selected []int) {
	causes, effects := rng.IntN(observed), 0
	if selection {
		effects = 1 + rng.IntN(observed)
	}
	n := observed + 1 + causes + effects
	g = New(n)
	for _, e := range randomDAG(rng, observed+1, 0.2+0.2*rng.Float64()).Edges() {
		g.AddEdge(e.From, e.To)
	}
	hidden = []int{observed}
	for v := observed + 1; v < n; v++ {
		two := rng.Perm(observed)[:2]
		for _, u := range two {
			if v <= observed+causes {
				g.AddEdge(v, u)
			} else {
				g.AddEdge(u, v)
			}
		}
		if v <= observed+causes {
			hidden = append(hidden, v)
		} else {
			selected = append(selected, v)
		}
	}
	return g, hidden, selected
}

// TestLatentMAGKeepsIndependence checks that a MAG has the independences of its DAG and is maximal and
// ancestral.
func TestLatentMAGKeepsIndependence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 300 {
		g, hidden, selected := drawn(rng, 3+rng.IntN(3), k%2 == 0)
		mag, observed, err := LatentMAG(g, hidden, selected)
		must.Succeed(t, err)
		if err := mag.CheckMAG(); err != nil {
			t.Fatalf("the MAG of %v without %v, selected %v: %v", g.Edges(), hidden, selected, err)
		}
		questions(len(observed), func(x, y int, given []int) bool {
			set := slices.Clone(selected)
			for _, v := range given {
				set = append(set, observed[v])
			}
			if want := g.DSeparated([]int{observed[x]}, []int{observed[y]}, set); mag.MSeparated(x, y, given) != want {
				t.Fatalf("%d, %d given %v: the DAG says %v", x, y, given, want)
			}
			return true
		})
	}
}

// TestClassAgainstItsDefinition checks that the rules find exactly the marks that the class has in common.
func TestClassAgainstItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	long, undirected := 0, 0
	seen, defined := map[string]bool{}, map[string]*PAG{} // a graph is compared once, and its class enumerated once
	for k := range 1000 {
		selection := k%5 == 0
		size, most := 4+rng.IntN(2), 6
		if selection {
			size, most = 4, 5
		}
		g, hidden, selected := drawn(rng, size, selection)
		mag, _, err := LatentMAG(g, hidden, selected)
		must.Succeed(t, err)
		key := fmt.Sprint(size, selection, mag.Mixed().Edges())
		if mag.NumEdges() > most || seen[key] {
			continue
		}
		seen[key] = true
		class := fmt.Sprint(size, selection, mag.Skeleton(), says(mag))
		if defined[class] == nil {
			defined[class] = definedPAG(mag, selection)
		}
		want, got := defined[class], mag.Class(selection)
		if !got.Equal(want) {
			t.Fatalf("MAG %v: the rules say %v, the definition %v", mag.Mixed().Edges(), got.Mixed().Edges(), want.Mixed().Edges())
		}
		if err := got.Legal(); err != nil {
			t.Fatalf("PAG %v: %v", got.Mixed().Edges(), err)
		}
		for _, e := range got.Mixed().Edges() {
			if e.AtFrom == Arrow && e.AtTo == Arrow {
				long++
			}
			if e.AtFrom == Tail && e.AtTo == Tail {
				undirected++
			}
		}
	}
	if long == 0 || undirected == 0 {
		t.Errorf("%d edges ↔ and %d undirected ones: the draws are too plain", long, undirected)
	}
}

// TestMemberIsOfTheClass checks that members are of the class.
func TestMemberIsOfTheClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		g, hidden, _ := drawn(rng, 8, false)
		mag, _, err := LatentMAG(g, hidden, nil)
		must.Succeed(t, err)
		class := mag.Class(false)
		m := class.Member()
		must.Succeed(t, m.CheckMAG())
		if !m.Class(false).Equal(class) {
			t.Fatalf("a member of %v is of another class", class.Mixed().Edges())
		}
	}
}

// TestNearestMAG checks that for any marks the nearest MAG is valid, keeps required edges, and is a member if
// the graph was a PAG.
func TestNearestMAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	changed := 0
	for k := range 1000 {
		n := 3 + rng.IntN(6)
		p, must := NewPAG(n), map[Edge]bool{}
		order := rng.Perm(n)
		for j, y := range order {
			for _, x := range order[:j] {
				if rng.Float64() > 0.4 {
					continue
				}
				p.Set(x, y, Mark(1+rng.IntN(3)), Mark(1+rng.IntN(3)))
				if rng.IntN(5) == 0 {
					p.Set(x, y, Tail, Arrow)
					must[Edge{x, y}] = true
				}
			}
		}
		if k%10 == 0 {
			must = nil
			g, hidden, _ := drawn(rng, n, false)
			mag, _, _ := LatentMAG(g, hidden, nil)
			p = mag.Class(false)
		}
		m := p.NearestMAG(func(i, j int) bool { return must[Edge{i, j}] })
		if err := m.CheckMAG(); err != nil {
			t.Fatalf("%v: %v: %v", p.Mixed().Edges(), m.Mixed().Edges(), err)
		}
		if err := m.Class(true).Legal(); err != nil {
			t.Fatalf("the class of %v: %v", m.Mixed().Edges(), err)
		}
		for e := range must {
			if !m.directed(e.From, e.To) {
				t.Fatalf("%v of %v is required, and in %v it is not directed", e, p.Mixed().Edges(), m.Mixed().Edges())
			}
		}
		if p.Legal() == nil && must == nil && !m.Class(false).Equal(p) {
			t.Fatalf("%v is a PAG, and its nearest MAG has another", p.Mixed().Edges())
		}
		if p.Legal() != nil {
			changed++
		}
	}
	if changed < 100 {
		t.Errorf("only %d of the graphs were no PAGs", changed)
	}
}

// TestLegalRefuses checks that the error describes why a graph is not a PAG.
func TestLegalRefuses(t *testing.T) {
	for what, edges := range map[string][]MarkedEdge{
		"a directed cycle":           {{Edge{0, 1}, Tail, Arrow}, {Edge{1, 2}, Tail, Arrow}, {Edge{2, 0}, Tail, Arrow}},
		"a head at an ancestor":      {{Edge{0, 1}, Tail, Arrow}, {Edge{1, 2}, Tail, Arrow}, {Edge{0, 2}, Arrow, Arrow}},
		"a circle that R1 fills":     {{Edge{0, 1}, Circle, Arrow}, {Edge{2, 1}, Circle, Arrow}, {Edge{1, 3}, Circle, Circle}},
		"a mark that nothing proves": {{Edge{0, 1}, Circle, Arrow}, {Edge{1, 2}, Arrow, Circle}, {Edge{2, 3}, Circle, Circle}, {Edge{3, 0}, Circle, Circle}},
		"not maximal":                {{Edge{0, 1}, Tail, Arrow}, {Edge{1, 2}, Arrow, Arrow}, {Edge{2, 3}, Arrow, Tail}, {Edge{1, 3}, Tail, Arrow}, {Edge{2, 0}, Tail, Arrow}},
	} {
		p := NewPAG(4)
		for _, e := range edges {
			p.Set(e.From, e.To, e.AtFrom, e.AtTo)
		}
		if err := p.Legal(); err == nil || !errors.Is(err, ErrKind) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRule7 checks R7 of Zhang (2008): a —o b o—* c becomes a —o b —* c if and only if a and c are not
// adjacent.
func TestRule7(t *testing.T) {
	for _, adjacent := range []bool{false, true} {
		p := NewPAG(3)
		p.Set(0, 1, Tail, Circle)
		p.Set(1, 2, Circle, Circle)
		if adjacent {
			p.Set(0, 2, Circle, Circle)
		}
		if changed := p.selection(); changed == adjacent || (p.At(2, 1) == Tail) == adjacent {
			t.Errorf("adjacent %v: changed %v, mark %v", adjacent, changed, p.At(2, 1))
		}
	}
}

// TestDiscriminatingPathsHaveColliders checks that every inner node of a discriminating path is a collider: 0
// *→ 1 ↔ 2 ↔ 3 discriminates 3 for 4, but not with 1 → 2 or 1 o→ 2.
func TestDiscriminatingPathsHaveColliders(t *testing.T) {
	for _, mark := range []Mark{Arrow, Tail, Circle} {
		p := NewPAG(5)
		p.Set(0, 1, Circle, Arrow)
		p.Set(1, 2, mark, Arrow)
		p.Set(1, 4, Tail, Arrow)
		p.Set(2, 3, Arrow, Arrow)
		p.Set(2, 4, Tail, Arrow)
		p.Set(3, 4, Circle, Circle)
		path := p.discriminating(2, 3, 4, 0)
		if want := []int{0, 1, 2, 3, 4}; mark == Arrow && !slices.Equal(path, want) || mark != Arrow && path != nil {
			t.Errorf("mark %v at node 1: %v", mark, path)
		}
	}
}

// TestImproveTakesSmallGains checks that a gain far below the total weight, but above rounding, moves a node.
func TestImproveTakesSmallGains(t *testing.T) {
	c := &component{k: 2, arcs: []weightedEdge{{Edge{1, 0}, 1.0001}, {Edge{0, 1}, 1}}, at: [][]int{{0, 1}, {0, 1}}}
	order := []int{0, 1}
	if c.improve(order); !slices.Equal(order, []int{1, 0}) {
		t.Errorf("order %v", order)
	}
	c.arcs[0].weight = 1 + 1e-15 // rounding
	order = []int{0, 1}
	if c.improve(order); !slices.Equal(order, []int{0, 1}) {
		t.Errorf("a gain by rounding moves a node: %v", order)
	}
}

// A search for a cycle shorter than a limit finds none of that length.
func TestCyclesBelowALimit(t *testing.T) {
	g := New(3)
	for v := range 3 {
		g.AddEdge(v, (v+1)%3)
	}
	for limit, want := range map[int]int{0: 3, 3: 0, 4: 3} {
		s := &cycleSearch{g: g, component: []int{1, 1, 1}, from: make([]int, 3), depth: make([]int, 3), mark: make([]int, 3)}
		if got := s.through(0, limit); len(got) != want {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
}

// ParseSymbol refuses what Symbol does not write.
func TestParseSymbolRefuses(t *testing.T) {
	for _, s := range []string{"", "-", "->", "abc", "o=o", ">->", "x-o", "o-x", "---->", "-->>"} {
		if _, _, err := ParseSymbol(s); err == nil {
			t.Errorf("%q is an edge", s)
		}
	}
}
