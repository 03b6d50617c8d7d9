package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// TestGainIsAtMostAnEntropy checks the bound of the score gain of nearly determined columns: the entropy of a column with levels, the
// logarithm of the number of levels of an ordered column, and no bound for others or for an unknown number of levels.
func TestGainIsAtMostAnEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	const n = 400
	x := matrix.New[float64](n, 2)
	ones := 0.0
	for i := range n {
		a := rng.NormFloat64()
		if a > 1 {
			ones++
		}
		x.Set(i, 0, 4*boolean(a > 1)+1e-3*rng.NormFloat64())
		x.Set(i, 1, boolean(a > 1))
	}
	p := ones / n
	entropy := -p*math.Log2(p) - (1-p)*math.Log2(1-p)
	for _, c := range []struct {
		name   string
		of     kind.Column
		most   float64 // 0 for no bound
		within float64
	}{
		{"two values", kind.Column{Kind: kind.Binary, Levels: 2}, entropy, 1e-9},
		{"category", kind.Column{Kind: kind.Categorical, Levels: 2}, entropy, 1e-9},
		{"ordered", kind.Column{Kind: kind.Ordinal, Levels: 4, Reason: kind.Asked}, 2, 1e-9},
		{"unknown levels", kind.Column{Kind: kind.Ordinal, Reason: kind.Asked}, 0, 0},
		{"numeric", kind.Column{Kind: kind.Continuous}, 0, 0},
	} {
		for _, from := range []int{0, 1} {
			in := table(t, x, []kind.Kind{kind.Continuous, c.of.Kind}, nil)
			in.Kinds[1] = c.of
			parents := make([][]int, 2)
			parents[1-from] = []int{from}
			a, err := Describe(t.Context(), in, Mixed, graph.FromParents(parents))
			must.Succeed(t, err)
			if gain := *a.Edges[0].Gain; c.most == 0 && gain < 5 || c.most > 0 && math.Abs(gain-c.most) > c.within {
				t.Errorf("%s, from column %d: gain %v, want %v", c.name, from, gain, c.most)
			}
			near(t, "share explained of "+c.name, *a.Nodes[1-from].Explained, 1, 1e-3)
			near(t, "share explained without parents of "+c.name, *a.Nodes[from].Explained, 0, 0)
			in.GraphOnly = true
			if a, err = Describe(t.Context(), in, Mixed, graph.FromParents(parents)); err != nil || a.Edges[0].Gain != nil || a.Edges[0].Weight == nil {
				t.Errorf("%s: a graph alone has weights and no gains, got %+v, %v", c.name, a.Edges[0], err)
			}
		}
	}
}

// TestGainsWithContexts checks that edges from contexts have gains without a bound, and that no effects are described.
func TestGainsWithContexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	const n = 300
	x, environments := matrix.New[float64](n, 2), make([]int, n)
	for i := range n {
		environments[i] = int(boolean(i%3 == 0))
		x.Set(i, 0, float64(9*environments[i])+1e-3*rng.NormFloat64())
		x.Set(i, 1, float64(rng.IntN(2)))
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Binary}, environments)
	s := Fixed(Mixed)
	tab := must.Get(s.Of(t.Context(), in, Mixed))
	place := tab.Place()
	g := graph.New(3)
	g.AddEdge(place[2], place[0])
	a := &method.Answer{}
	if tab.AddFacts(a, g); *a.Edges[0].Gain < 5 || a.Edges[0].Effect != nil {
		t.Errorf("gain %v and effect %v, want more than 5 and none", *a.Edges[0].Gain, a.Edges[0].Effect)
	}
}

// TestFormsOfTables checks the choice that is reported for binary columns: by the number of columns with several parents whose effects
// are additive.
func TestFormsOfTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const n = 3000
	x := matrix.New[float64](n, 4)
	for i := range n {
		a, b := rng.IntN(2), rng.IntN(2)
		odd := float64((a + b) % 2)
		if rng.Float64() < 0.1 {
			odd = 1 - odd
		}
		sum := 1 / (1 + math.Exp(1.5-1.5*float64(a+b)))
		for j, v := range []float64{float64(a), float64(b), odd, boolean(rng.Float64() < sum)} {
			x.Set(i, j, v)
		}
	}
	for _, c := range []struct {
		name     string
		parents  [][]int
		tables   Tables
		only     bool // the graph alone
		chosen   string
		additive []int
		reason   string
	}{
		{"no column with several parents", [][]int{nil, nil, {0}, {1}}, AutoTables, false, "", nil, ""},
		{"additive", [][]int{nil, nil, {0}, {0, 1}}, AutoTables, false, "additive", []int{3}, "additive effects for 1 of 1 column with several parents, full probability tables for the others"},
		{"interaction", [][]int{nil, nil, {0, 1}, {0}}, AutoTables, false, "full", nil, "additive effects for 0 of 1 column with several parents, full probability tables for the others"},
		{"both", [][]int{nil, nil, {0, 1}, {0, 1}}, AutoTables, false, "both", []int{3}, "additive effects for 1 of 2 columns with several parents, full probability tables for the others"},
		{"the graph alone", [][]int{nil, nil, {0, 1}, {0, 1}}, AutoTables, true, "", []int{3}, ""},
		{"full tables", [][]int{nil, nil, {0, 1}, {0, 1}}, FullTables, false, "", nil, ""},
		{"additive is requested", [][]int{nil, nil, {0, 1}, {0, 1}}, AdditiveTables, false, "additive", []int{2, 3}, "additive effects for 2 of 2 columns with several parents, full probability tables for the others"},
	} {
		in := table(t, x, []kind.Kind{kind.Binary, kind.Binary, kind.Binary, kind.Binary}, nil)
		in.GraphOnly = c.only
		s := Fixed(Discrete)
		s.Tables = c.tables
		tab := must.Get(s.Of(t.Context(), in, Discrete))
		g := graph.FromParents(c.parents).Mixed().Relabel(tab.Place()).Directed()
		a := &method.Answer{}
		tab.AddForms(a, g)
		if (a.Additive == nil) != (c.tables == FullTables) {
			t.Errorf("%s: forms %v", c.name, a.Additive)
		}
		for i, is := range a.Additive {
			if is != slices.Contains(c.additive, tab.Order[i]) {
				t.Errorf("%s: column %d is additive: %v", c.name, tab.Order[i], is)
			}
		}
		switch {
		case c.chosen == "" && a.Choices != nil:
			t.Errorf("%s: choices %+v, want none", c.name, a.Choices)
		case c.chosen != "" && (len(a.Choices) != 1 || a.Choices[0].Chosen != c.chosen || a.Choices[0].Requested != string(c.tables) || a.Choices[0].Reason != c.reason):
			t.Errorf("%s: choices %+v, want %s because %s", c.name, a.Choices, c.chosen, c.reason)
		}
	}
}

