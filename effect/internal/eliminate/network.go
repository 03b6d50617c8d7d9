package eliminate

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/mechanism"
)

// Network is a discrete Bayesian network. Its nodes represent columns of a model; several may represent the
// same column in different worlds.
type Network struct {
	of       tables
	seed     uint64    // seed of Sample
	Nodes    []netNode // parents before children
	evidence map[int]int
}

// tables provides the levels and the conditional probability tables of columns.
type tables interface {
	Levels(column int) int
	Table(column int) (*mechanism.CPT, error)
}

// netNode is a node. fixed is its intervened code, or -1; seen means that code was observed.
type netNode struct {
	column  int
	parents []int
	fixed   int
	seen    bool
	code    int
}

func (n *Network) add(node netNode) int {
	n.Nodes = append(n.Nodes, node)
	return len(n.Nodes) - 1
}

// known returns the code of a node that is fixed or observed.
func (n *Network) known(k int) (code int, ok bool) {
	switch node := n.Nodes[k]; {
	case node.fixed >= 0:
		return node.fixed, true
	case node.seen:
		return node.code, true
	}
	return 0, false
}

func (n *Network) levels(k int) int { return n.of.Levels(n.Nodes[k].column) }

// mostCells limits the size of a product in an elimination: 8 MB.
const mostCells = 1 << 20

// Query returns the distribution of a node, exactly by elimination, or by sampling if a factor would be too
// large. The standard error is that of sampling.
func (n *Network) Query(target int) (p []float64, exact bool, standardError float64, err error) {
	if err := n.Fit(); err != nil {
		return nil, false, 0, err
	}
	if p := n.eliminate(target); p != nil {
		return p, true, 0, nil
	}
	p, standardError = n.Sample(target)
	return p, false, standardError, nil
}

// Fit computes the tables of all nodes without an intervention.
func (n *Network) Fit() error {
	for _, node := range n.Nodes {
		if node.fixed < 0 {
			if _, err := n.of.Table(node.column); err != nil {
				return err
			}
		}
	}
	return nil
}

// eliminate sums out all nodes except the target. It returns nil if a product would exceed mostCells.
func (n *Network) eliminate(target int) []float64 {
	plan := NewPlan(n, target)
	if plan == nil {
		return nil
	}
	return plan.Answer(n)
}

// Answer returns the distribution of the last node of a plan, or nil if the evidence has probability 0.
func (p *plan) Answer(n *Network) []float64 {
	c := memory.Get().(*cells)
	defer memory.Put(c)
	out := p.rise(c, n)
	total := 0.0
	for _, x := range out {
		total += x
	}
	if !(total > 0) {
		return nil
	}
	for c := range out {
		out[c] /= total
	}
	return out
}

// Draws is the number of samples of Sample.
const Draws = 100_000

// Sample draws samples from the network by likelihood weighting (Fung and Chang 1990). It returns the largest
// standard error of a probability.
func (n *Network) Sample(target int) (p []float64, standardError float64) {
	rng := rand.New(rand.NewPCG(n.seed, 0x646f2841))
	p = make([]float64, n.levels(target))
	codes := make([]int, len(n.Nodes))
	total, squares := 0.0, 0.0
	for range Draws {
		weight := 1.0
		for k, node := range n.Nodes {
			if node.fixed >= 0 {
				codes[k] = node.fixed
				continue
			}
			t, _ := n.of.Table(node.column) // Fit has checked its error
			key := int64(0)
			for j, q := range node.parents {
				key += t.Stride[j] * int64(codes[q])
			}
			probs := t.Row(key)
			if node.seen && k != target {
				codes[k] = node.code
				weight *= probs[node.code]
				continue
			}
			codes[k] = mechanism.Pick(probs, rng.Float64())
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
