// Package gaussian provides the common parts of methods for linear Gaussian models: the penalty per edge, the
// BIC of a graph, and the choice of parents by BIC.
package gaussian

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Parents lists the parents of each node.
func Parents(g *graph.Graph) [][]int {
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = g.Parents(v)
	}
	return parents
}

// Problem returns the search problem of the moments, with their correlation matrix.
func Problem(m *dataset.Moments) search.Problem {
	return search.Problem{R: m.Correlation(), N: m.N, Scale: m.Std(), Names: m.Names}
}

// OnDemand is Problem without a correlation matrix if the moments compute correlations on demand.
func OnDemand(m *dataset.Moments) search.Problem {
	if g := m.Gram(); g != nil {
		return search.Problem{Gram: g, N: m.N, Scale: m.Std(), Names: m.Names}
	}
	return Problem(m)
}

// BIC returns the BIC of g under unequal variances, with the penalty per edge of s. It ignores prior knowledge.
func BIC(p search.Problem, s search.Settings, g *graph.Graph) (float64, error) {
	p.Knowledge = search.Knowledge{}
	scores, _, err := search.Evaluate(p, s, Parents(g))
	return scores.Unequal, err
}

// Prune repeatedly drops the least useful parent of each column while the loss of fit, n ln(residual variance),
// is below the penalty per edge. Required edges stay.
func Prune(p search.Problem, price float64, g, required *graph.Graph) (*graph.Graph, error) {
	r := p.R
	out := graph.New(g.N())
	for v := range g.N() {
		parents := append([]int(nil), g.Parents(v)...)
		for len(parents) > 0 {
			reg, err := score.Regress(r, v, parents)
			if err != nil {
				return nil, Collinear(p.Names, err)
			}
			least, at := price, -1
			for i, from := range parents {
				loss := float64(p.N) * math.Log(reg.Drop[i]/reg.Residual)
				if loss < least && !required.HasEdge(from, v) {
					least, at = loss, i
				}
			}
			if at < 0 {
				break
			}
			parents = append(parents[:at], parents[at+1:]...)
		}
		for _, from := range parents {
			out.AddEdge(from, v)
		}
	}
	return out, nil
}

// Collinear adds the names of the columns to the error of a regression without a unique solution.
func Collinear(names []string, err error) error {
	var c *score.CollinearError
	if !errors.As(err, &c) {
		return err
	}
	return fmt.Errorf("column %q is determined by other parents of %q: %w; drop it, or one of those", names[c.Parent], names[c.Column], err)
}
