package constraint

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/must"
)

// dag draws a DAG.
func dag(rng *rand.Rand, n int, chance float64) *graph.Graph {
	g, order := graph.New(n), rng.Perm(n)
	for k, v := range order {
		for _, u := range order[:k] {
			if rng.Float64() < chance {
				g.AddEdge(u, v)
			}
		}
	}
	return g
}

// hidden draws a DAG over observed nodes, one hidden node in it, hidden common causes of two observed ones and,
// if selection, selected effects of two. It returns the oracle of the tests and the true PAG.
func hidden(rng *rand.Rand, observed int, selection bool) (independence.Oracle, *graph.PAG) {
	g := graph.New(observed + 1 + 2*observed)
	for _, e := range dag(rng, observed+1, (0.6+1.4*rng.Float64())/float64(observed)).Edges() {
		g.AddEdge(e.From, e.To)
	}
	unseen, selected := []int{observed}, []int(nil)
	causes, effects := rng.IntN(observed), 0
	if selection {
		effects = 1 + rng.IntN(2)
	}
	for v := observed + 1; v < g.N(); v++ {
		two := rng.Perm(observed)[:2]
		switch k := v - observed - 1; {
		case k < causes:
			g.AddEdge(v, two[0])
			g.AddEdge(v, two[1])
			unseen = append(unseen, v)
		case k < causes+effects:
			g.AddEdge(two[0], v)
			g.AddEdge(two[1], v)
			selected = append(selected, v)
		default:
			unseen = append(unseen, v)
		}
	}
	mag, seen, err := graph.LatentMAG(g, unseen, selected)
	if err != nil {
		panic(err)
	}
	return independence.Oracle{Graph: g, Observed: seen, Selected: selected}, mag.Class(selection)
}

func search(t *testing.T, o independence.Test, set Settings) *Search {
	t.Helper()
	set.Alpha, set.Threads = 0.5, 2
	s := New(o, true, set)
	must.Succeed(t, s.Skeleton(context.Background()))
	return s
}

var every = Settings{MaxGiven: -1}

// TestPCFindsTheCPDAG checks that PC finds the CPDAG of every DAG if no test errs, with each collider rule.
func TestPCFindsTheCPDAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 2000 {
		g := dag(rng, 3+rng.IntN(6), 0.15+0.4*rng.Float64())
		want, err := graph.CPDAG(g)
		must.Succeed(t, err)
		rule := []Colliders{BySepset, Conservative, Majority}[k%3]
		s := search(t, independence.Oracle{Graph: g}, every)
		out := must.Get(s.PC(context.Background(), rule))
		got, err := out.Graph.PDAG()
		if err != nil || !got.Equal(want) || len(out.Conflicts)+len(out.Ambiguous)+len(out.Dropped) > 0 || out.Graph.Kind() != graph.KindCPDAG {
			t.Fatalf("%s on %v: %v, conflicts %v, ambiguous %v, %v", rule, g.Edges(), out.Graph.Edges(), out.Conflicts, out.Ambiguous, err)
		}
	}
}

// TestFCIFindsThePAG checks that FCI finds the PAG of every DAG with hidden nodes if no test errs, with and
// without selection.
func TestFCIFindsThePAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	beyond := 0
	for k := range 2000 {
		o, want := hidden(rng, 4+rng.IntN(5), k%4 == 0)
		s := search(t, o, Settings{MaxGiven: -1, Selection: k%4 == 0})
		before := s.Edges()
		must.Succeed(t, s.PossibleDSep(context.Background()))
		if s.Edges() < before {
			beyond++
		}
		p := must.Get(s.FCI(context.Background(), []Colliders{BySepset, Majority}[k%2]))
		if !p.Equal(want) {
			t.Fatalf("%v observed %v: %v, want %v", o.Graph.Edges(), o.Observed, p.Mixed().Edges(), want.Mixed().Edges())
		}
		if out, _ := s.Legal(p, nil); len(out.Added)+len(out.Changed)+len(out.Dropped) > 0 {
			t.Fatalf("a PAG was changed: %+v", out)
		}
	}
	if beyond == 0 {
		t.Error("no edge was removed beyond neighbours: the graphs are too plain")
	}
}

