package noise

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
)

// A climber improves a DAG by the best single change until none is left. A change removes, adds or reverses an
// edge, with or without the parents that both ends then need. It starts near the optimum, at the result of a
// Gaussian search, and only corrects directions that Gaussian noise leaves open or gets wrong.
//
// A change costs the scores of two columns, which are cached. New edges are tried only if least squares alone
// gives nearly enough gain.
type climber struct {
	fit     *score.NoiseFit
	lines   *score.GaussianFit         // the same score under Gaussian noise
	known   *knowledge.Knowledge       // nil for none
	must    map[graph.Edge]bool        // required edges
	prior   func(from, to int) float64 // prior cost of an edge; nil for none
	parents [][]int                    // sorted
	cache   map[string]float64
	nearly  [][]int // by column: parents with nearly enough gain; nil if not computed
	key     []byte
	with    []float64 // scores with a further parent, or without each parent
}

// nearlyPays is the share of the penalty per edge that least squares must gain for an edge to be tried.
const nearlyPays = 0.5

// leastGain is the smallest improvement that is not a rounding error.
const leastGain = 1e-6

// Climb improves g under a score with a noise distribution and calls tell after each change. It returns false
// if the context ended first.
func Climb(ctx context.Context, fit *score.NoiseFit, g *graph.Graph, known *knowledge.Knowledge, tell func(score float64, edges int)) (*graph.Graph, bool) {
	c := newClimber(fit, g, known)
	if !c.climb(ctx, tell) {
		return nil, false
	}
	return graph.FromParents(c.parents), true
}

func newClimber(fit *score.NoiseFit, g *graph.Graph, known *knowledge.Knowledge) *climber {
	c := &climber{fit: fit, lines: fit.Gaussian().Fit(), known: known, with: make([]float64, g.N()), parents: make([][]int, g.N()), cache: map[string]float64{}, nearly: make([][]int, g.N())}
	for v := range c.parents {
		c.parents[v] = slices.Clone(g.Parents(v))
	}
	if known != nil {
		c.prior = known.Cost()
		c.must = map[graph.Edge]bool{}
		for _, e := range known.Required() {
			c.must[graph.Edge{From: e.From, To: e.To}] = true
		}
	}
	return c
}

// A change gives one or two columns new parents.
type change struct {
	x, y   int
	px, py []int
	gain   float64
}

// climb returns true at a graph that no change improves, and false if the context ended.
func (c *climber) climb(ctx context.Context, tell func(score float64, edges int)) bool {
	for {
		best := change{gain: leastGain}
		for y := range c.parents {
			if ctx.Err() != nil {
				return false
			}
			c.changes(y, &best)
		}
		if best.gain <= leastGain {
			return true
		}
		c.parents[best.x], c.parents[best.y] = best.px, best.py
		c.nearly[best.x], c.nearly[best.y] = nil, nil
		tell(c.total())
	}
}

// total returns the score and the number of edges.
func (c *climber) total() (sum float64, edges int) {
	for v, p := range c.parents {
		sum += c.score(v, p)
		edges += len(p)
	}
	return sum, edges
}

