package attribution

import (
	"context"
	"math/rand/v2"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// Graphs draws graphs, so that intervals include the uncertainty of the graph.
type Graphs struct {
	names []string
	draws *polydag.Resampler
	learn *confidence.Relearner
	seed  uint64
}

// NewGraphs draws graphs from bootstrap samples of a table, each learned with the method, settings and prior knowledge of the result.
func NewGraphs(ctx context.Context, t *polydag.Table, res *polydag.Result, seed uint64) (*Graphs, error) {
	learn, err := confidence.NewRelearner(res)
	if err != nil {
		return nil, err
	}
	draws, err := t.Resampler(ctx, mechanism.MostValues*8)
	return &Graphs{t.Moments.Names, draws, learn, seed}, err
}

// draw returns graph k over the names. An edge whose direction the equivalence class leaves open gets a random one.
func (g *Graphs) draw(ctx context.Context, names []string, k int) (*graph.Graph, error) {
	draw := polydag.Draw{Kind: polydag.Bootstrap, Seed: g.seed, Replicate: k}
	res, err := g.learn.Learn(ctx, draw, func() (*polydag.Table, error) { return g.draws.Draw(ctx, draw) })
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for v, name := range names {
		at[name] = v
	}
	class, own := graph.NewPDAG(len(names)), graph.New(len(names))
	for _, e := range res.Edges {
		from, ok := at[e.From]
		to, also := at[e.To]
		if !ok || !also {
			continue
		}
		own.AddEdge(from, to)
		if e.Compelled {
			class.SetDirected(from, to)
		} else {
			class.SetUndirected(from, to)
		}
	}
	rng := rand.New(rand.NewPCG(g.seed, uint64(k)))
	for class.NumUndirected() > 0 {
		e := class.UndirectedEdges()[rng.IntN(class.NumUndirected())]
		if rng.IntN(2) == 0 {
			e.From, e.To = e.To, e.From
		}
		class.SetDirected(e.From, e.To)
		class.Close()
	}
	out := graph.New(len(names))
	for _, e := range class.DirectedEdges() {
		out.AddEdge(e.From, e.To)
	}
	if !out.IsAcyclic() { // the undirected edges may not form an equivalence class
		return own, nil
	}
	return out, nil
}

// under returns the data with another graph.
func (d *data) under(g *graph.Graph) *data {
	own := *d
	own.g, own.order, own.needed = g, nil, nil
	own.sort()
	return &own
}
