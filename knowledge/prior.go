package knowledge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	faults "github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
)

// A Belief is the prior probability of one edge: the probability, before seeing the data, that From directly causes To. The rest is
// split equally between the reverse edge and no edge, unless it is stated too, so that 1/3 is no information (Castelo and Siebes
// 2000).
type Belief struct {
	graph.Edge
	P float64
	// Tiers says that the belief follows from the odds of the tiers.
	Tiers bool
}

// noPrior is the probability of each direction and of no edge if nothing is stated.
const noPrior = 1.0 / 3

// belief is a stated probability and its entry.
type belief struct {
	p    float64
	text string
}

// HasPriors reports whether a prior probability or odds of tiers are stated.
func (k *Knowledge) HasPriors() bool { return len(k.beliefs) > 0 || k.softTiers != nil }

// Priors returns the prior probabilities of i → j, of j → i and of no edge. They are 1/3 each without a prior. The probabilities of
// enforced knowledge are not included.
func (k *Knowledge) Priors(i, j int) (forward, back, none float64) {
	f, stated := k.beliefs[graph.Edge{From: i, To: j}]
	b, reverse := k.beliefs[graph.Edge{From: j, To: i}]
	switch {
	case stated && reverse:
		return f.p, b.p, 1 - f.p - b.p
	case stated:
		back, none = k.rest(f.p, j, i)
		return f.p, back, none
	case reverse:
		forward, none = k.rest(b.p, i, j)
		return forward, b.p, none
	}
	if t := k.softTiers; t != nil && t[i] >= 0 && t[j] >= 0 && t[i] != t[j] {
		forward = (1 - noPrior) * k.tierOdds / (1 + k.tierOdds)
		back = 1 - noPrior - forward
		if t[i] > t[j] {
			forward, back = back, forward
		}
		return forward, back, noPrior
	}
	return noPrior, noPrior, noPrior
}

// rest splits what a probability p leaves between the reverse edge i → j and no edge. A forbidden edge gets nothing.
func (k *Knowledge) rest(p float64, i, j int) (reverse, none float64) {
	if k.Forbidden(i, j) {
		return 0, 1 - p
	}
	return (1 - p) / 2, (1 - p) / 2
}

// LogOdds returns the natural logarithm of the prior odds of i → j against no edge, 0 without a prior.
func (k *Knowledge) LogOdds(i, j int) float64 {
	if !k.HasPriors() || k.Forbidden(i, j) {
		return 0
	}
	forward, _, none := k.Priors(i, j)
	if forward == none {
		return 0
	}
	return math.Log(forward / none)
}

// DirectionLogOdds returns the logarithm of the prior odds of i → j against j → i, 0 without a prior or if one is forbidden.
func (k *Knowledge) DirectionLogOdds(i, j int) float64 { return k.LogOdds(i, j) - k.LogOdds(j, i) }

// AdjacencyLogOdds returns the logarithm of the prior odds of an edge between i and j in any direction, relative to no prior.
func (k *Knowledge) AdjacencyLogOdds(i, j int) float64 {
	switch {
	case !k.HasPriors():
		return 0
	case k.Forbidden(j, i):
		return k.LogOdds(i, j)
	case k.Forbidden(i, j):
		return k.LogOdds(j, i)
	}
	return math.Log((math.Exp(k.LogOdds(i, j)) + math.Exp(k.LogOdds(j, i))) / 2)
}

// Cost returns the prior, and the costs of WithCost, as a cost of the edge i → j on the scale of twice the negative log-likelihood; nil if
// there are none.
func (k *Knowledge) Cost() func(i, j int) float64 {
	prior := func(i, j int) float64 { return -2 * k.LogOdds(i, j) }
	switch {
	case k.more == nil && !k.HasPriors():
		return nil
	case k.more == nil:
		return prior
	}
	return func(i, j int) float64 { return prior(i, j) + k.more(i, j) }
}

// Beliefs lists the stated probabilities and those of the odds of tiers, sorted by From, then To. The caller owns the slice.
func (k *Knowledge) Beliefs() []Belief {
	var all []Belief
	for e, b := range k.beliefs {
		all = append(all, Belief{Edge: e, P: b.p})
	}
	for i := range k.softTiers {
		for j := range k.softTiers {
			_, stated := k.beliefs[graph.Edge{From: i, To: j}]
			_, reverse := k.beliefs[graph.Edge{From: j, To: i}]
			if p, _, _ := k.Priors(i, j); !stated && !reverse && p > noPrior && !k.Forbidden(i, j) {
				all = append(all, Belief{Edge: graph.Edge{From: i, To: j}, P: p, Tiers: true})
			}
		}
	}
	slices.SortFunc(all, func(a, b Belief) int { return a.Compare(b.Edge) })
	return all
}

