package trust

import (
	"fmt"

	"github.com/polydag/polydag/graph"
)

// A PriorOutcome compares one prior probability with the result.
type PriorOutcome struct {
	graph.Link
	// Prior is the stated probability that From directly causes To, or the one that follows from the odds of the tiers.
	Prior float64 `json:"prior"`
	// Result and Without are what the result, and a result without any prior, state about the pair.
	Result  PairState `json:"result"`
	Without PairState `json:"without"`
	Outcome Outcome   `json:"outcome"`
}

// PairState is what a result states about two columns.
type PairState string

// These are the states of a pair.
const (
	PairForward    PairState = "forward"    // From → To
	PairReverse    PairState = "reverse"    // To → From
	PairUndirected PairState = "undirected" // an edge without a stated direction
	PairWeak       PairState = "weak"       // an edge with a probability below 0.8
	PairNone       PairState = "none"       // no edge
)

// Outcome says how a prior probability and the data relate.
type Outcome string

// These are the outcomes.
const (
	// PriorOverruled: the result contradicts the prior: no edge or the reverse edge for a probability above 1/3, and the edge for one
	// below.
	PriorOverruled Outcome = "overruled"
	// PriorDecided: without the prior the result states something else about the pair.
	PriorDecided Outcome = "decided"
	// PriorAgrees: the result agrees with the prior, with and without it.
	PriorAgrees Outcome = "agrees"
	// PriorOpen: neither the prior nor the data settle the pair.
	PriorOpen Outcome = "open"
)

// Updated returns the comparison with the state of the pair in the result.
func (p PriorOutcome) Updated(result PairState) PriorOutcome {
	p.Result = result
	p.Outcome = outcome(p.Prior, p.Result, p.Without)
	return p
}

// outcome compares a prior probability with the state of its pair.
func outcome(prior float64, with, without PairState) Outcome {
	favours := prior > 1.0/3
	against := with == PairForward
	if favours {
		against = with == PairReverse || with == PairNone
	}
	switch {
	case against:
		return PriorOverruled
	case with != without:
		return PriorDecided
	case favours && with == PairForward, !favours && (with == PairReverse || with == PairNone):
		return PriorAgrees
	}
	return PriorOpen
}

// CheckPriors reports a prior that names no column or has no probability.
func CheckPriors(priors []PriorOutcome, index map[string]int) error {
	for _, p := range priors {
		for _, name := range []string{p.From, p.To} {
			if _, ok := index[name]; !ok {
				return fmt.Errorf("priors: %q is not among the columns", name)
			}
		}
		if !(p.Prior > 0 && p.Prior < 1) {
			return fmt.Errorf("priors: the prior of %s → %s is %v, want a number between 0 and 1", p.From, p.To, p.Prior)
		}
	}
	return nil
}
