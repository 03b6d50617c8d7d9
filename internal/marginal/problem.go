package marginal

import (
	"context"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
)

// A Posterior is a posterior over the graphs of a table. Variable i of its problem is column Order[i] of the table.
type Posterior struct {
	Moments      *dataset.Moments
	Environments *dataset.Environments // with known targets; nil for a single environment
	Order        []int
	Known        *knowledge.Knowledge
	Graph        *graph.Graph  // a DAG that the search starts from, and under which the effect scale is most likely; nil for none
	Effects      score.Effects // linear or discrete
	Rows         dataset.Rows  // the rows in this order, for a discrete model
	Weight       float64       // the weight of a row of a discrete model; 0 means 1
	// EdgeOdds are prior odds of an edge that were fitted before. If they are 0, they are fitted to the table under a linear model
	// without enforced prior knowledge, and otherwise 1 to the number of columns.
	EdgeOdds float64
	Seed     uint64
	Threads  int
}

// Problem returns the posterior as a problem for package sample.
func (o Posterior) Problem(ctx context.Context) (*sample.Problem, error) {
	p := &sample.Problem{}
	place := make([]int, len(o.Order))
	for i, v := range o.Order {
		place[v] = i
	}
	if o.Graph != nil {
		p.Start = make([][]int, len(o.Order))
		for i, v := range o.Order {
			for _, x := range o.Graph.Parents(v) {
				p.Start[i] = append(p.Start[i], place[x])
			}
			slices.Sort(p.Start[i])
		}
	}
	var err error
	if moments, environments := o.Moments.Arranged(o.Order), o.Environments.Arranged(o.Order); o.Effects == score.TableEffects {
		p.Score, err = Discrete(ctx, moments.Names, o.Rows, environments, o.Weight, p.Start)
	} else {
		p.Score, err = Linear(moments, environments, p.Start)
	}
	if err != nil {
		return nil, err
	}
	p.Odds = 1 / float64(len(o.Order)) // the odds that the score assumes
	fitted := o.EdgeOdds
	if fitted == 0 && o.Effects != score.TableEffects && !o.enforced() {
		s := sample.DefaultSettings()
		s.Seed, s.Threads = o.Seed, o.Threads
		if fitted, err = sample.FitOdds(ctx, *p, p.Odds, s); err != nil {
			return nil, err
		}
	}
	if fitted != 0 && fitted != p.Odds {
		p.Score, p.Odds = sample.WithOdds(p.Score, fitted/p.Odds), fitted
	}
	if cost := o.Known.Cost(); cost != nil {
		p.Score = sample.WithPrior(p.Score, func(i, j int) float64 { return cost(o.Order[i], o.Order[j]) })
	}
	p.Knowledge.Forbidden = func(i, j int) bool { return o.Known.Forbidden(o.Order[i], o.Order[j]) }
	for _, e := range o.Known.Required() {
		p.Knowledge.Required = append(p.Knowledge.Required, [2]int{place[e.From], place[e.To]})
	}
	return p, nil
}

// enforced reports whether prior knowledge forbids an edge. If it requires one, it forbids the reverse.
func (o Posterior) enforced() bool {
	return slices.ContainsFunc(o.Order, func(i int) bool {
		return slices.ContainsFunc(o.Order, func(j int) bool { return i != j && o.Known.Forbidden(i, j) })
	})
}
