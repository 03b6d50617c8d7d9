package order

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/search"
)

// ErrBudget is the fault of prior knowledge that requires more edges than are allowed.
var ErrBudget = fault.Kind("edge-budget", "more edges are required than max-edges allows; allow more, or require fewer")

// affordable reports whether the budget has room for the edges that are required.
func (m *Method) affordable(in *method.Input) error {
	if in.Knowledge == nil || m.MaxEdges == 0 || len(in.Knowledge.Required()) <= m.MaxEdges {
		return nil
	}
	n := len(in.Knowledge.Required())
	return fault.New(ErrBudget, fmt.Sprintf("%d edges are required, and at most %d are allowed", n, m.MaxEdges),
		"use %s, or require fewer", fault.Set("max-edges", fmt.Sprint(n)))
}

// A budget is the search for the best graph that has at most so many edges, each of which saves at least so much. It is a path
// over the price of an edge: a search at a higher price finds another graph, with other directions, and not the strongest edges of
// the first one. Each search starts from the order of the one before as well as from its own.
type budget struct {
	edges int     // at most; 0 is any number
	least float64 // what each saves beside its price; 0 is anything
	// search finds a graph where each edge costs a charge beside its price.
	search func(charge float64, rounds bool, start []int) (*search.Result, error)
	// value is the score of a graph without any charge, and saves what parent i of v takes off it.
	value func(parents [][]int) float64
	saves func(parents [][]int, v, i int) float64
	eval  search.Evaluator // of the same score; nil where it is no sum over columns
	know  search.Knowledge
}

// plan is a graph with an order and its score.
type plan struct {
	parents [][]int
	order   []int
	edges   int
	value   float64
	charge  float64
}

func (b *budget) plan(found *search.Result, charge float64) *plan {
	return &plan{parents: found.Parents, order: found.Order, edges: found.Edges, value: b.value(found.Parents), charge: charge}
}

// find returns the best graph within the budget. full is the one without a budget. Of the graphs that it sees within the budget
// it takes the one with the best score at the price of an edge itself, and fills up what is left of it. When a search is stopped,
// what is found so far and full without its weakest edges are all there is.
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
	// The number of edges falls with the charge, nearly.
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

// mostPrices bounds the descents, and nearPrice is how near two prices are that need not be told apart.
const (
	mostPrices = 24
	nearPrice  = 0.02
)

// fits reports whether a graph is within the budget. Required edges may save less.
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

// weakest returns the edge that saves least; ok is false where none may be dropped.
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

// pruned drops the weakest edge of a graph until it is within the budget.
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
	q.value = b.value(q.parents)
	return q
}

// filled adds the edge that gains most, among those that the order of the graph allows, while there is room and each edge still
// saves what it must.
func (b *budget) filled(p *plan) *plan {
	if b.eval == nil || b.edges == 0 {
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
				if place[y] < place[w] && now-s > most && !slices.Contains(parents, y) && (b.know.Forbidden == nil || !b.know.Forbidden(y, w)) {
					most, v, x = now-s, w, y
				}
			}
		}
		if v < 0 {
			break
		}
		q := &plan{parents: clone(p.parents), order: p.order, edges: p.edges + 1, charge: p.charge}
		at, _ := slices.BinarySearch(q.parents[v], x)
		q.parents[v] = slices.Insert(q.parents[v], at, x)
		if q.value = b.value(q.parents); !b.fits(q) || !(q.value < p.value) {
			break
		}
		p = q
	}
	return p
}

// guess returns what the last edge within the budget saves, of those of a graph sorted by that.
func (b *budget) guess(p *plan) float64 {
	var saved []float64
	for v, parents := range p.parents {
		for i := range parents {
			saved = append(saved, b.saves(p.parents, v, i))
		}
	}
	slices.SortFunc(saved, func(x, y float64) int {
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return saved[min(b.edges, len(saved)-1)]
}

func clone(parents [][]int) [][]int {
	out := make([][]int, len(parents))
	for v, ps := range parents {
		out[v] = slices.Clone(ps)
	}
	return out
}

// account says how much of the fit of the full graph the plan keeps, in bits a row.
func (m *Method) account(n, bare, full, kept float64, edges int) *method.Budget {
	unit := 2 * n * math.Ln2
	out := &method.Budget{MaxEdges: m.MaxEdges, MinStrength: m.MinStrength, Edges: edges, Bits: (bare - kept) / unit, AllBits: (bare - full) / unit}
	if out.Share = 1; out.AllBits > 0 {
		out.Share = out.Bits / out.AllBits
	}
	return out
}

// limited reports whether there is a budget.
func (m *Method) limited() bool { return m.MaxEdges > 0 || m.MinStrength > 0 }
