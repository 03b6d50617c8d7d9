package effect

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/mechanism"
)

// network is a discrete Bayesian network whose nodes stand for columns of a model, some of them for the same one in several worlds.
type network struct {
	of       tables
	seed     uint64    // of sample
	nodes    []netNode // parents before children
	evidence map[int]int
}

// tables has the levels and the conditional probability tables of columns.
type tables interface {
	Levels(column int) int
	Table(column int) (*mechanism.CPT, error)
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

func (n *network) levels(k int) int { return n.of.Levels(n.nodes[k].column) }

// mostCells bounds the products of an elimination: 8 MB.
const mostCells = 1 << 20

// query returns the distribution of a node: exactly, by elimination of all others, or by sampling where a factor would be too large. The
// standard error is that of sampling.
func (n *network) query(target int) (p []float64, exact bool, standardError float64, err error) {
	if err := n.fit(); err != nil {
		return nil, false, 0, err
	}
	if p := n.eliminate(target); p != nil {
		return p, true, 0, nil
	}
	p, standardError = n.sample(target)
	return p, false, standardError, nil
}

// fit makes the tables of all nodes that are not set.
func (n *network) fit() error {
	for _, node := range n.nodes {
		if node.fixed < 0 {
			if _, err := n.of.Table(node.column); err != nil {
				return err
			}
		}
	}
	return nil
}

// eliminate sums all nodes but the target out. It returns nil where a product would be larger than mostCells.
func (n *network) eliminate(target int) []float64 {
	plan := newPlan(n, target)
	if plan == nil {
		return nil
	}
	return plan.answer(n)
}

// answer is the distribution of the last node of a plan, nil where what was observed is ruled out by the model.
func (p *plan) answer(n *network) []float64 {
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

// draws is the number of rows of sample.
const draws = 100_000

// sample draws rows from the network, weighing each by the probability of what was observed (Fung and Chang 1990). The error is the
// largest standard error of a probability.
func (n *network) sample(target int) (p []float64, standardError float64) {
	rng := rand.New(rand.NewPCG(n.seed, 0x646f2841))
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
			t, _ := n.of.Table(node.column) // fit has seen its error
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
