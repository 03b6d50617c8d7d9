package search

import (
	"fmt"
	"math"
)

// A Score says how well sets of parents explain each variable; a search over orders needs nothing else. Less is better: the
// scale is twice the negative log-likelihood plus the price of the parameters, and the total of a graph is the sum over its
// variables. Package kit has the laws of it as code.
type Score interface {
	// Variables is how many there are.
	Variables() int
	// Price is about what one further edge costs, > 0. The search uses it to make edges dearer at first, and cheaper in
	// some rounds; it is part of what an Evaluator returns already.
	Price() float64
	// Equivalent says that graphs of one Markov equivalence class have the same total.
	Equivalent() bool
	// Evaluator returns an evaluator for one goroutine; several may be in use at the same time.
	Evaluator() Evaluator
}

// An Evaluator evaluates a Score in one goroutine.
type Evaluator interface {
	// Score returns how badly the parents, ascending, explain v. It is +Inf where the rows cannot support so many, and
	// finite without parents. It is a pure function of (v, parents): the same bits whatever was asked before and on any
	// goroutine. It neither changes nor keeps parents.
	Score(v int, parents []int) float64
	// Additions writes Score(v, parents + x), up to rounding, to dst[x] for every x that is neither v nor a parent, and leaves
	// the rest. It is a pure function too. It is the screen of the search, one pass for all x at once where the score
	// allows it: it says which set is asked for next, and Score decides.
	Additions(dst []float64, v int, parents []int)
}

// A Remover is an Evaluator that tells what all parents of a set are worth at less than the price of a call of Score each.
type Remover interface {
	// Removals writes Score(v, parents without parents[j]), to the bit, to dst[j] for each of the parents.
	Removals(dst []float64, v int, parents []int)
}

// A Coster is a Score that says what one evaluation takes, so that with Restarts = Auto the rounds follow it: rounds.go.
type Coster interface {
	// Cost is about how many elementary steps a call of Additions takes for each parent that is there, > 0. It must be a
	// matter of the table alone, not of the machine.
	Cost() float64
}

// scoreModel asks the score what the engine has to know of it: O(d) evaluations.
func scoreModel(s Score) model {
	m := model{variance: general, price: s.Price(), bare: make([]float64, s.Variables()), size: s.Price()}
	eval := s.Evaluator()
	for v := range m.bare {
		m.bare[v] = eval.Score(v, nil)
		m.size = max(m.size, math.Abs(m.bare[v]))
	}
	return m
}

// scoreFaults reports what is wrong with the score of a problem, and what the problem says beside it.
func (p Problem) scoreFaults() []error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.R != nil || p.N != 0 || p.Scale != nil {
		fault("Score stands beside R, N or Scale; a problem has either a score or correlations")
	}
	d := p.Score.Variables()
	if d < 1 || d > maxVariables {
		fault("a score of %d variables, want 1 to %d", d, maxVariables)
		return errs
	}
	if price := p.Score.Price(); !(price > 0) || math.IsInf(price, 0) {
		fault("Score.Price() = %v, want a finite number > 0", price)
	}
	faults := p.Knowledge.faults(d)
	if errs = append(errs, faults...); len(faults) > 0 {
		return errs
	}
	eval := p.Score.Evaluator()
	for v, required := range p.Knowledge.requiredParents(d) {
		if s := eval.Score(v, nil); s-s != 0 {
			fault("the score of %s without parents is %v, want a finite number", p.name(v), s)
			break
		}
		set := make([]int, len(required))
		for i, q := range required {
			set[i] = int(q)
		}
		if s := eval.Score(v, set); s-s != 0 {
			fault("the score of %s with its required parents %s is %v: the rows cannot support them; require fewer", p.name(v), p.named(set), s)
			break
		}
	}
	return errs
}
