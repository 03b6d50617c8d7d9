package polydag

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/score"
)

// weighResult fills Edges from Graph with least squares on each column's parents.
func (l *learner) weighResult(res *Result) error {
	r, std := l.correlation(), l.data.Std()
	weights := make(map[dag.Edge]float64, res.Graph.NumEdges())
	for v := range res.Graph.N() {
		parents := res.Graph.Parents(v)
		if len(parents) == 0 {
			continue
		}
		reg, err := score.Regress(r, v, parents)
		if err != nil {
			return l.collinear(err)
		}
		for i, p := range parents {
			weights[dag.Edge{From: p, To: v}] = reg.Beta[i] * std[v] / std[p]
		}
	}
	var err error
	res.Edges, err = l.weigh(res.Graph, res.Variance.Chosen, func(e dag.Edge) float64 { return weights[e] })
	return err
}

// collinear names the columns of a regression that has no unique answer.
func (l *learner) collinear(err error) error {
	var c *score.CollinearError
	if !errors.As(err, &c) {
		return err
	}
	return fmt.Errorf("polydag: column %q is determined by other parents of %q: %w; drop it, or one of those", l.data.Names[c.Parent], l.data.Names[c.Column], err)
}

// weigh lists the edges of the DAG g by name. weight is in units of the data.
func (l *learner) weigh(g *dag.Graph, variance string, weight func(dag.Edge) float64) ([]Edge, error) {
	compelled, err := l.compelled(g)
	if err != nil {
		return nil, err
	}
	names, std := l.data.Names, l.data.Std()
	out := make([]Edge, 0, g.NumEdges())
	for _, e := range g.Edges() {
		w := weight(e)
		out = append(out, Edge{
			From: names[e.From], To: names[e.To],
			Weight: w, Standardized: w * std[e.From] / std[e.To],
			Compelled: variance == VarianceEqual || compelled(e),
		})
	}
	return out, nil
}

// compelled tells which edges have the same direction in every DAG of g's Markov equivalence class that prior
// knowledge allows.
func (l *learner) compelled(g *dag.Graph) (func(dag.Edge) bool, error) {
	class, err := dag.CPDAG(g)
	if err != nil {
		return nil, err
	}
	if !l.cfg.Knowledge.Empty() {
		if class, err = l.known.Orient(class); err != nil {
			return nil, err
		}
	}
	return func(e dag.Edge) bool { return class.HasDirected(e.From, e.To) }, nil
}