// TestRFCIIsSound checks that the graph of RFCI has every edge of the PAG and that its marks hold in the MAG.
// With the same edges it has no other marks, and usually it is the PAG.
func TestRFCIIsSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	same := 0
	const draws = 2000
	for range draws {
		o, want := hidden(rng, 6+rng.IntN(5), false)
		s := search(t, o, every)
		p := must.Get(s.RFCI(context.Background()))
		if p.Equal(want) {
			same++
		}
		for _, e := range want.Skeleton() {
			if !p.Adjacent(e.From, e.To) {
				t.Fatalf("the edge %v is missing", e)
			}
		}
		for _, e := range p.Skeleton() {
			for _, f := range []graph.Edge{e, {From: e.To, To: e.From}} {
				above := o.Graph.HasPath(o.Observed[f.To], o.Observed[f.From])
				if mark := p.At(f.From, f.To); mark == graph.Tail && !above || mark == graph.Arrow && above {
					t.Fatalf("%v: the mark at %d of its edge with %d is wrong in %v", o.Graph.Edges(), f.To, f.From, p.Mixed().Edges())
				}
			}
		}
	}
	if same < draws*95/100 {
		t.Errorf("%d of %d are the PAG", same, draws)
	}
}

// answers is a test defined by a function.
type answers func(x, y int, given []int) bool

func (a answers) Columns() int { return 4 }

func (a answers) Independent(x, y int, given []int) (independence.Result, error) {
	if a(min(x, y), max(x, y), given) {
		return independence.Result{P: 1}, nil
	}
	return independence.Result{Statistic: 1}, nil
}

// TestFCIDecidesTiesByTheFirstSet checks a triple whose middle is in exactly half of the separating sets. The
// majority rule of Colombo and Maathuis (2014) calls it ambiguous, and FCI then decides by the first set.
func TestFCIDecidesTiesByTheFirstSet(t *testing.T) {
	for _, c := range []struct {
		name     string
		sets     [][]int // the sets that separate 0 and 2; 1 is the middle
		collider bool
	}{
		{"the empty set is first", [][]int{{}, {1}}, true},
		{"the middle is first", [][]int{{1}, {3}}, false},
		{"the majority has the middle", [][]int{{}, {1}, {1, 3}}, false},
		{"the majority lacks the middle", [][]int{{1}, {3}, {}}, true},
	} {
		s := search(t, answers(func(x, y int, given []int) bool {
			return x == 0 && y == 2 && slices.ContainsFunc(c.sets, func(set []int) bool { return slices.Equal(set, given) })
		}), every)
		p := must.Get(s.FCI(context.Background(), Majority))
		if got := p.At(0, 1) == graph.Arrow && p.At(2, 1) == graph.Arrow; got != c.collider || p.Adjacent(0, 2) {
			t.Errorf("%s: collider %v, want %v; edges %v", c.name, got, c.collider, p.Mixed().Edges())
		}
	}
}

// TestRFCIInspectsTriples checks that an edge of a triple is removed, with a smallest set, if the separating
// set of the ends also separates it.
func TestRFCIInspectsTriples(t *testing.T) {
	s := search(t, answers(func(x, y int, given []int) bool {
		switch {
		case y == 3:
			return x < 2
		case x == 0 && y == 2:
			return slices.Contains(given, 3)
		}
		return x == 0 && y == 1 && slices.Equal(given, []int{3})
	}), every)
	if s.Edges() != 3 {
		t.Fatalf("%d edges before", s.Edges())
	}
	p := must.Get(s.RFCI(context.Background()))
	if set, _ := s.sepset(0, 1); p.Adjacent(0, 1) || !slices.Equal(set, []int{3}) || p.NumEdges() != 2 {
		t.Errorf("%v, separated by %v", p.Mixed().Edges(), set)
	}
}

// independenceMap returns the sparsest DAG along an order: the parents of a node are a smallest set of earlier
// nodes that separates it from the others, as in a search over orders.
func independenceMap(o independence.Oracle, order []int) *graph.Graph {
	g := graph.New(len(order))
	for k, v := range order {
		for _, u := range order[:k] {
			if r, _ := o.Independent(u, v, intset.Without(slices.Sorted(slices.Values(order[:k])), u)); r.P < 0.5 {
				g.AddEdge(u, v)
			}
		}
	}
	return g
}

