package search

import (
	"fmt"
	"math"
	"slices"
)

// A Score is a local score: how well sets of parents explain each variable. Smaller is better: the scale is twice the negative
// log-likelihood plus the parameter penalty, and the total of a graph is the sum over its variables. Package kit checks this
// contract.
type Score interface {
	// Variables returns the number of variables.
	Variables() int
	// Price is the approximate penalty per edge, > 0. The search uses it to vary the penalty; the values of an Evaluator already
	// include it.
	Price() float64
	// Equivalent reports whether graphs of one Markov equivalence class have the same total.
	Equivalent() bool
	// Evaluator returns an evaluator for one goroutine; several may be in use at the same time.
	Evaluator() Evaluator
}

// An Evaluator evaluates a Score in one goroutine.
type Evaluator interface {
	// Score returns the local score of v with its parents, ascending; smaller is better. It is +Inf if there
	// are too few rows for that many parents, and it is finite without parents. It is a pure function of (v,
	// parents): the same bits after any other calls and on any goroutine. It neither changes nor retains
	// parents.
	Score(v int, parents []int) float64
	// Additions writes Score(v, parents + x), up to rounding, to dst[x] for every x that is neither v nor a parent, and leaves the
	// rest. It is a pure function too. The search uses it to choose the next set to evaluate, so it should be fast for all x at
	// once.
	Additions(dst []float64, v int, parents []int)
}

// AdditionsByScore is Additions by one call of Score each, for an Evaluator without a faster way. It may allocate.
func AdditionsByScore(dst []float64, eval Evaluator, v int, parents []int) {
	for x := range dst {
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = eval.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}

// A Remover is an Evaluator that computes the scores without each parent faster than by one call of Score each.
type Remover interface {
	// Removals writes exactly Score(v, parents without parents[j]) to dst[j] for each of the parents.
	Removals(dst []float64, v int, parents []int)
}

// A RoundingRemover is an Evaluator that computes the scores without each parent up to rounding, faster than by one call of Score
// each. Reversals use it, and the search to choose the next parent to remove.
type RoundingRemover interface {
	// RoundedRemovals writes Score(v, parents without parents[j]), up to rounding, to dst[j] for each of the parents.
	RoundedRemovals(dst []float64, v int, parents []int)
}

// A Holder is an Evaluator that evaluates subsets of a set faster if it knows the set. The values are the same.
type Holder interface {
	// Hold says that subsets of v and its parents follow, with any of them as the child.
	Hold(v int, parents []int)
}

// A Coster is a Score with a known cost per evaluation, which decides the number of rounds if Restarts is Auto: rounds.go.
type Coster interface {
	// Cost is the approximate number of elementary steps of a call of Additions per present parent, > 0. It must depend on the
	// table only, not on the machine.
	Cost() float64
}

// scoreModel queries the properties of the score that the engine needs: O(d) evaluations.
func scoreModel(s Score) model {
	m := model{variance: general, price: s.Price(), bare: make([]float64, s.Variables()), size: s.Price()}
	eval := s.Evaluator()
	for v := range m.bare {
		m.bare[v] = eval.Score(v, nil)
		m.size = max(m.size, math.Abs(m.bare[v]))
	}
	return m
}

// scoreFaults returns the errors in the score of a problem and in fields that do not fit it.
func (p Problem) scoreFaults() []error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.R != nil || p.Gram != nil || p.N != 0 || p.Scale != nil {
		fault("Score stands beside R, Gram, N or Scale; a problem has either a score or correlations")
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
