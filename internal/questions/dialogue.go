// Package questions finds the questions about variables whose answers would settle most directions of a learned graph, and turns
// the answers into prior knowledge.
package questions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/trust"
)

// An Edge joins two columns of a learned graph.
type Edge struct {
	graph.Edge
	Adjacent  float64 // probability that the two are adjacent
	Direction float64 // probability of From → To if they are
}

// value is the expected uncertainty about the direction in bits: the entropy of the direction if the edge exists.
func (e Edge) value() float64 { return e.Adjacent * entropy(e.Direction) }

func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// A Dialogue has a learned graph and the answers so far.
type Dialogue struct {
	names  []string
	edges  []Edge
	before order  // closed under transitivity
	asked  []bool // pairs that were asked about, answered or not: entry i·d + j
	roots  []bool
	noRoot []bool          // columns for which the root question was answered with no
	likely []string        // why the name of a column is that of a root, or ""
	stated map[[2]int]bool // pairs with a prior probability, the smaller column first
}

// New returns a dialogue about a learned graph. known may be nil; a pair with one forbidden direction counts as answered.
func New(names []string, edges []Edge, known *knowledge.Knowledge) (*Dialogue, error) {
	d := len(names)
	q := &Dialogue{names: names, edges: slices.Clone(edges), before: newOrder(d), asked: make([]bool, d*d), roots: make([]bool, d), noRoot: make([]bool, d),
		likely: likelyRoots(role.Columns(names, nil)), stated: map[[2]int]bool{}}
	for k := range q.edges {
		if e := q.edges[k]; !(e.Adjacent >= 0 && e.Adjacent <= 1 && e.Direction >= 0 && e.Direction <= 1) {
			return nil, fmt.Errorf("questions: edge %s - %s has a probability outside of 0 to 1", names[e.From], names[e.To])
		}
	}
	q.sort()
	if known == nil {
		return q, nil
	}
	for _, b := range known.Beliefs() {
		q.stated[[2]int{min(b.From, b.To), max(b.From, b.To)}] = true
	}
	for _, e := range q.edges {
		there, back := known.Forbidden(e.From, e.To), known.Forbidden(e.To, e.From)
		switch {
		case back && !there:
			q.before.add(e.From, e.To)
		case there && !back:
			q.before.add(e.To, e.From)
		}
	}
	return q, nil
}

// Update replaces the graph by one that was learned with the answers so far, over the same columns.
func (q *Dialogue) Update(edges []Edge) {
	q.edges = slices.Clone(edges)
	q.sort()
}

// sort puts the edges into an order that does not depend on the order of the columns.
func (q *Dialogue) sort() {
	slices.SortFunc(q.edges, func(a, b Edge) int {
		return slices.Compare([]string{q.names[a.From], q.names[a.To]}, []string{q.names[b.From], q.names[b.To]})
	})
}

// ErrContradiction is matched by an answer that contradicts earlier ones.
var ErrContradiction = errors.New("the answer contradicts an earlier one")

// A Placement says where a column stands relative to the column that a question is about.
type Placement int

// The placements.
const (
	Unknown Placement = iota
	Before
	After
)

// An Answer to a question: Yes for AskRoot, and a placement of each of the others for AskOrder.
type Answer struct {
	Yes    bool
	Places []Placement
}

// Answer records an answer. One that contradicts earlier answers changes nothing and returns an error that matches
// ErrContradiction.
func (q *Dialogue) Answer(c Question, a Answer) error {
	if c.Form == AskRoot {
		return q.root(c, a)
	}
	if len(a.Places) != len(c.others) {
		return fmt.Errorf("questions: %d placements for %d columns", len(a.Places), len(c.others))
	}
	next := q.before.clone()
	for i, v := range c.others {
		first, second := v, c.about
		switch a.Places[i] {
		case Unknown:
			continue
		case After:
			first, second = second, first
		}
		if next.has(second, first) {
			return fmt.Errorf("%w: %s comes before %s", ErrContradiction, q.names[second], q.names[first])
		}
		next.add(first, second)
	}
	q.before = next
	q.skip(c.about, c.others)
	return nil
}

// root records whether nothing in the table drives a column. After a no, the order of the column and its neighbours is still open.
func (q *Dialogue) root(c Question, a Answer) error {
	if !a.Yes {
		q.noRoot[c.about] = true
		return nil
	}
	next := q.before.clone()
	for v := range q.names {
		if q.roots[v] {
			continue
		}
		if next.has(v, c.about) {
			return fmt.Errorf("%w: %s comes before %s", ErrContradiction, q.names[v], q.names[c.about])
		}
		next.add(c.about, v)
	}
	q.before, q.roots[c.about] = next, true
	return nil
}

// skip marks pairs of columns as asked, so that they are not asked about again.
func (q *Dialogue) skip(about int, columns []int) {
	for _, v := range columns {
		q.asked[about*len(q.names)+v], q.asked[v*len(q.names)+about] = true, true
	}
}

// Settled returns the number of edges whose direction follows from the answers: directly, by transitivity, or by Meek's rules.
func (q *Dialogue) Settled() int {
	n := 0
	for _, settled := range q.settled(q.before) {
		if settled {
			n++
		}
	}
	return n
}

// Known reports whether the answers say which of two columns comes first.
func (q *Dialogue) Known(a, b string) bool {
	i, j := slices.Index(q.names, a), slices.Index(q.names, b)
	return q.before.has(i, j) || q.before.has(j, i)
}

// Edges returns the number of edges.
func (q *Dialogue) Edges() int { return len(q.edges) }

// Undecided lists the pairs of columns whose direction is not stated and about which prior knowledge and answers say nothing, the most
// uncertain first. A direction is stated as in a verdict: its probability, with that of the edge unless the edge is weak, is at least
// trust.StatedLevel.
func (q *Dialogue) Undecided() (pairs [][2]string) {
	settled := q.settled(q.before)
	var list []Edge
	for k, e := range q.edges {
		p := max(e.Direction, 1-e.Direction)
		if e.Adjacent >= trust.StatedLevel {
			p *= e.Adjacent
		}
		if !settled[k] && !q.stated[[2]int{min(e.From, e.To), max(e.From, e.To)}] && p < trust.StatedLevel {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Edge) int { return cmp.Compare(b.value(), a.value()) })
	for _, e := range list {
		pairs = append(pairs, [2]string{q.names[e.From], q.names[e.To]})
	}
	return pairs
}

// Spec returns the answers as prior knowledge: forbidden edges.
func (q *Dialogue) Spec() knowledge.Spec {
	var s knowledge.Spec
	for v, name := range q.names {
		if q.roots[v] {
			s.Forbid = append(s.Forbid, knowledge.Root(name))
		}
	}
	for a := range q.names {
		for b := range q.names {
			if q.before.has(a, b) && !q.roots[a] {
				s.Forbid = append(s.Forbid, knowledge.EdgeBetween(q.names[b], q.names[a]))
			}
		}
	}
	return s
}

// negligible is the uncertainty in bits below which a direction is not asked about.
const negligible = 0.01

// open lists the columns that an edge joins to v and whose order relative to v is not known, by name.
func (q *Dialogue) open(v int, settled []bool) []int {
	var out []int
	for k, e := range q.edges {
		u := e.From + e.To - v
		if (e.From != v && e.To != v) || settled[k] || e.value() < negligible || q.asked[v*len(q.names)+u] {
			continue
		}
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b int) int { return strings.Compare(q.names[a], q.names[b]) })
	return out
}
