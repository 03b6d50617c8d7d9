package effect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/trust"
)

// An Unstated is an edge with a direction that the result does not state.
type Unstated struct {
	polydag.Link
	// Probability is that of the edge and this direction together.
	Probability float64 `json:"probability"`
	// Weak marks an edge whose direction is settled if it exists; only its existence is not.
	Weak bool `json:"weak,omitempty"`
}

// unstated returns the edges without a stated direction, each as it is in the graph of the estimate, by number.
func (k *asked) unstated() map[[2]int]Unstated {
	g, at, out := k.class[0].dag, names.Index(k.res.Names), map[[2]int]Unstated{}
	for _, e := range k.res.Edges {
		if e.Verdict == "" || e.Verdict == polydag.Directed {
			continue
		}
		ahead, back := directions(e)
		u := Unstated{e.Link, e.PAdjacent * ahead, ahead >= trust.StatedLevel}
		if g.HasEdge(at[e.To], at[e.From]) {
			u = Unstated{polydag.Link{From: e.To, To: e.From}, e.PAdjacent * back, back >= trust.StatedLevel}
		}
		out[[2]int{at[u.From], at[u.To]}] = u
	}
	return out
}

// directions returns the probabilities of the two directions of an edge if it exists.
func directions(e polydag.Edge) (ahead, back float64) {
	if !e.Directed() {
		return 0.5, 0.5
	}
	return e.PDirection, e.PReverse()
}

// rest finds the edges without a stated direction that the estimate depends on: those on directed paths and those into Of. Without a
// directed path it finds those that must be reversed for one.
func (k *asked) rest() {
	g, a, b := k.class[0].dag, k.study.a, k.study.b
	unstated := k.unstated()
	if !g.HasPath(a, b) {
		k.answer.Reversed = k.reversed(unstated)
		return
	}
	on := map[int]bool{a: true, b: true}
	for _, v := range k.study.mediators {
		on[v] = true
	}
	for _, e := range g.Edges() {
		u, ok := unstated[[2]int{e.From, e.To}]
		if ok && (e.To == a || on[e.From] && on[e.To] && e.From != b) {
			k.answer.DependsOn = append(k.answer.DependsOn, u)
		}
	}
}

// reversed returns the edges to reverse for a directed path from a to b, as they would be then: those of a path with as few edges as
// possible. An edge whose direction prior knowledge decides is not reversed. It is nil if no such path exists.
func (k *asked) reversed(unstated map[[2]int]Unstated) (out []Unstated) {
	g, a, b := k.class[0].dag, k.study.a, k.study.b
	likely, reversible := map[polydag.Link]float64{}, map[polydag.Link]bool{}
	for _, e := range k.res.Edges {
		ahead, back := directions(e)
		likely[e.Link], likely[polydag.Link{From: e.To, To: e.From}] = e.PAdjacent*ahead, e.PAdjacent*back
		reversible[e.Link] = e.Reversible()
	}
	before := map[int]int{a: a}
	for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		next := slices.Clone(g.Children(v))
		for _, p := range g.Parents(v) {
			if u, ok := unstated[[2]int{p, v}]; ok && (reversible[u.Link] || reversible[polydag.Link{From: u.To, To: u.From}]) {
				next = append(next, p)
			}
		}
		slices.Sort(next)
		for _, w := range next {
			if _, seen := before[w]; !seen {
				before[w], queue = v, append(queue, w)
			}
		}
	}
	if _, reached := before[b]; !reached {
		return nil
	}
	for w := b; w != a; w = before[w] {
		v := before[w]
		if u, ok := unstated[[2]int{w, v}]; ok && !g.HasEdge(v, w) {
			back := polydag.Link{From: u.To, To: u.From}
			out = append(out, Unstated{Link: back, Probability: likely[back]})
		}
	}
	slices.Reverse(out)
	return out
}

// list writes edges with their probabilities.
func list(edges []Unstated) string {
	const most = 6
	var parts []string
	for _, e := range edges[:min(len(edges), most)] {
		parts = append(parts, fmt.Sprintf("%s → %s %.2f", e.From, e.To, e.Probability))
	}
	if more := len(edges) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// failedChecks notes the assumption checks that the model failed.
func (k *asked) failedChecks() {
	var failed []string
	for _, a := range k.res.Assumptions {
		if a.Outcome == trust.Failed {
			failed = append(failed, a.Statement)
		}
	}
	if len(failed) > 0 {
		k.note("the estimate holds under the model only, and the table contradicts these assumptions of it: " + strings.Join(failed, "; "))
	}
}

// verdict says in one or two lines whether the effect is identified, and what that depends on.
func (a *Answer) verdict() string {
	depends := ""
	if len(a.DependsOn) > 0 {
		depends = "Depends on undirected or weak edges (probability of the edge in this direction): " + list(a.DependsOn) + "."
	}
	switch a.Identification {
	case Identified:
		if depends != "" {
			return depends + "\nIf these directions are right, identified " + a.Reason + "."
		}
		return "Identified " + a.Reason + "."
	case Open:
		return strings.TrimSuffix("Not identified: "+a.Reason+".\n"+depends, "\n")
	}
	said := ""
	if i := a.Interval; i != nil && i.Paths != nil && *i.Paths >= leastPaths {
		said += fmt.Sprintf(" %.0f %% of the graphs behind the interval have a %s.", 100**i.Paths, a.path())
	}
	if len(a.Reversed) > 0 {
		said += "\nThere is a path if undirected or weak edges are reversed (probability of the reversed edge): " + list(a.Reversed) + "."
	}
	if said == "" {
		return "No effect: " + a.Reason + "."
	}
	return "Estimate 0, but an effect is not excluded: " + a.Reason + "." + said
}

// leastPaths is the share of graphs with a directed path from which an estimate of 0 is not called no effect.
const leastPaths = 0.05
