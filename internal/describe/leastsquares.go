package describe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// leastSquares regresses each column on its parents and returns the weights in units of the data.
func (a *Answer) leastSquares() (map[graph.Edge]float64, error) {
	stds := a.pool.Stds()
	weights := make(map[graph.Edge]float64, a.Directed.NumEdges())
	for v := range a.Directed.N() {
		parents := a.parents(a.Directed, v)
		if len(parents) == 0 {
			continue
		}
		std := stds[a.pool.Group[v]]
		reg, err := a.regress(v, parents)
		var c *score.CollinearError
		if errors.As(err, &c) {
			return nil, fmt.Errorf("column %q is determined by other parents of %q: %w; drop it, or one of those", a.Moments.Names[c.Parent], a.Moments.Names[c.Column], err)
		}
		if err != nil {
			return nil, err
		}
		for i, p := range parents {
			if std[p] > 0 { // a parent can be constant in the pooled rows of v
				weights[graph.Edge{From: p, To: v}] = reg.Beta[i] * std[v] / std[p]
			}
		}
	}
	return weights, nil
}

// gains returns the score gain of each edge of g under least squares in bits per row: the gain divided by 2·n·ln 2. With the
// penalty p per edge the gain is n·ln(residual variance without / with the edge) - p. With equal noise variances it is
// n·d·ln(mean residual variance without / with the edge) - p. n is the number of rows that count for the edge's head.
func (a *Answer) gains(g *graph.Graph) map[graph.Edge]float64 {
	equal := a.chose("variance", "equal")
	std := a.Moments.Std()
	regs := make([]score.Regression, g.N())
	total := 0.0 // total noise variance, summed in an order that does not depend on the column order
	for _, v := range a.Order {
		regs[v].Residual = 1
		if parents := a.parents(g, v); len(parents) > 0 {
			reg, err := a.regress(v, parents)
			if err == nil { // collinear parents have no gain of their own
				regs[v] = reg
			}
		}
		total += std[v] * std[v] * max(regs[v].Residual, leastShare)
	}
	bits := make(map[graph.Edge]float64, g.NumEdges())
	for v, reg := range regs {
		n := a.rows(v)
		price := cmp.Or(a.Price, math.Log(n))
		for i, p := range a.parents(g, v) {
			if i >= len(reg.Drop) {
				break
			}
			with, without := max(reg.Residual, leastShare), max(reg.Drop[i], leastShare)
			gain := n * math.Log(without/with)
			if equal {
				gain = n * float64(g.N()) * math.Log1p(std[v]*std[v]*(without-with)/total)
			}
			bits[graph.Edge{From: p, To: v}] = score.Bits(gain-price, n)
		}
	}
	return bits
}

// leastShare is the smallest residual share of a column's variance; anything below it is rounding.
const leastShare = 1e-12

// rows returns the number of rows that count for a column, at least 1.
func (a *Answer) rows(v int) float64 { return float64(max(1, a.pool.Of(v).N)) }

// regress is score.RegressOn the rows that count for v. Building all d² correlations would delay the end of a stopped run.
func (a *Answer) regress(v int, parents []int) (score.Regression, error) {
	return score.RegressOn(a.pool.Of(v), v, parents)
}

// parents returns the parents of v in canonical column order, so that a regression sums in the same order for any column
// order.
func (a *Answer) parents(g *graph.Graph, v int) []int {
	parents := slices.Clone(g.Parents(v))
	slices.SortFunc(parents, func(i, j int) int { return a.Place[i] - a.Place[j] })
	return parents
}

// A Node is a column given its parents.
type Node struct {
	ResidualVariance float64 // of least squares on the parents
	R2               float64 // the share of the variance that the parents explain
	Explained        float64 // the share of the uncertainty that the parents remove under the model, else R2
}

// Nodes describes the columns. Collinear parents are dropped one at a time, which does not change the explained share.
func (a *Answer) Nodes() ([]Node, error) {
	stds := a.pool.Stds()
	out := make([]Node, len(a.Moments.Names))
	for v := range out {
		parents := a.parents(a.Directed, v)
		own := stds[a.pool.Group[v]][v]
		left := 1.0 // share of the variance
		for len(parents) > 0 {
			reg, err := a.regress(v, parents)
			if err == nil {
				left = min(1, max(0, reg.Residual))
				break
			}
			var c *score.CollinearError
			if !errors.As(err, &c) || !slices.Contains(parents, c.Parent) {
				return nil, err
			}
			parents = slices.DeleteFunc(parents, func(p int) bool { return p == c.Parent })
		}
		out[v] = Node{ResidualVariance: left * own * own, R2: 1 - left, Explained: 1 - left}
		if a.Answer.Nodes != nil && a.Answer.Nodes[v].Explained != nil {
			out[v].Explained = *a.Answer.Nodes[v].Explained
		}
	}
	return out, nil
}

// sortabilityColumns is the largest number of columns for which R2 sortability, 2⅓·d³ flops, is computed.
const sortabilityColumns = 2000

// Sortability returns how well sorting by variance, and by R², gives the order of a DAG; see package trust. ok is false for a graph
// without edges, and r2 is nil for many columns or few rows.
func (a *Answer) Sortability() (variance float64, r2 *float64, ok bool) {
	variances := a.Moments.Std()
	for j := range variances {
		variances[j] *= variances[j]
	}
	if variance, ok = trust.Varsortability(a.Directed, variances); !ok {
		return 0, nil, false
	}
	if d := len(variances); d <= sortabilityColumns && a.Moments.N > d {
		if by, ok := trust.R2Sortability(a.Directed, a.Moments.Correlation()); ok {
			r2 = &by
		}
	}
	return variance, r2, true
}
