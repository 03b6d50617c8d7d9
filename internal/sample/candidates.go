package sample

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/search"
)

// These define the growth of candidate sets: the number of rounds, the sweeps per round, and the smallest
// frequency of an additional parent.
const (
	growRounds = 5
	growSweeps = 150
	growShare  = 0.02
)

// space is the restricted space of graphs: the nodes with their candidates, and an order of the initial graph.
type space struct {
	p     Problem
	r     *rules
	seed  uint64
	most  int // candidates of a variable
	nodes []*node
	order []int
	full  int // variables with more candidates than fit
}

// newSpace makes the neighbors in an initial graph candidates. A short chain then adds further parents that
// occur often, as in Kuipers, Suter and Moffa (2022). It returns the error of a cancelled context.
func newSpace(ctx context.Context, p Problem, s Settings) (*space, error) {
	d := p.Score.Variables()
	r := newRules(p.Knowledge, d)
	start := p.Start
	if start == nil {
		how := search.DefaultSettings()
		how.Seed, how.Threads, how.Exact = s.Seed, s.Threads, 0
		found, err := search.Search(ctx, search.Problem{Score: p.Score, Knowledge: p.Knowledge}, how, nil)
		if err != nil {
			return nil, err
		}
		start = found.Parents
	}
	sp := &space{p: p, r: r, seed: s.Seed, most: s.candidates(d), nodes: make([]*node, d), order: topological(d, start, r.required)}
	sets := make([][]int, d)
	for v := range d {
		sets[v] = sp.trim(v, slices.Concat(r.required[v], start[v], sp.childrenByGain(start, v)))
	}
	changed := make([]int, d)
	for v := range changed {
		changed[v] = v
	}
	for round := 0; ; round++ {
		parallel.For(len(changed), s.Threads, func(i int) {
			if ctx.Err() == nil {
				sp.nodes[changed[i]] = newNode(ctx, p.Score, r, changed[i], sets[changed[i]])
			}
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if round == growRounds {
			break
		}
		if changed = sp.grow(ctx, sets, s.Seed, round); len(changed) == 0 {
			break
		}
	}
	return sp, ctx.Err()
}

// candidates returns the number that fits into the memory: a node needs two numbers for each subset and each
// variable.
func (s Settings) candidates(d int) int {
	fit := int(math.Log2(max(16, float64(s.Bytes)/16/float64(d)/float64(d))))
	return min(s.Candidates, fit, max(1, d-1))
}

// childrenByGain returns the children of v in the order of their marginal gain for v.
func (sp *space) childrenByGain(parents [][]int, v int) (set []int) {
	for y, of := range parents {
		if slices.Contains(of, v) {
			set = append(set, y)
		}
	}
	eval := sp.p.Score.Evaluator()
	gain := make(map[int]float64, len(set))
	for _, x := range set {
		gain[x] = eval.Score(v, []int{x})
	}
	slices.SortFunc(set, func(a, b int) int { return cmp.Or(cmp.Compare(gain[a], gain[b]), cmp.Compare(a, b)) })
	return set
}

// trim returns the first allowed wishes that fit, sorted; required ones always fit.
func (sp *space) trim(v int, wish []int) []int {
	var out []int
	for _, x := range wish {
		if !sp.r.may(x, v) || slices.Contains(out, x) {
			continue
		}
		if len(out) >= max(sp.most, len(sp.r.required[v])) {
			sp.full++
			break
		}
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}

// grow runs a chain and adds candidates. It returns the variables with new candidates.
func (sp *space) grow(ctx context.Context, sets [][]int, seed uint64, round int) (changed []int) {
	d := len(sp.nodes)
	c := newChain(sp.nodes, sp.order, rand.NewPCG(seed, 1<<40+uint64(round)))
	often := make([]int, d*d)
	for i := range growSweeps {
		if ctx.Err() != nil {
			return nil
		}
		c.sweep()
		if i < growSweeps/3 {
			continue
		}
		for v, s := range c.sets {
			if s.other >= 0 {
				often[v*d+sp.nodes[v].others[s.other]]++
			}
		}
	}
	least := int(growShare * growSweeps * 2 / 3)
	for v := range d {
		row := often[v*d : (v+1)*d]
		var more []int
		for x, times := range row {
			if times >= least {
				more = append(more, x)
			}
		}
		slices.SortStableFunc(more, func(a, b int) int { return row[b] - row[a] })
		if grown := sp.trim(v, append(slices.Clone(sets[v]), more...)); len(grown) > len(sets[v]) {
			sets[v] = grown
			changed = append(changed, v)
		}
	}
	return changed
}
