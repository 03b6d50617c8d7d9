package missing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
)

// NetworkSettings of a fit. The number of threads never changes the result.
type NetworkSettings struct {
	Threads int
	Seed    uint64
	// Discrete says which columns have categories.
	Discrete []bool
	// Parents of each column in an acyclic graph. Nil stands for a tree of the strongest relations between pairs.
	Parents [][]int
}

// A Network is a Bayesian network of discrete and numeric columns: a probability table for a discrete column with discrete parents,
// and an additive regression on indicators and curves of the parents for every other column.
type Network struct {
	columns []netColumn // in canonical order
	order   []int       // column of the table in each place
	nodes   []node
	causal  []int // places in a causal order
	added   bool  // see Added
}

type node struct {
	parents, children []int
	table             *cpt      // nil for a node with an additive model
	model             *additive // nil for a node with a table
	tables            bool      // the node and its children have tables
	// around is the regression of a numeric column on its Markov blanket, for proposals. It is nil without children.
	around *additive
}

const (
	networkRows = 50_000 // most rows that a network is fitted to
	leastRounds = 2      // rounds of drawing the missing values and fitting again
	mostRounds  = 8
	chainRows   = 4000 // shorter tables are completed several times while fitting
	mostChains  = 4
	fillSweeps  = 6 // sweeps of Gibbs sampling for a row that is not drawn exactly
)

// FitNetwork fits a network to rows of d columns, in which NaN is a missing value, by stochastic EM: it alternates between drawing
// the missing values and fitting each node to the completed rows. It adds parents where the rows show that the graph lacks a relation;
// see extend. It neither changes nor keeps the rows.
func FitNetwork(ctx context.Context, rows []float64, d int, set NetworkSettings) (*Network, error) {
	plain := newNetColumns(rows, d, set.Discrete)
	all := make([]columnFacts, d)
	for j := range plain {
		all[j] = plain[j].columnFacts
	}
	g := &Network{order: canonicalOrder(all), nodes: make([]node, d)}
	place := make([]int, d)
	for k, j := range g.order {
		g.columns = append(g.columns, plain[j])
		place[j] = k
	}
	coded := g.codeRows(rows)
	parents := make([][]int, d)
	if set.Parents == nil {
		parents = treeParents(coded, d, g.columns)
	} else {
		for j, from := range set.Parents {
			for _, p := range from {
				parents[place[j]] = append(parents[place[j]], place[p])
			}
			slices.Sort(parents[place[j]])
		}
	}
	g.connect(parents)
	g.fit(coded, set.Threads, false)
	n := len(coded) / d
	state := slices.Clone(coded)
	for k := 1; k < min(mostChains, chainRows/max(n, 1)); k++ {
		state = append(state, coded...)
	}
	var lacks [][]int32
	for at := 0; at < len(state); at += d {
		lacks = append(lacks, lacking(state[at:at+d]))
	}
	rounds := g.rounds(len(rows) / d)
	for round := range rounds/2 + rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if round == rounds/2 && g.extend(coded, state[:len(coded)], set.Threads) {
			g.added = true
			g.fit(coded, set.Threads, false)
		}
		g.sweep(state, lacks, set.Seed+uint64(round)*0x9e3779b97f4a7c15, round == 0, set.Threads)
		g.fit(state, set.Threads, true)
	}
	return g, nil
}

// Added reports whether the rows showed that the graph lacks relations, so that the network has more parents than it.
func (g *Network) Added() bool { return g.added }

// rounds returns the number of rounds after which the parameters are within 2 % of their distance to the estimates: EM shortens the
// distance by the share of missing information, for which the largest share of missing values stands.
func (g *Network) rounds(n int) int {
	share := 0.0
	for _, c := range g.columns {
		share = max(share, 1-float64(c.there)/float64(n))
	}
	return max(leastRounds, min(mostRounds, int(math.Ceil(math.Log(0.02)/math.Log(share)))))
}

// codeRows returns the rows in canonical order, evenly spaced ones of a long table.
func (g *Network) codeRows(rows []float64) []float64 {
	d := len(g.order)
	n := len(rows) / d
	step := (n + networkRows - 1) / networkRows
	out := make([]float64, 0, (n/max(step, 1)+1)*d)
	for i := 0; i < n; i += max(step, 1) {
		for k, j := range g.order {
			out = append(out, g.columns[k].code(rows[i*d+j]))
		}
	}
	return out
}