// TestFullTablesAreReported checks that full tables which fit better are a choice unless they were requested, only the graph is wanted, or
// there are environments or contexts.
func TestFullTablesAreReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		table ScoredTable
		env   bool
		only  bool
		want  bool
	}{
		{"automatic", ScoredTable{Model: Discrete, forms: AutoTables}, false, false, true},
		{"another model", ScoredTable{Model: Mixed, forms: AutoTables}, false, false, false},
		{"requested", ScoredTable{Model: Discrete, forms: FullTables}, false, false, false},
		{"additive is requested", ScoredTable{Model: Discrete, forms: AdditiveTables}, false, false, false},
		{"contexts", ScoredTable{Model: Discrete, forms: AutoTables, Contexts: []int{1}}, false, false, false},
		{"environments", ScoredTable{Model: Discrete, forms: AutoTables}, true, false, false},
		{"the graph alone", ScoredTable{Model: Discrete, forms: AutoTables}, false, true, false},
	} {
		c.table.In = unread(10, 2, kind.Column{})
		c.table.In.GraphOnly = c.only
		if c.env {
			targets(c.table.In, 1)
		}
		a := &method.Answer{}
		if c.table.AddForms(a, graph.New(2)); (len(a.Choices) == 1) != c.want || a.Additive != nil {
			t.Errorf("%s: choices %+v, want one: %v", c.name, a.Choices, c.want)
		}
	}
}

// TestInteract checks that parents interact if the curves have a product, or if there are more parents than products are tried for.
func TestInteract(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	const n, d = 500, 12
	x, kinds := matrix.New[float64](n, d), make([]kind.Kind, d)
	for i := range n {
		for j := 2; j < d; j++ {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, 0, x.At(i, 2)*x.At(i, 3)+x.At(i, 4)+0.5*rng.NormFloat64())
		x.Set(i, 1, math.Sin(2*x.At(i, 2))+x.At(i, 3)+x.At(i, 4)+0.5*rng.NormFloat64())
	}
	for j := range kinds {
		kinds[j] = kind.Continuous
	}
	in := table(t, x, kinds, nil)
	s := Fixed(Smooth)
	tab := must.Get(s.Of(t.Context(), in, Smooth))
	for _, c := range []struct {
		v       int
		parents []int
		want    bool
	}{
		{0, []int{2, 3, 4}, true},
		{0, []int{2, 3}, false}, // products of two describe all that two parents do
		{1, []int{2, 3, 4}, false},
		{1, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true}, // products of ten parents are not tried
	} {
		if got := tab.Interact(c.v, c.parents); got != c.want {
			t.Errorf("column %d with parents %v: interact is %v, want %v", c.v, c.parents, got, c.want)
		}
	}
	tab.Blocks[0].Crossed = 0
	if tab.Interact(0, []int{2, 3, 4}) {
		t.Error("parents interact without products")
	}
	tab.Blocks[0] = nil
	if tab.Interact(0, []int{2, 3, 4}) {
		t.Error("parents interact without rows")
	}
}

// TestMoreThanAQuarterIsHeteroscedastic checks that two heteroscedastic columns of seven with curved effects make all columns linear, and two
// of eight do not.
func TestMoreThanAQuarterIsHeteroscedastic(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 1000, 9
	x, kinds := matrix.New[float64](n, d), make([]kind.Kind, d)
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		for j := 1; j < d; j++ {
			size := 1.0
			if j <= 2 {
				size = 0.3 + math.Abs(a)
			}
			x.Set(i, j, 3*math.Sin(1.5*a)+size*rng.NormFloat64())
		}
	}
	for j := range kinds {
		kinds[j] = kind.Continuous
	}
	s := Fixed(Flexible)
	tab := must.Get(s.Of(t.Context(), table(t, x, kinds, nil), Flexible))
	place := tab.Place()
	two := []int{place[1], place[2]}
	slices.Sort(two)
	for columns, want := range map[int]int{1: 1, 7: d, 8: 2} {
		parents := make([][]int, d)
		for j := 1; j <= columns; j++ {
			parents[place[j]] = []int{place[0]}
		}
		got := tab.Uneven(parents)
		if len(got) != want || want == 2 && !slices.Equal(got, two) {
			t.Errorf("%d columns with curves: %v become linear, want %d columns", columns, got, want)
		}
	}
}
