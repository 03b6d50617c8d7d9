package score_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
)

// plainSearch is a search over orders, kept as simple as it can be, to judge scores by: each variable in turn is put where
// the total is least, until nothing moves; parents are grown and shrunk among the predecessors.
type plainSearch struct {
	e      evaluator
	d      int
	roots  []*parentSet
	sets   map[string]*parentSet
	dst    []float64
	before []bool // scratch: the predecessors
}

// parentSet is a set of parents that was evaluated.
type parentSet struct {
	v        int
	parents  []int
	score    float64
	grown    bool
	x        []int        // the columns that improve the score, best first
	with     []*parentSet // the set with each
	gains    []float64
	less     *parentSet // the best set with one parent less, if it is better
	shrunken bool
}

func newPlainSearch(e evaluator, d int) *plainSearch {
	s := &plainSearch{e: e, d: d, sets: map[string]*parentSet{}, dst: make([]float64, d), before: make([]bool, d)}
	for v := range d {
		s.roots = append(s.roots, s.set(v, nil, e.Score(v, nil)))
	}
	return s
}

// set returns the node of a set whose score is known.
func (s *plainSearch) set(v int, parents []int, score float64) *parentSet {
	key := binary.AppendUvarint(nil, uint64(v))
	for _, p := range parents {
		key = binary.AppendUvarint(key, uint64(p))
	}
	n := s.sets[string(key)]
	if n == nil {
		if math.IsNaN(score) {
			score = s.e.Score(v, parents)
		}
		n = &parentSet{v: v, parents: parents, score: score}
		s.sets[string(key)] = n
	}
	return n
}

// grow lists what improves a set.
func (s *plainSearch) grow(n *parentSet) {
	n.grown = true
	s.e.Additions(s.dst, n.v, n.parents)
	for x := range s.d {
		if x != n.v && !slices.Contains(n.parents, x) && s.dst[x] < n.score-1e-9 {
			n.x = append(n.x, x)
		}
	}
	slices.SortFunc(n.x, func(a, b int) int {
		if s.dst[a] != s.dst[b] {
			return int(math.Copysign(1, s.dst[a]-s.dst[b]))
		}
		return a - b
	})
	n.with = make([]*parentSet, len(n.x))
	for _, x := range n.x {
		n.gains = append(n.gains, s.dst[x])
	}
}

// shrink finds the best set with one parent less.
func (s *plainSearch) shrink(n *parentSet) {
	n.shrunken = true
	best := n.score - 1e-9
	for i := range n.parents {
		m := s.set(n.v, slices.Delete(slices.Clone(n.parents), i, i+1), math.NaN())
		if m.score < best {
			best, n.less = m.score, m
		}
	}
}

// choose grows and shrinks the parents of v among s.before.
func (s *plainSearch) choose(v int) *parentSet {
	n := s.roots[v]
grow:
	for {
		if !n.grown {
			s.grow(n)
		}
		for i, x := range n.x {
			if !s.before[x] {
				continue
			}
			if n.with[i] == nil {
				parents := append(slices.Clone(n.parents), x)
				slices.Sort(parents)
				n.with[i] = s.set(v, parents, n.gains[i])
			}
			n = n.with[i]
			continue grow
		}
		break
	}
	for {
		if !n.shrunken {
			s.shrink(n)
		}
		if n.less == nil {
			return n
		}
		n = n.less
	}
}

// graph returns the parents along an order and their total.
func (s *plainSearch) graph(order []int) (*graph.Graph, float64) {
	clear(s.before)
	parents, sum := make([][]int, s.d), 0.0
	for _, v := range order {
		n := s.choose(v)
		parents[v] = n.parents
		sum += n.score
		s.before[v] = true
	}
	return graph.FromParents(parents), sum
}

// insert puts v where the total is least and reports whether it moved.
func (s *plainSearch) insert(order []int, v int) bool {
	at := slices.Index(order, v)
	rest := slices.Delete(slices.Clone(order), at, at+1)
	without, with, own := make([]float64, s.d), make([]float64, s.d), make([]float64, s.d)
	clear(s.before)
	for i := range s.d {
		s.before[v] = false
		own[i] = s.choose(v).score
		if i == len(rest) {
			break
		}
		without[i] = s.choose(rest[i]).score
		s.before[v] = true
		with[i] = s.choose(rest[i]).score
		s.before[rest[i]] = true
	}
	cost := 0.0
	for _, w := range with {
		cost += w
	}
	best, bestAt, now := math.Inf(1), at, 0.0
	for i := range s.d {
		if cost+own[i] < best-1e-9 {
			best, bestAt = cost+own[i], i
		}
		if i == at {
			now = cost + own[i]
		}
		cost += without[i] - with[i]
	}
	if best >= now-1e-7 {
		return false
	}
	copy(order, slices.Insert(rest, bestAt, v))
	return true
}

// descend inserts every variable in turn until none moves.
func (s *plainSearch) descend(rng *rand.Rand, order []int) {
	for still := 0; still < s.d; {
		for _, v := range rng.Perm(s.d) {
			if s.insert(order, v) {
				still = 0
			} else if still++; still >= s.d {
				return
			}
		}
	}
}

// search descends from a random order and then rounds times from the best order with a few variables moved.
func (s *plainSearch) search(rounds int, seed uint64) (*graph.Graph, float64) {
	rng := rand.New(rand.NewPCG(seed, 77))
	best := rng.Perm(s.d)
	s.descend(rng, best)
	g, least := s.graph(best)
	for range rounds {
		order := slices.Clone(best)
		for range 2 + s.d/10 {
			v, at := order[rng.IntN(s.d)], rng.IntN(s.d)
			order = slices.DeleteFunc(order, func(u int) bool { return u == v })
			order = slices.Insert(order, at, v)
		}
		s.descend(rng, order)
		if h, sum := s.graph(order); sum <= least+1e-9 {
			best, g, least = order, h, sum
		}
	}
	return g, least
}
