package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestLimitsOfConfig checks each limit of a configuration on both sides.
func TestLimitsOfConfig(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		valid  bool
	}{
		{"two nodes", func(c *Settings) { c.Nodes, c.Degree = 2, 1 }, true},
		{"two nodes with more than one neighbour", func(c *Settings) { c.Nodes, c.Degree = 2, 1.1 }, false},
		{"one node", func(c *Settings) { c.Nodes, c.Degree = 1, 0 }, false},
		{"a complete graph", func(c *Settings) { c.Nodes, c.Degree = 5, 4 }, true},
		{"a larger degree", func(c *Settings) { c.Nodes, c.Degree = 5, 4.01 }, false},
		{"the edge of two nodes", func(c *Settings) { c.Nodes, c.Edges = 2, 1 }, true},
		{"two edges of two nodes", func(c *Settings) { c.Nodes, c.Edges = 2, 2 }, false},
		{"edges of another graph", func(c *Settings) { c.Graph, c.Edges = ScaleFree, 1 }, false},
		{"a negative kind of graph", func(c *Settings) { c.Graph = -1 }, false},
		{"a negative design", func(c *Settings) { c.Design = -1 }, false},
		{"a negative mechanism", func(c *Settings) { c.Mechanism = -1 }, false},
		{"weights from 0", func(c *Settings) { c.WeightLow = 0 }, true},
		{"negative weights", func(c *Settings) { c.WeightLow = -0.1 }, false},
		{"equal weights", func(c *Settings) { c.WeightLow = 2 }, true},
		{"weights in the wrong order", func(c *Settings) { c.WeightLow = 2.1 }, false},
		{"no weight", func(c *Settings) { c.WeightScale = 0 }, false},
		{"a standard deviation of 0", func(c *Settings) { c.SDLow = 0 }, false},
		{"standard deviations in the wrong order", func(c *Settings) { c.SDLow, c.SDHigh = 2, 1 }, false},
		{"an infinite standard deviation", func(c *Settings) { c.SDHigh = inf }, false},
		{"a variance", func(c *Settings) { c.Variance = Range{1, 1} }, true},
		{"a weight that is not finite", func(c *Settings) { c.WeightHigh = inf }, false},
		{"no weights", func(c *Settings) { c.WeightLow, c.WeightHigh = 0, 0 }, false},
		{"a scale that is no number", func(c *Settings) { c.WeightScale = math.NaN() }, false},
		{"a standard deviation that is no number", func(c *Settings) { c.SDHigh = math.NaN() }, false},
		{"a negative degree", func(c *Settings) { c.Degree = -1 }, false},
		{"a variance of 0", func(c *Settings) { c.Variance = Range{0, 1} }, false},
		{"variances in the wrong order", func(c *Settings) { c.Variance = Range{2, 1} }, false},
		{"an infinite variance", func(c *Settings) { c.RootVariance = Range{1, inf} }, false},
		{"two categories", func(c *Settings) { c.LevelsLow, c.LevelsHigh = 2, 2 }, true},
		{"one category", func(c *Settings) { c.LevelsLow = 1 }, false},
		{"50 categories", func(c *Settings) { c.LevelsHigh = 50 }, true},
		{"51 categories", func(c *Settings) { c.LevelsHigh = 51 }, false},
		{"categories in the wrong order", func(c *Settings) { c.LevelsLow, c.LevelsHigh = 4, 3 }, false},
		{"no concentration", func(c *Settings) { c.Concentration = 0 }, false},
		{"an infinite concentration", func(c *Settings) { c.Concentration = inf }, false},
		{"a design of linear effects", func(c *Settings) { c.Design = Flat }, true},
		{"a design of curves", func(c *Settings) { c.Design, c.Mechanism = Flat, Joint }, false},
		{"a target", func(c *Settings) { c.InterventionSize = 1 }, true},
		{"no target", func(c *Settings) { c.InterventionSize = 0 }, false},
		{"all nodes as targets", func(c *Settings) { c.InterventionSize = 100 }, true},
		{"more targets than nodes", func(c *Settings) { c.InterventionSize = 101 }, false},
		{"all pairs of nodes", func(c *Settings) { c.Nodes, c.InterventionSize, c.Interventions = 6, 2, 15 }, true},
		{"more than all pairs", func(c *Settings) { c.Nodes, c.InterventionSize, c.Interventions = 6, 2, 16 }, false},
		{"only interventions", func(c *Settings) { c.Interventions, c.Observational = 2, 0 }, true},
		{"only observations", func(c *Settings) { c.Observational = 1 }, true},
		{"a share above 1", func(c *Settings) { c.Observational = 1.01 }, false},
		{"a negative share", func(c *Settings) { c.Observational = -0.01 }, false},
		{"changes of all nodes", func(c *Settings) { c.EnvironmentChanges = 100 }, true},
		{"changes of more nodes", func(c *Settings) { c.EnvironmentChanges = 101 }, false},
		{"negative changes", func(c *Settings) { c.EnvironmentChanges = -1 }, false},
		{"negative environments", func(c *Settings) { c.Environments = -1 }, false},
		{"interventions and environments", func(c *Settings) { c.Environments, c.Interventions = 2, 2 }, false},
		{"a design with soft interventions", func(c *Settings) { c.Design, c.Intervention, c.Interventions = ISCM, Soft, 2 }, false},
		{"a design with hard interventions", func(c *Settings) { c.Design, c.Intervention, c.Interventions = ISCM, Hard, 2 }, true},
		{"a design without interventions", func(c *Settings) { c.Design, c.Intervention = ISCM, Soft }, true},
		{"a design with environments", func(c *Settings) { c.Design, c.Environments = ISCM, 2 }, false},
		{"heterogeneous noise with environments", func(c *Settings) { c.Design, c.Environments = Hetero, 2 }, true},
	} {
		cfg := Default()
		c.change(&cfg)
		if err := cfg.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", c.name, err, c.valid)
		}
	}
	for _, c := range [][3]int{{5, 2, 10}, {4, 4, 1}, {12, 1, 12}, {9, 0, 1}, {10, 3, 120}} {
		if got := sets(c[0], c[1]); got != float64(c[2]) {
			t.Errorf("%d of %d nodes: %v sets, want %d", c[1], c[0], got, c[2])
		}
	}
}

