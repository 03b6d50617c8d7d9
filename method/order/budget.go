package order

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// ErrBudget is returned if prior knowledge requires more edges than max-edges allows.
var ErrBudget = fault.Kind("edge-budget", "more edges are required than max-edges allows; allow more, or require fewer")

// affordable returns an error if prior knowledge requires more edges than the budget allows.
func (m *Method) affordable(in *method.Input) error {
	n := len(in.Required())
	if m.MaxEdges == 0 || n <= m.MaxEdges {
		return nil
	}
	return fault.New(ErrBudget, fmt.Sprintf("%d edges are required, and at most %d are allowed", n, m.MaxEdges),
		"use %s, or require fewer", fault.Set("max-edges", fmt.Sprint(n)))
}

// A budget searches for the best graph with at most a given number of edges, each with at least a given gain.
// It varies the penalty per edge. A search with a higher penalty finds a different graph, with other
// directions, and not just the strongest edges of the first one. Each search starts from the order of the
// previous one as well as from its own.
type budget struct {
	edges int     // largest number of edges; 0 for no limit
	least float64 // smallest gain of an edge after its penalty; 0 for any
	// search finds a graph with charge added to the penalty per edge.
	search func(charge float64, rounds bool, start []int) (*search.Result, error)
	// value is the score of a graph without any charge and prior. saves is the gain of parent i of v in that score.
	value func(parents [][]int) float64
	saves func(parents [][]int, v, i int) float64
	eval  search.Evaluator // evaluator of the same score; nil if the score is not a sum over columns
	know  search.Knowledge
}

// plan is a graph with an order and a score.
type plan struct {
	parents [][]int
	order   []int
	edges   int
	value   float64
	charge  float64
}

func (b *budget) plan(found *search.Result, charge float64) *plan {
	return &plan{parents: found.Parents, order: found.Order, edges: found.Edges, value: b.worth(found.Parents), charge: charge}
}

// worth is the score of a graph with the prior.
func (b *budget) worth(parents [][]int) float64 { return b.value(parents) + b.prior(parents) }

// prior returns the prior cost of a graph.
func (b *budget) prior(parents [][]int) (sum float64) {
	for v, set := range parents {
		for _, x := range set {
			sum += b.cost(x, v)
		}
	}
	return sum
}

// cost returns the prior cost of an edge.
func (b *budget) cost(x, v int) float64 {
	if b.know.Prior == nil {
		return 0
	}
	return b.know.Prior(x, v)
}

// find returns the best graph within the budget; full is the graph without a budget. Of the graphs it visits
// within the budget, it takes the one with the best score at the normal penalty and adds edges if the budget
// allows. If a search is stopped, it chooses between the graphs so far and full without its weakest edges.
func (b *budget) find(full *search.Result) (*plan, error) {
	now := b.plan(full, 0)
	best := b.pruned(now)
	keep := func(p *plan) {
		if b.fits(p) && p.value < best.value {
			best = p
		}
	}
	keep(now)
	if full.Status == search.Stopped || b.fits(now) {
		return best, nil
	}
	try := func(charge float64, rounds bool, start []int) (*plan, bool, error) {
		found, err := b.search(charge, rounds, start)
		if err != nil {
			return nil, false, err
		}
		p := b.plan(found, charge)
		keep(p)
		return p, found.Status == search.Stopped, nil
	}
	p, stopped, err := try(b.least, true, now.order)
	if err != nil || stopped || b.edges == 0 || p.edges <= b.edges {
		return b.filled(best), err
	}
	// The number of edges decreases with the charge, apart from small exceptions.
	low, high := b.least, 0.0
	charge := max(b.guess(p), full.Penalty/8, 1.25*low)
	at := p
	for range mostPrices {
		if p, stopped, err = try(charge, false, at.order); err != nil || stopped {
			return b.filled(best), err
		}
		if p.edges <= b.edges {
			high, at = charge, p
		} else {
			low = charge
		}
		if p.edges == b.edges || high > 0 && high-low < nearPrice*high {
			break
		}
		switch {
		case high == 0:
			charge *= 1.5
		case low < high/2:
			charge = high / 1.5
		default:
			charge = (low + high) / 2
		}
	}
	if high > 0 {
		if _, _, err = try(high, true, at.order); err != nil {
			return nil, err
		}
	}
	return b.filled(best), nil
}

