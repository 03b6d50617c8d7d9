package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func mustNew(t testing.TB, cfg Settings) *Model {
	t.Helper()
	m := must.Get(New(cfg))
	return m
}

// TestERNumberOfEdges checks that the number of edges of ER is binomial: d(d-1)/2 pairs with probability
// degree/(d-1).
func TestERNumberOfEdges(t *testing.T) {
	for _, c := range []struct {
		d      int
		degree float64
	}{{10, 4}, {50, 1.5}, {100, 4}, {30, 20}, {2, 0.5}} {
		const graphs = 400
		p := c.degree / float64(c.d-1)
		pairs := float64(c.d*(c.d-1)) / 2
		sum, squares := 0.0, 0.0
		for seed := range uint64(graphs) {
			cfg := Default()
			cfg.Nodes, cfg.Degree, cfg.Seed = c.d, c.degree, seed
			n := float64(len(mustNew(t, cfg).Edges()))
			sum += n
			squares += (n - pairs*p) * (n - pairs*p)
		}
		sd := math.Sqrt(pairs * p * (1 - p))
		if mean := sum / graphs; !(math.Abs(mean-pairs*p) <= 4*sd/math.Sqrt(graphs)) {
			t.Errorf("d = %d, degree %v: %v edges on average, want %v", c.d, c.degree, mean, pairs*p)
		}
		if got := math.Sqrt(squares / graphs); !(math.Abs(got/sd-1) <= 0.2) {
			t.Errorf("d = %d, degree %v: standard deviation %v, want %v", c.d, c.degree, got, sd)
		}
	}
}

// TestERPairsAreAlike checks that every pair is an edge equally often, in both directions, although gaps are
// drawn instead of pairs.
func TestERPairsAreAlike(t *testing.T) {
	const d, graphs = 6, 6000
	count := [d][d]float64{}
	for seed := range uint64(graphs) {
		cfg := Default()
		cfg.Nodes, cfg.Degree, cfg.Seed = d, 2, seed
		for _, e := range mustNew(t, cfg).Edges() {
			count[e.From][e.To]++
		}
	}
	p := 2.0 / (d - 1) / 2 // each direction has half
	for i := range d {
		for j := range d {
			want := graphs * p
			if i == j {
				want = 0
			}
			if !(math.Abs(count[i][j]-want) <= 4.5*math.Sqrt(graphs*p*(1-p))) || i == j && count[i][j] != 0 {
				t.Errorf("%d → %d: %v times, want about %v", i, j, count[i][j], want)
			}
		}
	}
}

func TestERExtremes(t *testing.T) {
	cfg := Default()
	cfg.Nodes = 7
	for _, c := range []struct {
		degree float64
		edges  int
	}{{0, 0}, {6, 21}, {1e-300, 0}} {
		cfg.Degree = c.degree
		if got := len(mustNew(t, cfg).Edges()); got != c.edges {
			t.Errorf("degree %v: %d edges, want %d", c.degree, got, c.edges)
		}
	}
}

func TestScaleFree(t *testing.T) {
	for _, c := range []struct {
		d      int
		degree float64
		m      int
	}{{50, 4, 2}, {50, 0, 1}, {50, 1, 1}, {200, 8, 4}, {2, 1, 1}, {5, 4, 2}, {40, 5, 3}} {
		cfg := Default()
		cfg.Graph, cfg.Nodes, cfg.Degree, cfg.CausalOrder = ScaleFree, c.d, c.degree, true
		model := mustNew(t, cfg)
		want := 0
		for v := range c.d {
			want += min(v, c.m)
			if got := len(model.parents[v]); got != min(v, c.m) {
				t.Errorf("d = %d, degree %v: node %d has %d parents, want %d", c.d, c.degree, v, got, min(v, c.m))
			}
		}
		if got := model.Graph().NumEdges(); got != want {
			t.Errorf("d = %d, degree %v: %d edges, want %d", c.d, c.degree, got, want)
		}
	}
	// With preferential attachment the largest degree is far above that of an ER graph with as many edges,
	// about 15.
	cfg := Default()
	cfg.Graph, cfg.Nodes = ScaleFree, 2000
	largest := 0
	for v, g := 0, mustNew(t, cfg).Graph(); v < cfg.Nodes; v++ {
		largest = max(largest, len(g.Parents(v))+len(g.Children(v)))
	}
	if largest < 40 {
		t.Errorf("largest degree %d", largest)
	}
}