// TestBidirectedIsSound checks that no edge of the PAG is removed from the DAG of an order search if no test errs, that the result is
// the PAG whenever it has no further edge, and that this is so much more often than without the step. It needs fewer tests than FCI.
func TestBidirectedIsSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const draws = 1000
	fewer, before, after := int64(0), 0, 0
	for range draws {
		o, want := hidden(rng, 4+rng.IntN(4), false)
		best := graph.New(0)
		for k := range 20 { // the sparsest of some orders
			if g := independenceMap(o, rng.Perm(o.Columns())); k == 0 || g.NumEdges() < best.NumEdges() {
				best = g
			}
		}
		s := New(o, true, Settings{MaxGiven: -1, Alpha: 0.5, Threads: 2})
		must.Succeed(t, s.Start(best))
		if s.Edges() == want.NumEdges() {
			before++
		}
		must.Succeed(t, s.Bidirected(context.Background(), 1000))
		p := must.Get(s.FCI(context.Background(), BySepset))
		for _, e := range want.Skeleton() {
			if !p.Adjacent(e.From, e.To) {
				t.Fatalf("%v observed %v from %v: %v is missing", o.Graph.Edges(), o.Observed, best.Edges(), e)
			}
		}
		if s.Edges() == want.NumEdges() {
			after++
			if !p.Equal(want) {
				t.Fatalf("%v observed %v from %v: %v, want %v", o.Graph.Edges(), o.Observed, best.Edges(), p.Mixed().Edges(), want.Mixed().Edges())
			}
		}
		plain := search(t, o, every)
		must.Succeed(t, plain.PossibleDSep(context.Background()))
		fewer += plain.Tests() - s.Tests()
	}
	if before > draws*75/100 || after < draws*85/100 {
		t.Errorf("%d of %d DAGs have the edges of the PAG, and %d afterwards", before, draws, after)
	}
	if fewer <= 0 {
		t.Errorf("%d tests more than FCI", -fewer)
	}
}

