package mmhc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/splitmix"
	"github.com/polydag/polydag/search"
)

// A climber is hill climbing over graphs with a tabu list. Each step adds, deletes or reverses the edge that
// improves the score most or worsens it least, and avoids the last visited graphs. It ends after some steps
// without a new best graph, and returns the best one.
type climber struct {
	eval    search.Evaluator
	near    [][]int // candidate neighbors of each column, ascending
	allowed func(from, to int) bool
	must    map[graph.Edge]bool
	g       *graph.Graph
	score   []float64         // score of each column with its parents
	change  []map[int]float64 // by column: change of its score when a possible parent is added or deleted
	tabu    []uint64          // hashes of the last graphs
	sum     uint64            // hash of the present graph
}

const (
	// tabuGraphs and patience are those of Tsamardinos, Brown and Aliferis (2006): the length of the tabu list,
	// and the number of steps without a better graph after which the search ends.
	tabuGraphs = 100
	patience   = 15
)

func newClimber(eval search.Evaluator, near [][]int, allowed func(from, to int) bool, required []graph.Edge) *climber {
	d := len(near)
	c := &climber{eval: eval, near: near, allowed: allowed, must: map[graph.Edge]bool{}, g: graph.New(d), score: make([]float64, d), change: make([]map[int]float64, d)}
	for _, e := range required {
		c.must[e] = true
		c.g.AddEdge(e.From, e.To)
		c.sum ^= mark(e)
	}
	for v := range d {
		c.renew(v)
	}
	return c
}

// renew computes the score changes for the parents of y.
func (c *climber) renew(y int) {
	parents := c.g.Parents(y)
	c.score[y] = c.eval.Score(y, parents)
	c.change[y] = map[int]float64{}
	for _, x := range c.near[y] {
		if at, is := slices.BinarySearch(parents, x); is {
			c.change[y][x] = c.eval.Score(y, slices.Delete(slices.Clone(parents), at, at+1)) - c.score[y]
		} else if c.allowed(x, y) {
			c.change[y][x] = c.eval.Score(y, slices.Insert(slices.Clone(parents), at, x)) - c.score[y]
		}
	}
}

// A step adds From → To, or deletes it if it exists; turned replaces it by To → From.
type step struct {
	graph.Edge
	turned bool
	change float64
}

// climb returns the best graph, and false if the context ended first.
func (c *climber) climb(ctx context.Context, tell func(score float64, edges int)) (*graph.Graph, bool) {
	best, least, worse := c.g.Clone(), c.total(), 0
	tell(least, best.NumEdges())
	for worse < patience {
		if ctx.Err() != nil {
			return best, false
		}
		s, ok := c.best()
		if !ok {
			break
		}
		if c.tabu = append(c.tabu, c.sum); len(c.tabu) > tabuGraphs {
			c.tabu = c.tabu[1:]
		}
		c.take(s)
		if now := c.total(); now < least-1e-9*(1+math.Abs(least)) {
			best, least, worse = c.g.Clone(), now, 0
			tell(least, best.NumEdges())
		} else {
			worse++
		}
	}
	return best, true
}

func (c *climber) total() (sum float64) {
	for _, s := range c.score {
		sum += s
	}
	return sum
}

// best returns the best step that closes no cycle and is not tabu. It tests the steps one after the other, the
// best first, because the first is nearly always valid.
func (c *climber) best() (step, bool) {
	var steps []step
	for y := range c.near {
		for _, x := range c.near[y] {
			e := graph.Edge{From: x, To: y}
			change, ok := c.change[y][x]
			there := c.g.HasEdge(x, y)
			if !ok || c.must[e] || !there && c.g.HasEdge(y, x) || change-change != 0 {
				continue
			}
			steps = append(steps, step{Edge: e, change: change})
			if turned, ok := c.change[x][y]; there && ok && turned-turned == 0 {
				steps = append(steps, step{Edge: e, turned: true, change: change + turned})
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.change, b.change) })
	for _, s := range steps {
		if !slices.Contains(c.tabu, c.after(s)) && !c.cycle(s) {
			return s, true
		}
	}
	return step{}, false
}

// after returns the hash of the graph after a step.
func (c *climber) after(s step) uint64 {
	sum := c.sum ^ mark(s.Edge)
	if s.turned {
		sum ^= mark(graph.Edge{From: s.To, To: s.From})
	}
	return sum
}

// mark returns the hash of an edge; the hash of a graph is the exclusive or over its edges.
func mark(e graph.Edge) uint64 { return splitmix.Mix(uint64(e.From)<<32 + uint64(e.To)) }

// cycle reports whether a step closes a cycle.
func (c *climber) cycle(s step) bool {
	switch {
	case s.turned:
		return slices.ContainsFunc(c.g.Children(s.From), func(v int) bool { return v != s.To && c.g.HasPath(v, s.To) })
	case c.g.HasEdge(s.From, s.To):
		return false
	}
	return c.g.HasPath(s.To, s.From)
}

func (c *climber) take(s step) {
	c.sum = c.after(s)
	if !c.g.RemoveEdge(s.From, s.To) {
		c.g.AddEdge(s.From, s.To)
	}
	c.renew(s.To)
	if s.turned {
		c.g.AddEdge(s.To, s.From)
		c.renew(s.From)
	}
}