// TestLimitsOfSeries checks each limit of the configuration of a process on both sides.
func TestLimitsOfSeries(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*SeriesSettings)
		valid  bool
	}{
		{"defaults", func(*SeriesSettings) {}, true},
		{"two nodes", func(c *SeriesSettings) { c.Nodes, c.Links = 2, 0.5 }, true},
		{"one node", func(c *SeriesSettings) { c.Nodes, c.Links = 1, 0 }, false},
		{"one lag", func(c *SeriesSettings) { c.Lags = 1 }, true},
		{"no lag", func(c *SeriesSettings) { c.Lags = 0 }, false},
		{"no links", func(c *SeriesSettings) { c.Links = 0 }, true},
		{"negative links", func(c *SeriesSettings) { c.Links = -0.1 }, false},
		{"half of the other nodes", func(c *SeriesSettings) { c.Links = 4.5 }, true},
		{"more than half of the other nodes", func(c *SeriesSettings) { c.Links = 4.6 }, false},
		{"no contemporaneous links", func(c *SeriesSettings) { c.Contemporaneous = 0 }, true},
		{"contemporaneous links only", func(c *SeriesSettings) { c.Contemporaneous = 1 }, true},
		{"a negative share", func(c *SeriesSettings) { c.Contemporaneous = -0.1 }, false},
		{"a share above 1", func(c *SeriesSettings) { c.Contemporaneous = 1.1 }, false},
		{"no effect of the last value", func(c *SeriesSettings) { c.AutoLow, c.AutoHigh = 0, 0 }, true},
		{"a negative effect of the last value", func(c *SeriesSettings) { c.AutoLow = -0.1 }, false},
		{"effects of the last value in the wrong order", func(c *SeriesSettings) { c.AutoLow, c.AutoHigh = 0.5, 0.4 }, false},
		{"a random walk", func(c *SeriesSettings) { c.AutoHigh = 1 }, false},
		{"a weight of 0", func(c *SeriesSettings) { c.WeightLow = 0 }, false},
		{"weights in the wrong order", func(c *SeriesSettings) { c.WeightLow, c.WeightHigh = 0.5, 0.4 }, false},
		{"an infinite weight", func(c *SeriesSettings) { c.WeightHigh = inf }, false},
		{"a negative noise", func(c *SeriesSettings) { c.Noise = -1 }, false},
		{"categories", func(c *SeriesSettings) { c.Mechanism = Logit }, true},
		{"a joint function", func(c *SeriesSettings) { c.Mechanism = Joint }, false},
		{"no series", func(c *SeriesSettings) { c.Series = 0 }, false},
		{"equal means", func(c *SeriesSettings) { c.MeanSpread = 0 }, true},
		{"a negative spread", func(c *SeriesSettings) { c.MeanSpread = -1 }, false},
		{"an infinite spread", func(c *SeriesSettings) { c.MeanSpread = inf }, false},
	} {
		cfg := DefaultSeries()
		c.change(&cfg)
		if err := cfg.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", c.name, err, c.valid)
		}
	}
}

