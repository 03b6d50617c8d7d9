package polydag

import (
	"errors"
	"slices"

	"github.com/polydag/polydag/score"
)

// describe fills Sortability and Nodes: how much of each column its parents explain, by least squares whatever the method. Of
// parents that determine each other one is left out, which changes nothing about what they explain.
func (l *learner) describe(res *Result) error {
	r, std := l.correlation(), l.data.Std()
	res.Nodes = make([]Node, len(l.data.Names))
	for v, name := range l.data.Names {
		parents := slices.Clone(res.Graph.Parents(v))
		left := 1.0 // of a variance of 1
		for len(parents) > 0 {
			reg, err := score.Regress(r, v, parents)
			if err == nil {
				left = min(1, max(0, reg.Residual))
				break
			}
			var c *score.CollinearError
			if !errors.As(err, &c) || !slices.Contains(parents, c.Parent) {
				return err
			}
			parents = slices.DeleteFunc(parents, func(p int) bool { return p == c.Parent })
		}
		res.Nodes[v] = Node{
			Name: name, Mean: l.data.Mean[v], Std: std[v],
			ResidualVariance: left * std[v] * std[v], R2: 1 - left,
		}
	}
	l.sort(res)
	return nil
}