// mostPrices limits the number of searches. nearPrice is the relative difference below which two penalties
// count as equal.
const (
	mostPrices = 24
	nearPrice  = 0.02
)

// fits reports whether a graph is within the budget. Required edges may have a smaller gain.
func (b *budget) fits(p *plan) bool {
	if b.edges > 0 && p.edges > b.edges {
		return false
	}
	if b.least == 0 {
		return true
	}
	for v, parents := range p.parents {
		for i, x := range parents {
			if !b.required(x, v) && b.saves(p.parents, v, i) < b.least {
				return false
			}
		}
	}
	return true
}

func (b *budget) required(x, v int) bool { return slices.Contains(b.know.Required, [2]int{x, v}) }

// weakest returns the edge with the smallest gain; ok is false if no edge may be dropped.
func (b *budget) weakest(parents [][]int) (v, i int, least float64, ok bool) {
	least = math.Inf(1)
	for w, ps := range parents {
		for j, x := range ps {
			if s := b.saves(parents, w, j); s < least && !b.required(x, w) {
				v, i, least, ok = w, j, s, true
			}
		}
	}
	return v, i, least, ok
}

// pruned drops the weakest edges of a graph until it is within the budget.
func (b *budget) pruned(p *plan) *plan {
	q := &plan{parents: clone(p.parents), order: p.order, edges: p.edges}
	for {
		v, i, least, ok := b.weakest(q.parents)
		if !ok || !(b.edges > 0 && q.edges > b.edges) && least >= b.least {
			break
		}
		q.parents[v] = slices.Delete(q.parents[v], i, i+1)
		q.edges--
	}
	q.value = b.worth(q.parents)
	return q
}

// filled adds the best edge that the order allows, while the budget has room and each edge still has the
// required gain.
func (b *budget) filled(p *plan) *plan {
	if b.eval == nil {
		return p
	}
	place := make([]int, len(p.order))
	for i, v := range p.order {
		place[v] = i
	}
	added := make([]float64, len(p.order))
	for p.edges < b.edges {
		most, v, x := b.least, -1, -1
		for w, parents := range p.parents {
			b.eval.Additions(added, w, parents)
			now := b.eval.Score(w, parents)
			for y, s := range added {
				if gain := now - s - b.cost(y, w); place[y] < place[w] && gain > most && !slices.Contains(parents, y) && (b.know.Forbidden == nil || !b.know.Forbidden(y, w)) {
					most, v, x = gain, w, y
				}
			}
		}
		if v < 0 {
			break
		}
		q := &plan{parents: clone(p.parents), order: p.order, edges: p.edges + 1, charge: p.charge}
		at, _ := slices.BinarySearch(q.parents[v], x)
		q.parents[v] = slices.Insert(q.parents[v], at, x)
		if q.value = b.worth(q.parents); !b.fits(q) {
			break
		}
		p = q
	}
	return p
}

// guess returns the gain of the last edge within the budget, with the edges of the graph sorted by gain.
func (b *budget) guess(p *plan) float64 {
	var saved []float64
	for v, parents := range p.parents {
		for i := range parents {
			saved = append(saved, b.saves(p.parents, v, i))
		}
	}
	slices.Sort(saved)
	return saved[len(saved)-1-min(b.edges, len(saved)-1)]
}

func clone(parents [][]int) [][]int {
	out := make([][]int, len(parents))
	for v, ps := range parents {
		out[v] = slices.Clone(ps)
	}
	return out
}

// account returns how much of the fit of the full graph remains, in bits per row.
func (m *Method) account(n, bare, full, kept float64, edges int) *method.Budget {
	out := &method.Budget{MaxEdges: m.MaxEdges, MinGain: m.MinGain, Edges: edges, Bits: score.Bits(bare-kept, n), AllBits: score.Bits(bare-full, n)}
	if out.Share = 1; out.AllBits > 0 {
		out.Share = out.Bits / out.AllBits
	}
	return out
}

// limited reports whether there is a budget.
func (m *Method) limited() bool { return m.MaxEdges > 0 || m.MinGain > 0 }