// connect sets parents, children and the causal order.
func (g *Network) connect(parents [][]int) {
	left := make([]int, len(parents))
	g.causal, g.nodes = nil, make([]node, len(parents))
	for v, from := range parents {
		g.nodes[v].parents, left[v] = from, len(from)
		for _, p := range from {
			g.nodes[p].children = append(g.nodes[p].children, v)
		}
	}
	var ready []int
	for v, n := range left {
		if n == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		g.causal = append(g.causal, v)
		for _, c := range g.nodes[v].children {
			if left[c]--; left[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
}

// fit fits every node to the rows. around says whether to fit the proposals, which need complete rows.
func (g *Network) fit(rows []float64, threads int, around bool) {
	d := len(g.nodes)
	gemm.ShareBy(max(1, threads), d, func(_, v int) {
		x := &g.nodes[v]
		x.fit(rows, d, v, g.columns)
		if x.around = nil; around && g.columns[v].levels == nil && len(x.children) > 0 {
			x.around = fitAdditive(rows, d, v, g.blanket(v), g.columns)
		}
	})
	for v := range g.nodes {
		x := &g.nodes[v]
		x.tables = x.table != nil && !slices.ContainsFunc(x.children, func(c int) bool { return g.nodes[c].table == nil })
	}
}

// fit fits the model of column v given its parents.
func (x *node) fit(rows []float64, d, v int, columns []netColumn) {
	if x.table, x.model = fitCPT(rows, d, v, x.parents, columns), nil; x.table == nil {
		x.model = fitAdditive(rows, d, v, x.parents, columns)
	}
}

// blanket returns the parents, children and other parents of children of v, ascending.
func (g *Network) blanket(v int) []int {
	out := slices.Concat(g.nodes[v].parents, g.nodes[v].children)
	for _, c := range g.nodes[v].children {
		out = append(out, g.nodes[c].parents...)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(u int) bool { return u == v })
}

// lacking lists the missing values of a coded row.
func lacking(row []float64) []int32 {
	var out []int32
	for j, v := range row {
		if v != v {
			out = append(out, int32(j))
		}
	}
	return out
}

// sweep draws every missing value of the rows once. The first time it draws each from its parents.
func (g *Network) sweep(rows []float64, lacks [][]int32, seed uint64, first bool, threads int) {
	const part = 64
	d, n := len(g.nodes), len(lacks)
	samplers := make([]*gibbs, max(1, threads))
	for i := range samplers {
		samplers[i] = newGibbs(g)
	}
	gemm.ShareBy(len(samplers), (n+part-1)/part, func(worker, k int) {
		s := samplers[worker]
		for i := k * part; i < min((k+1)*part, n); i++ {
			if len(lacks[i]) == 0 {
				continue
			}
			s.pcg.Seed(seed, uint64(i))
			row := rows[i*d : (i+1)*d]
			if first {
				s.forward(row, lacks[i])
			}
			s.sweep(row, lacks[i])
		}
	})
}

// Filler returns a filler that draws from the network.
func (g *Network) Filler() Filler {
	return &networkFiller{g: g, gibbs: newGibbs(g), row: make([]float64, len(g.nodes))}
}

type networkFiller struct {
	g     *Network
	gibbs *gibbs
	row   []float64
	lacks []int32
}

func (f *networkFiller) Fill(row []float64, random *rand.Rand) {
	g := f.g
	f.lacks = f.lacks[:0]
	for k, j := range g.order {
		if f.row[k] = g.columns[k].code(row[j]); f.row[k] != f.row[k] {
			f.lacks = append(f.lacks, int32(k))
		}
	}
	if len(f.lacks) == 0 {
		return
	}
	f.gibbs.random = random
	f.gibbs.forward(f.row, f.lacks)
	for range fillSweeps {
		if f.gibbs.sweep(f.row, f.lacks) {
			break
		}
	}
	for _, k := range f.lacks {
		row[g.order[k]] = g.columns[k].value(f.row[k])
	}
}
