package effect

import (
	"github.com/polydag/polydag/effect/internal/eliminate"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// discrete is a model of categorical columns. Several goroutines may use it.
type discrete struct {
	*eliminate.Model
	g    *graph.Graph
	data *mechanism.Rows
}

func fitDiscrete(g *graph.Graph, d *mechanism.Rows, seed uint64) *discrete {
	return &discrete{Model: eliminate.NewModel(g, d, seed), g: g, data: d}
}

// query returns the distribution of a node of a network.
func query(n *eliminate.Network, target int) (*dist, error) {
	p, exact, standardError, err := n.Query(target)
	if err != nil {
		return nil, err
	}
	if exact {
		return &dist{levels: p, by: byElimination}, nil
	}
	return &dist{levels: p, by: bySampling, err: standardError}, nil
}

func (m *discrete) do(a, b int, x float64) ([]float64, error) {
	return probabilities(m.distribution(a, b, x))
}

func (m *discrete) distribution(a, b int, x float64) (*dist, error) { return m.knowing(a, b, x, nil) }

// knowing is the distribution of b under do(a = x), given the codes of some columns that a does not affect.
func (m *discrete) knowing(a, b int, x float64, evidence map[int]int) (*dist, error) {
	return query(m.Given(a, b, m.data.Code(a, x), evidence))
}

func (m *discrete) direct(a, b int, x0, x1 float64) ([]float64, error) {
	return probabilities(query(m.Along(a, b, m.data.Code(a, x0), m.data.Code(a, x1))))
}

func (m *discrete) through(a, b, by int, x0, x1 float64) ([]float64, error) {
	return probabilities(query(m.between(a, b, by, x0, x1)))
}

// between returns the network for the effect through a mediator, and its target.
func (m *discrete) between(a, b, by int, x0, x1 float64) (n *eliminate.Network, target int) {
	return m.Mediated(a, b, by, m.data.Code(a, x0), m.data.Code(a, x1))
}

func probabilities(d *dist, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return d.levels, nil
}
