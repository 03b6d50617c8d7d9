package intervene

import (
	"math"
	"math/rand/v2"
	"slices"
)

// network is a discrete Bayesian network whose nodes stand for columns of a model, some of them for the same one in several worlds.
type network struct {
	of       *discrete
	nodes    []netNode // parents before children
	evidence map[int]int
}

// netNode is a node. fixed is the code that it is set to, or -1; seen says that it was observed to be code.
type netNode struct {
	column  int
	parents []int
	fixed   int
	seen    bool
	code    int
}

func (n *network) add(node netNode) int {
	n.nodes = append(n.nodes, node)
	return len(n.nodes) - 1
}

// known returns the code of a node that is set or observed.
func (n *network) known(k int) (code int, ok bool) {
	switch node := n.nodes[k]; {
	case node.fixed >= 0:
		return node.fixed, true
	case node.seen:
		return node.code, true
	}
	return 0, false
}

func (n *network) levels(k int) int { return len(n.of.levels[n.nodes[k].column]) }

// mostCells bounds the factors of an elimination: 8 MB.
const mostCells = 1 << 20

// factor is a function of some nodes, the last of which changes fastest.
type factor struct {
	nodes  []int
	values []float64
}

// query returns the distribution of a node: exactly by elimination of all others or, where a factor of it would be too large, by sampling.
func (n *network) query(target int) (*dist, error) {
	for _, node := range n.nodes {
		if node.fixed < 0 {
			if _, err := n.of.table(node.column); err != nil {
				return nil, err
			}
		}
	}
	if p := n.eliminate(target); p != nil {
		return &dist{levels: p, by: byElimination}, nil
	}
	p, err := n.sample(target)
	return &dist{levels: p, by: bySampling, err: err}, nil
}

// eliminate sums all nodes but the target out, always the one whose factor is smallest (Zhang and Poole 1994). It returns nil where
// one is larger than mostCells.
func (n *network) eliminate(target int) []float64 {
	var factors []factor
	for k, node := range n.nodes {
		if node.fixed >= 0 {
			continue
		}
		f, ok := n.own(k, target)
		if !ok {
			return nil
		}
		factors = append(factors, f)
	}
	for {
		best, size := -1, math.MaxInt
		for k := range n.nodes {
			if k == target {
				continue
			}
			if scope, touched := n.scope(factors, k); touched {
				if cells := n.cells(scope); cells < size {
					best, size = k, cells
				}
			}
		}
		if best < 0 {
			break
		}
		if size > mostCells {
			return nil
		}
		var rest, joined []factor
		for _, f := range factors {
			if slices.Contains(f.nodes, best) {
				joined = append(joined, f)
			} else {
				rest = append(rest, f)
			}
		}
		scope, _ := n.scope(factors, best)
		factors = append(rest, n.sumOut(n.multiply(scope, joined), best))
	}
	p := n.multiply([]int{target}, factors).values
	total := 0.0
	for _, x := range p {
		total += x
	}
	if !(total > 0) { // evidence that the model rules out
		return nil
	}
	for c := range p {
		p[c] /= total
	}
	return p
}

// own is the factor of a node given its parents, with what is known of any of them put in.
func (n *network) own(k, target int) (factor, bool) {
	node := n.nodes[k]
	t := n.of.tables[node.column]
	var free []int
	for _, p := range append(slices.Clone(node.parents), k) {
		if _, ok := n.known(p); (!ok || p == target) && !slices.Contains(free, p) {
			free = append(free, p)
		}
	}
	slices.Sort(free)
	if n.cells(free) > mostCells {
		return factor{}, false
	}
	f := factor{nodes: free, values: make([]float64, n.cells(free))}
	at := make([]int, len(free))
	codes := make([]int, len(node.parents))
	for i := range f.values {
		code := func(p int) int {
			if j := slices.Index(free, p); j >= 0 {
				return at[j]
			}
			c, _ := n.known(p)
			return c
		}
		for j, p := range node.parents {
			codes[j] = code(p)
		}
		f.values[i] = t.at(codes)[code(k)]
		n.next(free, at)
	}
	return f, true
}

