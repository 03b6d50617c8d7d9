package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// A Model is a linear structural equation model on a random graph:
//
//	x_j = Σ_{i → j} W_ij·x_i + e_j,  e_j independent, mean 0, standard deviation SD_j.
//
// It keeps lists of parents, not W, so that a node costs its parents. It does not change
// after New and may be shared.
type Model struct {
	cfg     Config
	order   []int
	parents [][]int
	weights [][]float64 // of the edges from parents
	sd      []float64
}

// New draws a model from cfg.Seed.
func New(cfg Config) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg}
	m.order, m.parents = drawGraph(cfg, Stream(cfg.Seed, StreamGraph))
	m.weights = drawWeights(cfg, m.order, m.parents, Stream(cfg.Seed, StreamWeights))
	m.sd = drawScales(cfg, Stream(cfg.Seed, StreamScales))
	m.lay(Stream(cfg.Seed, StreamDesign))
	return m, nil
}

// Config returns the configuration that the model was drawn from.
func (m *Model) Config() Config { return m.cfg }

// Dim returns the number of nodes, d.
func (m *Model) Dim() int { return len(m.order) }

// Order returns a causal order: parents before children.
func (m *Model) Order() []int { return slices.Clone(m.order) }

// SD returns the standard deviation of each node's noise.
func (m *Model) SD() []float64 { return slices.Clone(m.sd) }

// Names returns x0, x1, … as names of the columns.
func (m *Model) Names() []string {
	names := make([]string, m.Dim())
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}

// An Edge is an edge with its weight.
type Edge struct {
	graph.Edge
	Weight float64
}

// Edges returns the edges by From, then To.
func (m *Model) Edges() []Edge {
	var edges []Edge
	for j, parents := range m.parents {
		for k, i := range parents {
			edges = append(edges, Edge{Edge: graph.Edge{From: i, To: j}, Weight: m.weights[j][k]})
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
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

// Sample draws n rows. It takes one number from rng, whatever n is, so the first rows of a
// larger sample are those of a smaller one (unless standardized).
func (m *Model) Sample(rng *rand.Rand, n int) *matrix.Dense[float64] {
	x := matrix.New[float64](n, m.Dim())
	i := 0
	_ = m.SampleRows(rng, n, func(row []float64) error { // the function has no error to return
		copy(x.Row(i), row)
		i++
		return nil
	})
	return x
}

// SampleRows draws the rows of Sample one after the other and calls use with each; the row
// is valid during the call only. Memory is O(d): a standardized sample is drawn twice,
// first for its mean and variance. It stops at the first error of use and returns it.
func (m *Model) SampleRows(rng *rand.Rand, n int, use func(row []float64) error) error {
	seed := rng.Uint64()
	if !m.cfg.Standardize {
		return m.rows(seed, n, use)
	}
	mean, scale := m.columnScales(seed, n)
	return m.rows(seed, n, func(row []float64) error {
		for j := range row {
			row[j] = (row[j] - mean[j]) * scale[j]
		}
		return use(row)
	})
}

// columnScales returns mean and 1/standard deviation of each column (Welford 1962). A column
// without variance, as with n = 1, has scale 1.
func (m *Model) columnScales(seed uint64, n int) (mean, scale []float64) {
	mean, scale = make([]float64, m.Dim()), make([]float64, m.Dim())
	count := 0.0
	_ = m.rows(seed, n, func(row []float64) error { // the function has no error to return
		count++
		for j, v := range row {
			delta := v - mean[j]
			mean[j] += delta / count
			scale[j] += delta * (v - mean[j])
		}
		return nil
	})
	for j, s := range scale {
		scale[j] = 1
		if s > 0 {
			scale[j] = math.Sqrt(count / s)
		}
	}
	return mean, scale
}

// rows draws n raw rows. Noise is drawn along the causal order, row after row.
func (m *Model) rows(seed uint64, n int, use func(row []float64) error) error {
	rng := Stream(seed, StreamNoise)
	row := make([]float64, m.Dim())
	for range n {
		for _, j := range m.order {
			v := m.sd[j] * m.cfg.Noise.draw(rng)
			weights := m.weights[j]
			for k, i := range m.parents[j] {
				v += weights[k] * row[i]
			}
			row[j] = v
		}
		if err := use(row); err != nil {
			return err
		}
	}
	return nil
}
