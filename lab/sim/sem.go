package sim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// A Model is a structural equation model on a random graph, linear by default:
//
//	x_j = Σ_{i → j} W_ij·x_i + e_j,  e_j independent, mean 0, standard deviation SD_j.
//
// It stores lists of parents, not W. It is immutable and may be shared.
type Model struct {
	cfg     Settings
	order   []int
	parents [][]int
	weights [][]float64 // weights of the edges from the parents; 1 for nonlinear effects
	sd      []float64
	levels  []int // categories of each node, 0 for a number

	mean, scale []float64 // Mixed and Ordinal: approximate mean and scale of each node
	equations   []equation
	settings    []setting
}

// New draws a model from cfg.Seed.
func New(cfg Settings) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg}
	m.order, m.parents = drawGraph(cfg, Stream(cfg.Seed, streamGraph))
	m.weights = drawWeights(cfg, m.order, m.parents, Stream(cfg.Seed, streamWeights))
	m.sd = drawScales(cfg, m.parents, Stream(cfg.Seed, streamScales))
	m.lay(Stream(cfg.Seed, streamDesign))
	m.levels, m.equations = drawKinds(cfg, Stream(cfg.Seed, streamKinds)), make([]equation, cfg.Nodes)
	switch cfg.Mechanism {
	case Linear:
		for v := range m.equations {
			m.equations[v] = line{m.parents[v], m.weights[v], m.sd[v]}
		}
	case Mixed, Ordinal:
		m.drawMixed()
	default:
		for v := range m.equations {
			m.equations[v] = m.equation(v, cfg.Seed)
		}
	}
	if cfg.Mechanism != Linear {
		for _, w := range m.weights {
			for k := range w {
				w[k] = 1
			}
		}
	}
	m.drawSettings()
	return m, nil
}

// Config returns the configuration that the model was drawn from.
func (m *Model) Config() Settings { return m.cfg }

// Dim returns the number of nodes, d.
func (m *Model) Dim() int { return len(m.order) }

// Order returns a causal order: parents before children.
func (m *Model) Order() []int { return slices.Clone(m.order) }

// Levels returns the number of categories of each node, 0 for a number.
func (m *Model) Levels() []int { return slices.Clone(m.levels) }

// SD returns the standard deviation of each node's noise, which categorical nodes do not use.
func (m *Model) SD() []float64 { return slices.Clone(m.sd) }

// Names returns x0, x1, … as names of the columns.
func (m *Model) Names() []string {
	names := make([]string, m.Dim())
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}

// An Edge is an edge with its weight, which is 1 for nonlinear effects. Lag is the number of time steps from From to To, 0 between values of
// the same time and in a Model.
type Edge struct {
	graph.Edge
	Weight float64
	Lag    int
}

// Edges returns the edges by From, then To.
func (m *Model) Edges() []Edge {
	var edges []Edge
	for j, parents := range m.parents {
		for k, i := range parents {
			edges = append(edges, Edge{Edge: graph.Edge{From: i, To: j}, Weight: m.weights[j][k]})
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return edges
}

// Graph returns the graph without its weights, a new one.
func (m *Model) Graph() *graph.Graph { return graph.FromParents(m.parents) }

// W returns the weighted adjacency matrix, a new d×d matrix: entry (i, j) is the edge i → j.
func (m *Model) W() *matrix.Dense[float64] {
	w := matrix.New[float64](m.Dim(), m.Dim())
	for j, parents := range m.parents {
		for k, i := range parents {
			w.Set(i, j, m.weights[j][k])
		}
	}
	return w
}

// drawWeights draws a weight for each edge, uniform on ±[low, high] times scale, along the
// causal order. The result has the shape of parents.
func drawWeights(cfg Settings, order []int, parents [][]int, rng *rand.Rand) [][]float64 {
	weights := make([][]float64, len(parents))
	for _, v := range order {
		weights[v] = make([]float64, len(parents[v]))
		for k := range weights[v] {
			weights[v][k] = drawWeight(cfg, rng)
		}
	}
	return weights
}

func drawWeight(cfg Settings, rng *rand.Rand) float64 {
	return cfg.WeightScale * signed(cfg.WeightLow, cfg.WeightHigh, rng)
}

// signed draws from ±[low, high], uniformly.
func signed(low, high float64, rng *rand.Rand) float64 {
	w := low + (high-low)*rng.Float64()
	if rng.Uint64()>>63 == 1 {
		w = -w
	}
	return w
}
