package draw

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polydag/polydag/draw/internal/layout"
	"github.com/polydag/polydag/internal/names"
)

// These are the special values of Settings.Edges.
const (
	AllEdges  = 0
	AutoEdges = -1 // all, or the 60 strongest if there are more than 90 and no threshold
)

// manyNodes is the number of columns above which columns without drawn edges are omitted.
const manyNodes = 50

// strongest keeps the strongest directed edges. Highlighted edges and undirected edges, which have no score
// gain, are always drawn.
func (p *Picture) strongest() {
	most := p.opt.Edges
	arrows := 0
	for _, e := range p.edges {
		if e.Directed() {
			arrows++
		}
	}
	if most == AutoEdges {
		most = layout.Opening(arrows)
		if p.opt.Threshold > 0 {
			most = AllEdges
		}
	}
	if most == AllEdges || most >= arrows {
		return
	}
	var byStrength []int
	for k, e := range p.edges {
		if e.Directed() {
			byStrength = append(byStrength, k)
		}
	}
	slices.SortStableFunc(byStrength, func(a, b int) int {
		return cmp.Compare(p.edges[b].Size(), p.edges[a].Size())
	})
	weak := map[int]bool{}
	for _, k := range byStrength[most:] {
		weak[k] = !p.edges[k].stands
	}
	joined, had := make([]bool, len(p.nodes)), make([]bool, len(p.nodes))
	var kept []edge
	for k, e := range p.edges {
		had[e.ends.From], had[e.ends.To] = true, true
		if !weak[k] {
			kept = append(kept, e)
			joined[e.ends.From], joined[e.ends.To] = true, true
		}
	}
	p.Left = len(p.edges) - len(kept)
	p.edges = kept
	if len(p.nodes) <= manyNodes {
		return
	}
	at := make([]int, len(p.nodes))
	var nodes []node
	for i, n := range p.nodes {
		at[i] = len(nodes)
		if joined[i] || !had[i] || n.marked || n.sensitive {
			nodes = append(nodes, n)
		}
	}
	p.LeftNodes = len(p.nodes) - len(nodes)
	p.nodes = nodes
	for k := range p.edges {
		e := &p.edges[k]
		e.ends.From, e.ends.To = at[e.ends.From], at[e.ends.To]
	}
}

func (p *Picture) leftNote() string {
	s := fmt.Sprintf("%s with the largest score gain, of %d", names.Count(p.Shown, "edge"), p.Shown+p.Hidden+p.Left)
	if p.LeftNodes > 0 {
		s += fmt.Sprintf(" and %d of %d columns", len(p.nodes), len(p.nodes)+p.LeftNodes)
	}
	return s + ": a view of the result, not a new fit"
}
