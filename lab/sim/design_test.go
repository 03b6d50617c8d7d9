package sim

import (
	"math"
	"slices"
	"testing"
)

// TestDesigns checks that the designs that promise variance 1 keep it, and each has the noise that it states.
func TestDesigns(t *testing.T) {
	for _, graph := range []GraphKind{ER, ScaleFree, ScaleFreeIn} {
		for _, design := range []Design{ISCM, Flat, Anti} {
			cfg := Default()
			cfg.Nodes, cfg.Degree, cfg.Graph, cfg.Design, cfg.Seed = 25, 6, graph, design, 3
			m := mustNew(t, cfg)
			c := trueCovariance(m)
			last := 0.0 // share of noise along the order
			for place, j := range m.order {
				if v := c.At(j, j); !(math.Abs(v-1) <= 1e-9) {
					t.Errorf("%v, %v: node %d has variance %v, want 1", graph, design, j, v)
				}
				if len(m.parents[j]) == 0 {
					if !(math.Abs(m.sd[j]-1) <= 1e-12) {
						t.Errorf("%v, %v: the source %d has noise %v", graph, design, j, m.sd[j])
					}
					continue
				}
				share := m.sd[j] * m.sd[j]
				if design != ISCM && (share < 0.1-1e-9 || share > 0.9+1e-9) {
					t.Errorf("%v, %v: share of noise %v", graph, design, share)
				}
				if want := 0.1 + 0.8*float64(place)/24; design == Anti && math.Abs(share-want) > 1e-9 {
					t.Errorf("%v, anti: share of noise %v at place %d, want %v", graph, share, place, want)
				}
				if design == Anti && share <= last {
					t.Errorf("%v, anti: R² does not fall: noise %v after %v", graph, share, last)
				}
				last = share
			}
		}
	}
}

// TestISCMIsPlainScaledOnTheWay checks that ISCM standardizes each node before its children are drawn: the
// weight of i → j is the drawn one divided by the standard deviation that j would have.
func TestISCMIsPlainScaledOnTheWay(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Seed = 30, 5
	plain := mustNew(t, cfg)
	cfg.Design = ISCM
	scaled := mustNew(t, cfg)
	if !slices.Equal(plain.order, scaled.order) {
		t.Fatal("the design changed the graph")
	}
	for j := range plain.parents {
		for k := range plain.parents[j] {
			if got, want := scaled.weights[j][k], plain.weights[j][k]*scaled.sd[j]; !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("weight %v, want %v", got, want)
			}
		}
	}
}

// TestHetero checks that hetero spreads the noise over two orders of magnitude, log-uniformly, and changes
// nothing else.
func TestHetero(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Design = 2000, Hetero
	m := mustNew(t, cfg)
	sum, least, most := 0.0, math.Inf(1), 0.0
	for _, sd := range m.sd {
		sum += math.Log10(sd)
		least, most = min(least, sd), max(most, sd)
	}
	if least < 0.1 || least > 0.11 || most > 10 || most < 9 || !(math.Abs(sum/2000) <= 0.05) {
		t.Errorf("noise on [%v, %v], mean logarithm %v", least, most, sum/2000)
	}
	cfg.Design = Plain
	if plain := mustNew(t, cfg); !slices.Equal(plain.Edges(), m.Edges()) {
		t.Error("hetero changed the edges")
	}
}

// TestScaleFreeIn checks that the reversed graph has hubs that are effects instead of causes, and the same
// degrees.
func TestScaleFreeIn(t *testing.T) {
	cfg := Default()
	cfg.Graph, cfg.Nodes, cfg.Degree = ScaleFree, 300, 4
	out := mustNew(t, cfg)
	cfg.Graph = ScaleFreeIn
	in := mustNew(t, cfg)
	var parents, children []int
	for v := range cfg.Nodes {
		parents = append(parents, len(in.Graph().Parents(v)))
		children = append(children, len(out.Graph().Children(v)))
	}
	slices.Sort(parents)
	slices.Sort(children)
	if !slices.Equal(parents, children) {
		t.Error("the in-degrees of sfin are not the out-degrees of sf")
	}
	if parents[len(parents)-1] < 20 {
		t.Errorf("largest number of parents %d", parents[len(parents)-1])
	}
}
