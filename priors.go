package polydag

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

// A PriorOutcome compares one prior probability with the result.
type PriorOutcome struct {
	Link
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

// withoutPriors begins the stage names of the run without priors in Progress and in Timing.StageSeconds.
const withoutPriors = "without priors: "

// comparePriors learns a second time without the prior probabilities and lists what they changed. A failure of the second run does
// not affect the result.
func (l *learner) comparePriors(ctx context.Context, res *Result) {
	if !l.known.HasPriors() || res.Status == method.Canceled {
		return
	}
	cfg := l.cfg
	cfg.Knowledge = cfg.Knowledge.WithoutPriors()
	plain, err := l.learnPlain(ctx, cfg)
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the comparison with a run without priors failed: %v", err))
		return
	case plain.Status == method.Canceled:
		res.Status, res.Cause = plain.Status, plain.Cause
		return
	}
	with, without := res.pairStates(), plain.pairStates()
	for _, b := range l.known.Beliefs() {
		link := Link{From: l.data.Names[b.From], To: l.data.Names[b.To]}
		// Tiers and improbable edges are about many pairs, most of which are not adjacent in any result.
		if (b.Tiers || b.P <= 1.0/3) && with.of(link) == PairNone && without.of(link) == PairNone {
			continue
		}
		res.Priors = append(res.Priors, PriorOutcome{Link: link, Prior: b.P, Without: without.of(link)})
	}
	res.updatePriors()
}

// learnPlain learns the table with another configuration, without checks of the scale.
func (l *learner) learnPlain(ctx context.Context, cfg Config) (*Result, error) {
	known, err := cfg.Knowledge.Resolve(l.data.Names)
	if err != nil {
		return nil, err
	}
	own := newLearner(l.table, cfg, l.data, known, l.run)
	answer, err := own.answer(ctx, cfg.Standardize, l.run.Named(withoutPriors))
	if err != nil {
		return nil, err
	}
	res, err := own.result(answer)
	if err != nil {
		return nil, err
	}
	return res, own.judge(res, answer)
}

// updatePriors compares the priors with the verdicts of the edges, after these have changed.
func (r *Result) updatePriors() {
	if len(r.Priors) == 0 {
		return
	}
	states := r.pairStates()
	for i := range r.Priors {
		p := &r.Priors[i]
		p.Result = states.of(p.Link)
		p.Outcome = outcome(p.Prior, p.Result, p.Without)
	}
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

// pairStates are the stated pairs of a result; the others have no edge.
type pairStates map[Link]PairState

func (r *Result) pairStates() pairStates {
	s := pairStates{}
	for _, e := range r.Edges {
		back := Link{From: e.To, To: e.From}
		switch {
		case e.Verdict == Weak:
			s[e.Link], s[back] = PairWeak, PairWeak
		case e.Verdict == Directed && e.Directed():
			s[e.Link], s[back] = PairForward, PairReverse
		default:
			s[e.Link], s[back] = PairUndirected, PairUndirected
		}
	}
	return s
}

func (s pairStates) of(l Link) PairState {
	if state, ok := s[l]; ok {
		return state
	}
	return PairNone
}

// priorDirections returns the prior log odds of the direction of an edge. If the class leaves it open, they include the priors of the
// other open edges of the class.
func (l *learner) priorDirections(r *Result) func(e graph.Edge, compelled bool) float64 {
	if !l.known.HasPriors() {
		return nil
	}
	lean := r.open().Lean(l.known.LogOdds)
	return func(e graph.Edge, compelled bool) float64 {
		p, ok := lean[e]
		if compelled || !ok {
			return l.known.DirectionLogOdds(e.From, e.To)
		}
		const least = 1e-6
		p = min(max(p, least), 1-least)
		return math.Log(p / (1 - p))
	}
}

// checkPriors reports priors of a read result that name no columns or have no probability.
func (r *Result) checkPriors(index map[string]int) error {
	for _, p := range r.Priors {
		for _, name := range []string{p.From, p.To} {
			if _, ok := index[name]; !ok {
				return fmt.Errorf("%w: priors: there is no column %q; learn the result again", ErrResultEdges, name)
			}
		}
		if !(p.Prior > 0 && p.Prior < 1) {
			return fmt.Errorf("%w: priors: the prior of %s → %s is %v, want a number between 0 and 1; learn the result again", ErrResultEdges, p.From, p.To, p.Prior)
		}
	}
	return nil
}