// TestReversedScaleFree checks that each node of a reversed scale-free graph has m children, or all later nodes if these are fewer, with m
// half of the degree and at least 1.
func TestReversedScaleFree(t *testing.T) {
	for degree, m := range map[float64]int{0: 1, 0.5: 1, 2: 1, 4: 2, 5: 3} {
		cfg := Default()
		cfg.Graph, cfg.Nodes, cfg.Degree, cfg.CausalOrder = ScaleFreeIn, 40, degree, true
		g := mustNew(t, cfg).Graph()
		for v := range 40 {
			if got, want := len(g.Children(v)), min(39-v, m); got != want {
				t.Errorf("degree %v: node %d has %d children, want %d", degree, v, got, want)
			}
		}
	}
}

// TestWeightsOfPerceptron checks that both layers have weights on ±[0.5, 2], up to both ends.
func TestWeightsOfPerceptron(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 71))
	var in, out []float64
	for range 20 {
		p := drawPerceptron([]int{0, 1}, 1, rng)
		in, out = append(in, p.in...), append(out, p.out...)
		if len(p.out) != 100 {
			t.Fatalf("%d hidden units, want 100", len(p.out))
		}
	}
	for name, list := range map[string][]float64{"in": in, "out": out} {
		low, high, negative := math.Inf(1), 0.0, 0.0
		for _, w := range list {
			low, high = min(low, math.Abs(w)), max(high, math.Abs(w))
			if w < 0 {
				negative += 1 / float64(len(list))
			}
		}
		if low < 0.5 || low > 0.51 || high > 2 || high < 1.99 || math.Abs(negative-0.5) > 0.05 {
			t.Errorf("%s: absolute weights from %v to %v, %v of them negative; want 0.5 to 2 and a half", name, low, high, negative)
		}
	}
}

// TestPerceptronWithoutParents checks that a node without parents is its noise.
func TestPerceptronWithoutParents(t *testing.T) {
	if got := drawPerceptron(nil, 2, rand.New(rand.NewPCG(1, 1))).value(nil, 0.5); got != 1 {
		t.Errorf("%v, want 1", got)
	}
}

// TestJointDependsOnParents checks that a joint function changes with each of its parents, and that a node without parents is its noise.
func TestJointDependsOnParents(t *testing.T) {
	cfg := Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges = Joint, 8, 12
	m := mustNew(t, cfg)
	for v, parents := range m.parents {
		row := make([]float64, 8)
		before := m.equations[v].value(row, 0)
		if len(parents) == 0 && before != 0 {
			t.Errorf("node %d without parents is %v without noise, want 0", v, before)
		}
		for _, p := range parents {
			row[p] = 1
			if m.equations[v].value(row, 0) == before {
				t.Errorf("node %d does not depend on its parent %d", v, p)
			}
			row[p] = 0
		}
	}
}