// believed resolves the entries of Prior. It needs the rest of the knowledge, which an entry must not contradict.
func (c *columns) believed(k *Knowledge, texts []string) (map[graph.Edge]belief, []error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all := map[graph.Edge]belief{}
	var errs []error
	for _, text := range texts {
		bad := func(format string, args ...any) {
			errs = append(errs, fault("prior %q: "+format, append([]any{text}, args...)...))
		}
		edge, p, err := parsePrior(text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		from, to, lookups := c.edge(edge)
		for _, err := range lookups {
			bad("%v", err)
		}
		if from == nil || to == nil {
			continue
		}
		if from == to && c.isName(from) {
			bad("a self-loop, which no DAG has; drop it")
			continue
		}
		single := len(from.at) == 1 && len(to.at) == 1
		for _, i := range from.at {
			for _, j := range to.at {
				e := graph.Edge{From: int(i), To: int(j)}
				if e.From == e.To {
					continue
				}
				if why := k.fixed(e.From, e.To); why != "" {
					if single { // a pattern covers only the edges that are left
						bad("the edge is certain, because %s; drop one of them", why)
					}
					continue
				}
				if old, ok := all[e]; ok && old.p != p {
					bad("%s has another probability by %q; drop one of them", k.edge(e.From, e.To), old.text)
					continue
				}
				all[e] = belief{p, text}
			}
		}
	}
	for _, e := range slices.SortedFunc(maps.Keys(all), graph.Edge.Compare) {
		if back, ok := all[graph.Edge{From: e.To, To: e.From}]; ok && e.From < e.To && all[e].p+back.p >= 1 {
			errs = append(errs, fault("prior %q and prior %q: the two directions of %s have a total probability of %.3g, and no edge needs the rest; lower one of them",
				all[e].text, back.text, k.edge(e.From, e.To), all[e].p+back.p))
		}
	}
	return all, errs
}

// fixed returns the reason why enforced knowledge leaves no doubt about i → j, or "".
func (k *Knowledge) fixed(i, j int) string {
	switch {
	case slices.Contains(k.required, graph.Edge{From: i, To: j}):
		return k.edge(i, j) + " is required"
	case k.Input(j):
		return "no edge leads to the input " + k.names[j]
	case k.Forbidden(i, j):
		return k.edge(i, j) + " is forbidden: " + k.why(i, j)
	}
	return ""
}

// parsePrior splits "a->b=0.8" into the edge and its probability.
func parsePrior(text string) (edge string, p float64, err error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return "", 0, fault(`prior %q: no probability; write "cause->effect=0.8"`, text)
	}
	edge = strings.TrimSpace(text[:at])
	p, err = strconv.ParseFloat(strings.TrimSpace(text[at+1:]), 64)
	switch {
	case err != nil || !(p >= 0 && p <= 1):
		return "", 0, fault("prior %q: %s is not a probability; write a number between 0 and 1, as in %q", text, strings.TrimSpace(text[at+1:]), edge+"=0.8")
	case p == 0:
		return "", 0, faults.New(ErrKnowledge, fmt.Sprintf("prior %q: a probability of 0 is certain", text), "use %s", faults.Set("forbid", edge))
	case p == 1:
		return "", 0, faults.New(ErrKnowledge, fmt.Sprintf("prior %q: a probability of 1 is certain", text), "use %s", faults.Set("require", edge))
	}
	return edge, p, nil
}

// oddsFault returns an error for odds of tiers that cannot be used.
func (s Spec) oddsFault() error {
	switch odds := s.TierOdds; {
	case odds == 0:
		return nil
	case !(odds > 1) || math.IsInf(odds, 0):
		return fault("tier odds = %v: want a number above 1, such as 4; leave them out to enforce the tiers", odds)
	case len(s.Tiers) == 0:
		return faults.New(ErrKnowledge, "tier odds need tiers", "give the order in time with %s", faults.Use("order"))
	}
	return nil
}