// TestBidirectedGain checks the gain and the level on 0 → 2 ↔ 3 ← 1, with p-values as given.
func TestBidirectedGain(t *testing.T) {
	dag := graph.New(4)
	for _, e := range []graph.Edge{{From: 0, To: 2}, {From: 2, To: 3}, {From: 1, To: 3}, {From: 0, To: 3}} {
		dag.AddEdge(e.From, e.To)
	}
	for _, c := range []struct {
		p       float64 // the p-value of columns 0 and 3 given column 1
		rows    float64
		removed bool
	}{
		{1, 1000, true}, {0.1, 1000, true}, // log 1000 - 1.645² = 4.2
		{0.05, 1000, false}, // log 1000 - 1.960² = 3.1
		{0.05, 5000, true},  // log 5000 - 1.960² = 4.7
		{0.005, 1e6, false}, // below the level of 0.01: the edge is needed
	} {
		s := New(fixed(func(x, y int, given []int) float64 {
			if x == 0 && y == 3 && slices.Equal(given, []int{1}) {
				return c.p
			}
			return 0
		}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		must.Succeed(t, s.Bidirected(context.Background(), c.rows))
		if s.adjacent(0, 3) == c.removed {
			t.Errorf("p = %v, %v rows: the edge is removed: %v, want %v", c.p, c.rows, !c.removed, c.removed)
		}
		p := must.Get(s.FCI(context.Background(), BySepset))
		if both := p.At(2, 3) == graph.Arrow && p.At(3, 2) == graph.Arrow; both != c.removed {
			t.Errorf("p = %v, %v rows: %v", c.p, c.rows, p.Mixed().Edges())
		}
	}
}

// TestBidirectedAgainstTheClass has 0 → 2 ← 1 and 2 → 3 ← 0. Column 1 is not adjacent to 3, so the class implies that 2 is a cause of 3,
// and 2 ↔ 3 needs very strong evidence: ΔBIC above 10 (Kass and Raftery 1995).
func TestBidirectedAgainstTheClass(t *testing.T) {
	dag := graph.New(4)
	for _, e := range []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}} {
		dag.AddEdge(e.From, e.To)
	}
	for gain, removed := range map[float64]bool{9.8: false, 10.2: true} {
		s := New(fixed(func(x, y int, given []int) float64 {
			if y == 3 && x < 2 && !slices.Contains(given, 2) || x == 1 && y == 3 {
				return 1
			}
			return 0
		}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		if err := s.Bidirected(context.Background(), math.Exp(gain)); err != nil { // the gain is the logarithm of the number of rows
			t.Fatal(err)
		}
		if got, ok := s.HiddenGain(2, 3); !ok || !(math.Abs(got-gain) <= 1e-9) || s.adjacent(0, 3) == removed {
			t.Errorf("gain %v, want %v; the edge is removed: %v, want %v", got, gain, !s.adjacent(0, 3), removed)
		}
	}
}

// TestExcluded checks both bounds of the tests on 0 → 2 ← 1, 2 → 3, with p-values as given.
func TestExcluded(t *testing.T) {
	dag := graph.New(4)
	for _, e := range []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}} {
		dag.AddEdge(e.From, e.To)
	}
	for _, c := range []struct {
		open, closed float64 // p-value of columns 0 and 3, without and given column 2
		want         bool
	}{{1e-30, 0.5, true}, {1e-30, 0.09, false}, {1e-30, 0.11, true}, {1e-15, 0.5, false}, {1.5e-22, 0.5, true}, {2.5e-22, 0.5, false}} { // e⁻⁵⁰ is 1.9e-22
		s := New(fixed(func(x, y int, given []int) float64 {
			switch {
			case y != 3 || x == 2:
				return 0
			case x == 0 && len(given) == 0:
				return c.open
			case x == 0:
				return c.closed
			}
			return 0.05
		}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		p := must.Get(s.FCI(context.Background(), BySepset))
		if got, err := s.Excluded(p, 2, 3); err != nil || got != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
		if got, _ := s.Excluded(p, 0, 2); got {
			t.Error("0 → 2 is not visible")
		}
	}
	// A test that has too few rows is no evidence, whatever the test given more columns says.
	s := New(asked(func(x, y int, given []int) (bool, error) {
		if len(given) == 0 {
			return false, independence.ErrRows
		}
		return true, nil
	}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
	s.Begin([][]int{{2}, {2}, {0, 1, 3}, {2}})
	s.separate(0, 3, nil)
	s.separate(1, 3, nil)
	p := s.circles()
	p.Set(0, 2, graph.Circle, graph.Arrow)
	p.Set(1, 2, graph.Circle, graph.Arrow)
	p.Set(2, 3, graph.Tail, graph.Arrow)
	if got, err := s.Excluded(p, 2, 3); got || err != nil || !p.Visible(2, 3) {
		t.Errorf("too few rows: excluded %v, %v", got, err)
	}
	for _, fault := range []error{independence.ErrRows, errors.New("broken")} { // too few rows is no error of the search
		s := New(asked(func(x, y int, given []int) (bool, error) { return false, fault }), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		p := s.circles()
		p.Set(0, 2, graph.Circle, graph.Arrow)
		p.Set(2, 3, graph.Tail, graph.Arrow)
		want := fault
		if fault == independence.ErrRows {
			want = nil
		}
		if got, err := s.Excluded(p, 2, 3); got || !errors.Is(err, want) {
			t.Errorf("%v: %v, %v", fault, got, err)
		}
	}
}

// fixed is a test of four columns with p-values from a function.
type fixed func(x, y int, given []int) float64

func (f fixed) Columns() int { return 4 }

func (f fixed) Independent(x, y int, given []int) (independence.Result, error) {
	return independence.Result{P: f(min(x, y), max(x, y), given)}, nil
}

// level is a test with one p-value for all pairs.
type level float64

func (l level) Columns() int { return 3 }

func (l level) Independent(int, int, []int) (independence.Result, error) {
	return independence.Result{P: float64(l)}, nil
}

// A pair counts as independent if P is above the level, and as dependent at the level.
func TestPairsAtTheLevel(t *testing.T) {
	for p, want := range map[level]int{0.5: 3, 0.500001: 0} { // the level of search is 0.5
		if got := search(t, p, every).Edges(); got != want {
			t.Errorf("P = %v: %d edges, want %d", float64(p), got, want)
		}
	}
}

// A legal PAG that does not have a required edge or has a forbidden direction is not returned as it is.
func TestLegalKeepsKnowledge(t *testing.T) {
	forbidden := func(i, j int) bool { return i == 1 && j == 0 || i == 2 && j == 1 }
	s := search(t, level(0), Settings{MaxGiven: 0, Required: []graph.Edge{{From: 0, To: 1}}, Forbidden: forbidden})
	p := s.circles() // three adjacent nodes with circles at all ends
	must.Succeed(t, p.Legal())
	out := must.Get(s.Legal(p, nil))
	marks := map[graph.Edge][2]graph.Mark{}
	for _, e := range out.Graph.Edges() {
		marks[e.Edge], marks[graph.Edge{From: e.To, To: e.From}] = [2]graph.Mark{e.AtFrom, e.AtTo}, [2]graph.Mark{e.AtTo, e.AtFrom}
	}
	if marks[graph.Edge{From: 0, To: 1}] != [2]graph.Mark{graph.Tail, graph.Arrow} || marks[graph.Edge{From: 1, To: 2}][1] != graph.Arrow || len(out.Changed) == 0 {
		t.Errorf("%v; 0 → 1 is required and 2 → 1 is forbidden; changed %v", out.Graph.Edges(), out.Changed)
	}
}