// changes tries the changes of the present and the possible edges into y.
func (c *climber) changes(y int, best *change) {
	for _, x := range c.parents[y] {
		if c.required(x, y) {
			continue
		}
		rest := intset.Without(c.parents[y], x)
		c.try(change{x: x, y: y, px: c.parents[x], py: rest}, best)
		if !c.allowed(y, x) {
			continue
		}
		c.try(change{x: x, y: y, px: intset.With(c.parents[x], y), py: rest}, best)
		// With the parents of both, the reversed graph can represent the same distributions. Least squares
		// selects those that are needed.
		px, py := c.needed(x, intset.Union(intset.With(c.parents[x], y), rest), y), c.needed(y, intset.Union(rest, c.parents[x]), x)
		c.try(change{x: x, y: y, px: px, py: py}, best)
	}
	if c.nearly[y] == nil {
		c.nearly[y] = []int{}
		now := c.lines.Score(y, c.parents[y])
		c.lines.Additions(c.with, y, c.parents[y])
		for x := range c.parents {
			if x == y || slices.Contains(c.parents[y], x) || !c.allowed(x, y) {
				continue
			}
			if c.with[x]+c.cost(x, y)-now < (1-nearlyPays)*c.fit.Price() {
				c.nearly[y] = append(c.nearly[y], x)
			}
		}
	}
	for _, x := range c.nearly[y] {
		if !slices.Contains(c.parents[x], y) {
			c.try(change{x: y, y: y, px: intset.With(c.parents[y], x), py: intset.With(c.parents[y], x)}, best)
		}
	}
}

// try keeps a change that is better than the best so far and closes no cycle.
func (c *climber) try(ch change, best *change) {
	ch.gain = c.score(ch.y, c.parents[ch.y]) - c.score(ch.y, ch.py)
	if ch.x != ch.y {
		ch.gain += c.score(ch.x, c.parents[ch.x]) - c.score(ch.x, ch.px)
	}
	if !(ch.gain > best.gain) {
		return
	}
	oldX, oldY := c.parents[ch.x], c.parents[ch.y]
	c.parents[ch.x], c.parents[ch.y] = ch.px, ch.py
	if !c.cyclic(ch.x) && !c.cyclic(ch.y) {
		*best = ch
	}
	c.parents[ch.x], c.parents[ch.y] = oldX, oldY
}

// cyclic reports whether v is its own ancestor.
func (c *climber) cyclic(v int) bool {
	seen := make([]bool, len(c.parents))
	todo := slices.Clone(c.parents[v])
	for len(todo) > 0 {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if u == v {
			return true
		}
		if !seen[u] {
			seen[u] = true
			todo = append(todo, c.parents[u]...)
		}
	}
	return false
}

// needed removes parents of v, except keep and the required ones, that do not pay under least squares, one
// after the other.
func (c *climber) needed(v int, parents []int, keep int) []int {
	parents = slices.DeleteFunc(parents, func(p int) bool { return p == v || p != keep && !c.allowed(p, v) })
	now := c.lines.Score(v, parents)
	for {
		worst, left, without := -1, now, c.with[:len(parents)]
		c.lines.RoundedRemovals(without, v, parents)
		for i, p := range parents {
			if p == keep || c.required(p, v) {
				continue
			}
			if s := without[i] - c.cost(p, v); s < left {
				worst, left = p, s
			}
		}
		if worst < 0 {
			return parents
		}
		parents = intset.Without(parents, worst)
		now = c.lines.Score(v, parents)
	}
}

// cost returns the prior cost of an edge.
func (c *climber) cost(from, to int) float64 {
	if c.prior == nil {
		return 0
	}
	return c.prior(from, to)
}

func (c *climber) allowed(from, to int) bool { return c.known == nil || !c.known.Forbidden(from, to) }

func (c *climber) required(from, to int) bool { return c.must[graph.Edge{From: from, To: to}] }

// score returns the cached score of fit with the prior.
func (c *climber) score(v int, parents []int) float64 {
	c.key = binary.AppendUvarint(c.key[:0], uint64(v))
	for _, p := range parents {
		c.key = binary.AppendUvarint(c.key, uint64(p))
	}
	if s, ok := c.cache[string(c.key)]; ok {
		return s
	}
	if len(c.cache) >= Remembered(len(c.parents)) {
		clear(c.cache)
	}
	s := c.fit.Score(v, parents)
	for _, p := range parents {
		s += c.cost(p, v)
	}
	c.cache[string(c.key)] = s
	return s
}

// Remembered returns the largest number of scores that Climb caches, about 100 bytes each.
func Remembered(columns int) int { return min(1<<16, columns<<10) }