// next counts one cell on, the last node fastest.
func (n *network) next(nodes, at []int) {
	for j := len(at) - 1; j >= 0; j-- {
		if at[j]++; at[j] < n.levels(nodes[j]) {
			return
		}
		at[j] = 0
	}
}

// scope lists the nodes of all factors that have node k, ascending.
func (n *network) scope(factors []factor, k int) (nodes []int, touched bool) {
	for _, f := range factors {
		if slices.Contains(f.nodes, k) {
			nodes, touched = append(nodes, f.nodes...), true
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), touched
}

// cells counts those of a factor, up to just above mostCells.
func (n *network) cells(nodes []int) int {
	size := 1
	for _, k := range nodes {
		if size *= n.levels(k); size > mostCells {
			return mostCells + 1
		}
	}
	return size
}

// multiply returns the product of factors over the given nodes, which are all of theirs.
func (n *network) multiply(nodes []int, factors []factor) factor {
	out := factor{nodes: nodes, values: make([]float64, n.cells(nodes))}
	strides := make([][]int, len(factors)) // of each factor by the nodes of the product
	for i, f := range factors {
		strides[i] = make([]int, len(nodes))
		step := 1
		for j := len(f.nodes) - 1; j >= 0; j-- {
			if at := slices.Index(nodes, f.nodes[j]); at >= 0 {
				strides[i][at] = step
			}
			step *= n.levels(f.nodes[j])
		}
	}
	at := make([]int, len(nodes))
	for c := range out.values {
		x := 1.0
		for i, f := range factors {
			place := 0
			for j, code := range at {
				place += strides[i][j] * code
			}
			x *= f.values[place]
		}
		out.values[c] = x
		n.next(nodes, at)
	}
	return out
}

// sumOut returns f summed over node k.
func (n *network) sumOut(f factor, k int) factor {
	rest := slices.DeleteFunc(slices.Clone(f.nodes), func(v int) bool { return v == k })
	out := factor{nodes: rest, values: make([]float64, n.cells(rest))}
	at := make([]int, len(f.nodes))
	for _, x := range f.values {
		place := 0
		for j, v := range f.nodes {
			if v != k {
				place = place*n.levels(v) + at[j]
			}
		}
		out.values[place] += x
		n.next(f.nodes, at)
	}
	return out
}

// draws is the number of rows of sample.
const draws = 100_000

// sample draws rows from the network, weighing each by the probability of what was observed (Fung and Chang 1990). The error is the
// largest standard error of a probability.
func (n *network) sample(target int) (p []float64, standardError float64) {
	rng := rand.New(rand.NewPCG(n.of.seed, 0x646f2841))
	p = make([]float64, n.levels(target))
	codes := make([]int, len(n.nodes))
	total, squares := 0.0, 0.0
	for range draws {
		weight := 1.0
		for k, node := range n.nodes {
			if node.fixed >= 0 {
				codes[k] = node.fixed
				continue
			}
			given := make([]int, len(node.parents))
			for j, q := range node.parents {
				given[j] = codes[q]
			}
			probs := n.of.tables[node.column].at(given)
			if node.seen && k != target {
				codes[k] = node.code
				weight *= probs[node.code]
				continue
			}
			codes[k] = pick(probs, rng.Float64())
		}
		p[codes[target]] += weight
		total += weight
		squares += weight * weight
	}
	if total > 0 {
		for c := range p {
			p[c] /= total
			standardError = max(standardError, math.Sqrt(p[c]*(1-p[c])*squares)/total)
		}
	}
	return p, standardError
}

// pick returns the level that u, uniform on [0, 1), falls on.
func pick(p []float64, u float64) int {
	for c, x := range p {
		if u -= x; u < 0 {
			return c
		}
	}
	return len(p) - 1
}
