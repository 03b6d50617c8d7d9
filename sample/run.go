package sample

import (
	"context"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Result is a posterior over DAGs.
type Result struct {
	// Edge and Ancestor hold in entry (i, j) the probability of i → j, and of a directed path from i to j. Edge is
	// computed where Exact says so; Ancestor is always the share of Graphs.
	Edge, Ancestor *matrix.Dense[float64]
	// Graphs are the graphs that were drawn, the same number of each chain, chain after chain.
	Graphs [][]graph.Edge
	Chains int
	// Exact says that the posterior was computed by dynamic programming, and that Graphs are independent draws.
	Exact bool
	// RHat is the largest split R-hat and ESS the smallest effective sample size over the weight of the graph and the edges that have
	// a probability from 0.01 to 0.99: all chains together are worth at least ESS independent draws to each of them. Without
	// chains they are 1 and the number of graphs.
	RHat, ESS float64
	// BurnIn is how many sweeps of d moves each chain made before its first graph counted, Thin the sweeps between two graphs, and
	// Accepted the share of moves that were accepted. They are 0 without chains.
	BurnIn, Thin int
	Accepted     float64
	// Full counts the variables that had more candidate parents than fit into the tables.
	Full int
	// Stopped says that the context ended before the chains agreed or had their whole length.
	Stopped bool
}

// Converged reports whether the chains agree and are long enough: R-hat at most 1.05, and an effective sample size of at least 200.
// What was computed needs no chains.
func (r *Result) Converged() bool { return r.Exact || r.RHat <= agreeing && r.ESS >= enough }

const (
	agreeing = 1.05
	enough   = 200
)

// Progress says how far Run is: the chains have their length for the given round, and R-hat and ESS are those of it.
type Progress struct {
	Round, Sweeps int
	RHat, ESS     float64
}

// Run computes the posterior of up to Settings.Exact variables, and samples that of more. observe, if not nil, is called from the
// calling goroutine after each round. When ctx ends, Run returns what it has; an error comes with a nil Result, where p or s is faulty
// or the context ended before there was a graph.
//
// Chains start from the graph of a search, from an order drawn at random, and so on in turns. All begin with one sweep for each graph
// that is kept, which does not count, and as many that do. Where they do not agree after that, the whole run so far becomes the burn-in
// and as much again follows, with twice the sweeps between two graphs: so half of every run is burn-in, and the distance between
// graphs grows until the autocorrelation that is left gives enough effective draws.
func Run(ctx context.Context, p Problem, s Settings, observe func(Progress)) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if observe == nil {
		observe = func(Progress) {}
	}
	if p.Score.Variables() <= s.Exact {
		return compute(ctx, p, s)
	}
	sp, err := newSpace(ctx, p, s)
	if err != nil {
		return nil, err
	}
	var res *Result
	chains := make([]*chain, s.Chains)
	parallel(s.Chains, s.Threads, func(i int) {
		rng := rand.New(rand.NewPCG(s.Seed, uint64(i)))
		order := sp.order
		if i%2 == 1 {
			order = sp.random(rng)
		}
		chains[i] = newChain(sp.nodes, order, rng)
		chains[i].sweeps(ctx, s.Samples)
	})
	burn, thin := s.Samples, 1
	for round := 0; ; round++ {
		if ctx.Err() == nil || res == nil {
			if next := draw(ctx, chains, s, thin); next != nil {
				res = next
				res.BurnIn, res.Thin, res.Full = burn, thin, sp.full
			}
		}
		if ctx.Err() != nil {
			if res == nil {
				return nil, ctx.Err()
			}
			res.Stopped = true
			break
		}
		observe(Progress{Round: round, Sweeps: burn + thin*s.Samples, RHat: res.RHat, ESS: res.ESS})
		if res.Converged() || round == s.Rounds {
			break
		}
		burn += thin * s.Samples
		thin *= 2
	}
	res.Edge = shares(len(sp.nodes), res.Graphs)
	res.Ancestor = ancestors(len(sp.nodes), res.Graphs)
	return res, nil
}