// TestSoftRoots checks that a categorical node without parents gets another distribution by a soft intervention, and not equal probabilities.
func TestSoftRoots(t *testing.T) {
	roots := 0
	for seed := range uint64(10) {
		cfg := intervened(Discrete, Soft)
		cfg.Seed = seed
		m := mustNew(t, cfg)
		for _, s := range m.settings {
			for v, e := range s.equations {
				if _, equal := e.(forced); len(m.parents[v]) == 0 {
					if roots++; equal {
						t.Errorf("seed %d: node %d has equal probabilities", seed, v)
					}
				}
			}
		}
	}
	if roots == 0 {
		t.Error("no target is without parents: the test looks at too little")
	}
}

// TestLinksOfProcess checks that no two nodes have edges in both directions, that half of the weights are negative, and the numbers of edges.
func TestLinksOfProcess(t *testing.T) {
	negative, all, now, low, high := 0.0, 0.0, 0.0, 1.0, 0.0
	for seed := range uint64(60) {
		cfg := DefaultSeries()
		cfg.Links, cfg.Seed, cfg.Mechanism = 3, seed, Additive
		p := must.Get(NewProcess(cfg))
		seen := map[[2]int]bool{}
		for _, e := range p.edges {
			if e.From == e.To {
				if e.Lag != 1 || e.Weight < 0.4 || e.Weight > 0.8 {
					t.Errorf("seed %d: the effect of the last value is %+v", seed, e)
				}
				continue
			}
			if seen[[2]int{e.From, e.To}] || seen[[2]int{e.To, e.From}] || math.Abs(e.Weight) < 0.2 || math.Abs(e.Weight) > 0.5 || e.Lag > 2 {
				t.Errorf("seed %d: a second edge between %d and %d, or another weight: %+v", seed, e.From, e.To, e)
			}
			seen[[2]int{e.From, e.To}] = true
			low, high = min(low, math.Abs(e.Weight)), max(high, math.Abs(e.Weight))
			if all++; e.Weight < 0 {
				negative++
			}
			if e.Lag == 0 {
				now++
			}
		}
		if len(seen) != 30 {
			t.Errorf("seed %d: %d edges between nodes, want 30", seed, len(seen))
		}
	}
	if low > 0.205 || high < 0.495 {
		t.Errorf("absolute weights from %v to %v, want 0.2 to 0.5", low, high)
	}
	if math.Abs(negative/all-0.5) > 0.05 || math.Abs(now/all-0.3) > 0.05 {
		t.Errorf("%v of the weights are negative and %v without a lag, want 0.5 and 0.3", negative/all, now/all)
	}
}

// TestValuesOfProcess compares the value of a node with its definition for each mechanism: weights times values, bounded curves of other
// nodes, or the probability of a category.
func TestValuesOfProcess(t *testing.T) {
	own, other := laggedEdge(0, 0, 1, 0.5), laggedEdge(1, 0, 1, 0.25) // the curve of 1 → 0 with lag 1 is a step: 1 + 0 + 1 = 2
	for _, c := range []struct {
		mechanism Mechanism
		want      float64
	}{{Linear, 0.5*2 + 0.25*0.5}, {Additive, 0.5*2 + 0.25*3*math.Tanh(2*0.5)}} {
		p := &Process{cfg: DefaultSeries(), into: [][]Edge{{own, other}}}
		p.cfg.Mechanism = c.mechanism
		value := func(x ...float64) float64 { return p.value(0, [][]float64{{0, 0}, x}, rand.New(rand.NewPCG(3, 3))) }
		if got := value(2, 0.5) - value(0, 0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: the effects add up to %v, want %v", c.mechanism, got, c.want)
		}
	}
	p := &Process{cfg: DefaultSeries(), into: [][]Edge{{own, other}}}
	p.cfg.Mechanism = Logit
	rng := rand.New(rand.NewPCG(4, 3))
	for _, x := range [][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		share := 0.0
		for range 4000 {
			share += p.value(0, [][]float64{{0, 0}, x}, rng) / 4000
		}
		if want := 1 / (1 + math.Exp(-5*(0.5*(x[0]-0.5)+0.25*(x[1]-0.5)))); math.Abs(share-want) > 0.03 {
			t.Errorf("after %v the higher category has the share %v, want %v", x, share, want)
		}
	}
}