// TestOrder checks that every graph is acyclic, its order is a causal one, and without CausalOrder it is not
// always the order of the numbers.
func TestOrder(t *testing.T) {
	for _, kind := range []GraphKind{ER, ScaleFree, ScaleFreeIn} {
		for seed := range uint64(50) {
			for _, causal := range []bool{false, true} {
				cfg := Default()
				cfg.Graph, cfg.Nodes, cfg.Seed, cfg.CausalOrder = kind, 20, seed, causal
				m := mustNew(t, cfg)
				if !m.Graph().IsAcyclic() {
					t.Errorf("%v, seed %d: a cycle", kind, seed)
				}
				if err := m.Graph().CheckOrder(m.Order()); err != nil {
					t.Errorf("%v, seed %d: %v", kind, seed, err)
				}
				if sorted := slices.IsSorted(m.Order()); sorted != causal {
					t.Errorf("%v, seed %d, CausalOrder %v: order %v", kind, seed, causal, m.Order())
				}
			}
		}
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	must.Succeed(t, Default().Validate())
	bad := Settings{Nodes: 1, Graph: 7, Design: 9, Degree: math.NaN(), WeightLow: 2, WeightHigh: 1, Noise: -1,
		Mechanism: 8, Edges: -1, Variance: Range{2, 1}, RootVariance: Range{-1, 1}, Interventions: 3, Intervention: 4, InterventionMean: math.Inf(1),
		Observational: 2, Environments: 2, EnvironmentChanges: -1}
	err := bad.Validate()
	for _, word := range []string{"Nodes", "Graph", "Degree", "weights", "WeightScale", "Design", "Noise", "standard deviations", "Mechanism = ", "designs lay out",
		"Edges = -1", "only er", "Variance on", "RootVariance on", "levels from", "Concentration", "Interventions = 3, and there are only", "Intervention = ",
		"InterventionSize", "InterventionMean", "Observational", "EnvironmentChanges", "want one of them 0", "drawn anew"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s is not reported: %v", word, err)
		}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 24 {
		t.Errorf("want 24 faults: %v", err)
	}
	if m, err := New(bad); err == nil || m != nil {
		t.Error("New took a bad configuration")
	}
	cfg := Default()
	cfg.Nodes, cfg.Degree = 5, 4.5
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "at most 4") {
		t.Errorf("degree 4.5 with 5 nodes: %v", err)
	}
}

// checkText checks the text forms of a kind, and the answers to numbers and texts that are none.
func checkText[K interface {
	~int
	String() string
	MarshalText() ([]byte, error)
}, P interface {
	*K
	UnmarshalText([]byte) error
}](t *testing.T, kind, what string, names []string) {
	t.Helper()
	for i, name := range names {
		text, _ := K(i).MarshalText()
		back := K(99)
		if err := P(&back).UnmarshalText(text); err != nil || back != K(i) || string(text) != name {
			t.Errorf("%v came back as %v, %v", K(i), back, err)
		}
	}
	var k K
	if err := P(&k).UnmarshalText([]byte("unknown")); err == nil || err.Error() != fmt.Sprintf(`%s "unknown", want one of %v`, what, names) {
		t.Errorf("got %v", err)
	}
	for _, k := range []int{-1, len(names)} {
		if got := K(k).String(); got != fmt.Sprintf("%s(%d)", kind, k) {
			t.Errorf("number %d of %s is written as %s", k, kind, got)
		}
	}
}

func TestKindsAsText(t *testing.T) {
	checkText[GraphKind](t, "GraphKind", "graph", []string{"er", "sf", "sfin"})
	checkText[Design](t, "Design", "design", DesignNames())
	checkText[NoiseKind](t, "NoiseKind", "noise", NoiseNames())
	checkText[Mechanism](t, "Mechanism", "mechanism", MechanismNames())
	checkText[InterventionKind](t, "InterventionKind", "intervention", []string{"hard", "soft"})
}
