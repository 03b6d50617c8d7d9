// Package bif reads discrete Bayesian networks in the Bayesian interchange format, BIF, in which the networks of the
// bnlearn repository are published, and draws tables from them.
//
//	net, err := bif.Read(file)
//	columns := net.Sample(rng, 1000)
package bif

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Network is a Bayesian network of discrete variables.
type Network struct {
	Name      string
	Variables []Variable
	order     []int // parents before children
}

// Variable is one node with its conditional distribution.
type Variable struct {
	Name   string
	Levels []string
	// Parents are indices into Network.Variables, in the order in which the file names them.
	Parents []int
	// Table holds the probability of level k under configuration j of the parents at j·len(Levels) + k. In j the
	// last parent changes fastest.
	Table []float64
	Line  int // line of its probability block, or 0
}

// Index returns the variable with a name, or -1.
func (n *Network) Index(name string) int {
	return slices.IndexFunc(n.Variables, func(v Variable) bool { return v.Name == name })
}

// Names returns the names of the variables.
func (n *Network) Names() []string {
	names := make([]string, len(n.Variables))
	for i, v := range n.Variables {
		names[i] = v.Name
	}
	return names
}

// Parents returns the parents of every variable, ascending.
func (n *Network) Parents() [][]int {
	out := make([][]int, len(n.Variables))
	for i, v := range n.Variables {
		out[i] = slices.Clone(v.Parents)
		slices.Sort(out[i])
	}
	return out
}

// Sample draws rows of the network, each variable after its parents: one column of levels a variable. Rows are drawn one
// after the other, so a longer table begins with a shorter one of the same seed. O(rows·(variables + edges + levels)).
func (n *Network) Sample(rng *rand.Rand, rows int) [][]int32 {
	columns := make([][]int32, len(n.Variables))
	for i := range columns {
		columns[i] = make([]int32, rows)
	}
	for row := range rows {
		for _, i := range n.order {
			v := &n.Variables[i]
			j := 0
			for _, p := range v.Parents {
				j = j*len(n.Variables[p].Levels) + int(columns[p][row])
			}
			columns[i][row] = int32(draw(v.Table[j*len(v.Levels):(j+1)*len(v.Levels)], rng.Float64()))
		}
	}
	return columns
}

// draw returns the level in whose share of [0, 1) u lies. A level of probability zero is never drawn, also where
// rounding leaves the sum below one.
func draw(p []float64, u float64) int {
	last := 0
	for k, x := range p {
		if x == 0 {
			continue
		}
		last = k
		if u < x {
			return k
		}
		u -= x
	}
	return last
}

// sortVariables finds an order with parents before children, or names the variables in a cycle or after one.
func (n *Network) sortVariables() error {
	left := make([]int, len(n.Variables))
	children := make([][]int, len(n.Variables))
	for i, v := range n.Variables {
		left[i] = len(v.Parents)
		for _, p := range v.Parents {
			children[p] = append(children[p], i)
		}
	}
	for i := range left {
		if left[i] == 0 {
			n.order = append(n.order, i)
		}
	}
	for k := 0; k < len(n.order); k++ {
		for _, c := range children[n.order[k]] {
			if left[c]--; left[c] == 0 {
				n.order = append(n.order, c)
			}
		}
	}
	if len(n.order) == len(n.Variables) {
		return nil
	}
	var stuck []string
	for i, k := range left {
		if k > 0 {
			stuck = append(stuck, n.Variables[i].Name)
		}
	}
	return fmt.Errorf("bif: the parents go in a circle among %s; a network must be acyclic", strings.Join(stuck, ", "))
}
