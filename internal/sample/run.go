package sample

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
)

// Result is a posterior over DAGs.
type Result struct {
	// Edge and Ancestor have in entry (i, j) the probability of i → j, and of a directed path from i to j. Edge
	// is exact with Exact, and otherwise the mean conditional probability over all sweeps. Ancestor is always
	// the frequency in Graphs.
	Edge, Ancestor *matrix.Dense[float64]
	// Graphs are the sampled graphs, the same number per chain, chain by chain.
	Graphs [][]graph.Edge
	Chains int
	// Exact reports that the posterior was computed by dynamic programming and that Graphs are independent
	// samples.
	Exact bool
	// RHat is the largest split R-hat and ESS the smallest effective sample size, over the weight of the graph
	// and the edges with a probability from 0.01 to 0.99. Without chains they are 1 and the number of graphs.
	RHat, ESS float64
	// BurnIn is the number of sweeps of d moves before the first kept graph of each chain, Thin the sweeps
	// between two graphs, and Accepted the acceptance rate. They are 0 without chains.
	BurnIn, Thin int
	Accepted     float64
	// Moved counts how often a chain was far behind the others and continued from the state of the best one.
	Moved int
	// Full counts the variables with more candidate parents than fit into the tables.
	Full int
	// Stopped reports that the context ended before the chains agreed or had their full length.
	Stopped bool
}

// Converged reports whether the chains agree and are long enough: R-hat at most 1.05 and an effective sample
// size of at least 200. An exact result needs no chains.
func (r *Result) Converged() bool { return r.Exact || r.RHat <= agreeing && r.ESS >= enough }

const (
	agreeing = 1.05
	enough   = 200
)

// Round describes the chains after a round of Run.
type Round struct {
	Number, Sweeps int
	RHat, ESS      float64
}

// Run computes the posterior of up to Settings.Exact variables exactly and samples it otherwise. observe, if
// not nil, is called from the calling goroutine after each round. When ctx ends, Run returns the samples so
// far. It returns an error and a nil Result if p or s is invalid or the context ended before the first graph.
//
// Chains start alternately from the graph of a search and from the end of a descent from a random order. All
// begin with a burn-in of one sweep per kept graph. If they do not agree, the whole run becomes the burn-in and
// twice as many sweeps follow, with twice the distance between two graphs. A chain that is far behind continues
// from the state of the best one; see behind.
func Run(ctx context.Context, p Problem, s Settings, observe func(Round)) (*Result, error) {
	return RunBy(ctx, p, s, nil, observe)
}

// RunBy is Run with chains run by by; nil means in this process. The result does not depend on by.
func RunBy(ctx context.Context, p Problem, s Settings, by Walker, observe func(Round)) (*Result, error) {
	if err := validate(p, s); err != nil {
		return nil, err
	}
	if observe == nil {
		observe = func(Round) {}
	}
	d := p.Score.Variables()
	if d <= s.Exact {
		return compute(ctx, p, s)
	}
	if by == nil {
		own, err := NewSampler(ctx, p, s)
		if err != nil {
			return nil, err
		}
		by = own
	}
	walks := make([]Walk, s.Chains)
	burn, thin := s.Samples, firstThin(d)
	for i := range walks {
		walks[i] = Walk{Chain: i, Burn: burn, Samples: s.Samples, Thin: thin}
	}
	var res *Result
	moved := 0
	for round := 0; ; round++ {
		done := make([]*Walked, len(walks))
		err := by.Walk(ctx, walks, func(i int, w *Walked) { done[i] = w })
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if next := together(d, done); next != nil {
			res = next
			res.BurnIn, res.Thin, res.Moved = burn, thin, moved
		}
		if ctx.Err() != nil {
			if res == nil {
				return nil, ctx.Err()
			}
			res.Stopped = true
			break
		}
		observe(Round{Number: round, Sweeps: burn + thin*s.Samples, RHat: res.RHat, ESS: res.ESS})
		if res.Converged() || round == s.Rounds {
			break
		}
		burn += thin * s.Samples
		thin *= 2
		best, left := behind(done)
		for i := range walks {
			walks[i] = Walk{Chain: i, From: done[i].To, Samples: s.Samples, Thin: thin}
			if left[i] {
				walks[i].From = done[best].To
				moved++
			}
		}
	}
	res.Ancestor = ancestors(d, res.Graphs)
	return res, nil
}

// firstThin returns the initial number of sweeps between two graphs: 4, and up to 16 for few variables, whose
// sweeps of about d² steps are cheap. More sweeps distinguish rare edges.
func firstThin(d int) int { return max(4, min(16, 10000/(d*d))) }

// behind returns the chain with the largest median weight, and which chains are far behind it: every graph of
// such a chain weighs less than each graph of the best one. Such a chain is at a worse local optimum and would
// otherwise count as much as the others.
func behind(done []*Walked) (best int, left []bool) {
	left = make([]bool, len(done))
	low, high := make([]float64, len(done)), make([]float64, len(done))
	most := math.Inf(-1)
	for i, w := range done {
		sorted := slices.Sorted(slices.Values(w.LogW))
		low[i], high[i] = sorted[0], sorted[len(sorted)-1]
		if middle := sorted[len(sorted)/2]; middle > most {
			best, most = i, middle
		}
	}
	for i := range done {
		left[i] = high[i] < low[best]
	}
	return best, left
}

// random returns a random order that satisfies the required edges and the tiers.
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
	if tiers := sp.p.Knowledge.Tiers; tiers != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tiers[a], tiers[b]) })
	}
	return order
}

// together returns the result of the walks of a round, over the graphs that every chain has, or nil if there
// are too few.
func together(d int, done []*Walked) *Result {
	least := math.MaxInt
	for _, w := range done {
		if w == nil {
			return nil
		}
		least = min(least, len(w.Graphs))
	}
	if least < fewest {
		return nil
	}
	res := &Result{Chains: len(done), Edge: matrix.New[float64](d, d)}
	graphs, logw := make([][][]graph.Edge, len(done)), make([][]float64, len(done))
	moves := 0
	for i, w := range done {
		graphs[i], logw[i] = w.Graphs[:least], w.LogW[:least]
		res.Graphs = append(res.Graphs, graphs[i]...)
		for k, p := range w.Edge {
			res.Edge.Data[k] += p / float64(len(done))
		}
		res.Accepted += float64(w.Accepted)
		moves += w.Moves
		res.Full = w.Full
	}
	res.Accepted /= float64(max(1, moves))
	res.RHat, res.ESS = diagnose(d, graphs, logw)
	return res
}

// fewest is the smallest number of graphs per chain for a result.
const fewest = 8

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
	parallel.For(len(res.Graphs), s.Threads, func(i int) {
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

// ancestors returns the frequency of a directed path between two variables. It costs O(d·edges/64) per graph.
func ancestors(d int, graphs [][]graph.Edge) *matrix.Dense[float64] {
	p := matrix.New[float64](d, d)
	words := (d + 63) / 64
	above := make([]uint64, d*words)
	for _, edges := range graphs {
		g, _ := graph.FromEdges(d, edges) // the ends are valid
		order, _ := g.Order()             // the graph is a DAG
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
