// Package gaussian is what methods for linear Gaussian models share: the price of an edge, the BIC of a
// graph, and the parents that the BIC pays for.
package gaussian

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/order"
	"github.com/polydag/polydag/score"
)

// Parents lists the parents of each node.
func Parents(g *dag.Graph) [][]int {
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = g.Parents(v)
	}
	return parents
}

// BIC returns the BIC of g under unequal variances, at the price of an edge that s has.
func BIC(m *dataset.Moments, s order.Settings, g *dag.Graph) (float64, error) {
	scores, _, err := order.Evaluate(order.Problem{R: m.Correlation(), N: m.N, Scale: m.Std(), Names: m.Names}, s, Parents(g))
	return scores.Unequal, err
}

// Prune drops from each column the parent that it misses least, again and again, while the loss in fit, n ln(residual
// variance), is below the price of an edge. Required edges stay.
func Prune(m *dataset.Moments, price float64, g, required *dag.Graph) (*dag.Graph, error) {
	r := m.Correlation()
	out := dag.New(g.N())
	for v := range g.N() {
		parents := append([]int(nil), g.Parents(v)...)
		for len(parents) > 0 {
			reg, err := score.Regress(r, v, parents)
			if err != nil {
				return nil, Collinear(m.Names, err)
			}
			least, at := price, -1
			for i, p := range parents {
				loss := float64(m.N) * math.Log(reg.Drop[i]/reg.Residual)
				if loss < least && !required.HasEdge(p, v) {
					least, at = loss, i
				}
			}
			if at < 0 {
				break
			}
			parents = append(parents[:at], parents[at+1:]...)
		}
		for _, p := range parents {
			out.AddEdge(p, v)
		}
	}
	return out, nil
}

// Collinear names the columns of a regression that has no unique answer.
func Collinear(names []string, err error) error {
	var c *score.CollinearError
	if !errors.As(err, &c) {
		return err
	}
	return fmt.Errorf("polydag: column %q is determined by other parents of %q: %w; drop it, or one of those", names[c.Parent], names[c.Column], err)
}