// random returns a random order that the required edges allow.
func (sp *space) random(rng *rand.Rand) []int {
	d := len(sp.nodes)
	perm := rng.Perm(d)
	renamed := make([][]int, d) // perm[i] is variable i of the renamed graph
	place := make([]int, d)
	for i, v := range perm {
		place[v] = i
	}
	for i, v := range perm {
		for _, x := range sp.r.required[v] {
			renamed[i] = append(renamed[i], place[x])
		}
	}
	order := topological(d, renamed)
	for i, v := range order {
		order[i] = perm[v]
	}
	return order
}

// sweeps makes n sweeps, fewer where ctx ends.
func (c *chain) sweeps(ctx context.Context, n int) bool {
	for range n {
		if ctx.Err() != nil {
			return false
		}
		c.sweep()
	}
	return true
}

// draw takes the samples of a round. Where ctx ends it returns what all chains have, or nil if that is too little to say anything.
func draw(ctx context.Context, chains []*chain, s Settings, thin int) *Result {
	graphs, logw := make([][][]graph.Edge, len(chains)), make([][]float64, len(chains))
	for _, c := range chains {
		c.moves, c.accepted = 0, 0
	}
	parallel(len(chains), s.Threads, func(i int) {
		for len(graphs[i]) < s.Samples && chains[i].sweeps(ctx, thin) {
			g, w := chains[i].graph()
			graphs[i], logw[i] = append(graphs[i], g), append(logw[i], w)
		}
	})
	least := s.Samples
	for _, g := range graphs {
		least = min(least, len(g))
	}
	if least < 8 {
		return nil
	}
	res := &Result{Chains: len(chains)}
	moves := 0
	for i, c := range chains {
		graphs[i], logw[i] = graphs[i][:least], logw[i][:least]
		res.Graphs = append(res.Graphs, graphs[i]...)
		res.Accepted += float64(c.accepted)
		moves += c.moves
	}
	res.Accepted /= float64(max(1, moves))
	res.RHat, res.ESS = diagnose(len(chains[0].nodes), graphs, logw)
	return res
}

// compute is Run without chains.
func compute(ctx context.Context, p Problem, s Settings) (*Result, error) {
	e, err := NewExact(ctx, p, s.Threads)
	if err != nil {
		return nil, err
	}
	res := &Result{Chains: s.Chains, Exact: true, RHat: 1, Graphs: make([][]graph.Edge, s.Chains*s.Samples)}
	if res.Edge, err = e.Edges(ctx); err != nil {
		return nil, err
	}
	parallel(len(res.Graphs), s.Threads, func(i int) {
		if ctx.Err() != nil {
			return
		}
		for v, parents := range e.Draw(rand.New(rand.NewPCG(s.Seed, uint64(i)))) {
			for _, x := range parents {
				res.Graphs[i] = append(res.Graphs[i], graph.Edge{From: x, To: v})
			}
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	res.ESS = float64(len(res.Graphs))
	res.Ancestor = ancestors(e.d, res.Graphs)
	return res, nil
}

// shares returns how often each edge is there.
func shares(d int, graphs [][]graph.Edge) *matrix.Dense[float64] {
	p := matrix.New[float64](d, d)
	for _, g := range graphs {
		for _, e := range g {
			p.Data[e.From*d+e.To]++
		}
	}
	for i := range p.Data {
		p.Data[i] /= float64(len(graphs))
	}
	return p
}

// ancestors returns how often there is a directed path between two variables: O(d·edges/64) a graph.
func ancestors(d int, graphs [][]graph.Edge) *matrix.Dense[float64] {
	p := matrix.New[float64](d, d)
	words := (d + 63) / 64
	above := make([]uint64, d*words)
	for _, edges := range graphs {
		g, _ := graph.FromEdges(d, edges) // the ends are variables
		order, _ := g.Order()             // it is a DAG
		clear(above)
		for _, v := range order {
			row := above[v*words : (v+1)*words]
			for _, x := range g.Parents(v) {
				for k, w := range above[x*words : (x+1)*words] {
					row[k] |= w
				}
				row[x>>6] |= 1 << (x & 63)
			}
			for x := range d {
				p.Data[x*d+v] += float64(row[x>>6] >> (x & 63) & 1)
			}
		}
	}
	for i := range p.Data {
		p.Data[i] /= float64(len(graphs))
	}
	return p
}
