package describe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

// Judge returns the checks of the model's assumptions. It sets the verdict of each edge, which Edges returned with gains, and the score loss of
// the best known graph with the edge reversed. It sets the environments of the evidence, and what the answer says about the model.
func (a *Answer) Judge(evidence trust.Evidence, model trust.Model, edges []trust.Edge) ([]trust.Assumption, error) {
	evidence.Environments = a.Environments
	model.Graph, model.Inputs, model.Effects = a.Directed, a.Known.Inputs(), cmp.Or(a.Effects, score.LinearEffects)
	model.Categories, model.Additive, model.Scales, model.Straight = a.Categories, a.Additive, a.Scales, a.Straight
	model.Stopped = model.Stopped || a.Status == method.Canceled
	model.EqualVariances, model.FreeNoise = a.chose("variance", "equal"), a.chose("noise", "free")
	out := trust.CheckAssumptions(evidence, model)
	if a.Graph.Kind() == graph.KindPAG { // a PAG allows for hidden confounders
		out = slices.DeleteFunc(out, func(a trust.Assumption) bool { return a.Name == trust.NoHiddenCauses })
	}
	if a.Graph.Kind() != graph.KindDAG { // its directed edges alone do not connect all adjacent pairs
		out = slices.DeleteFunc(out, func(a trust.Assumption) bool { return a.Name == trust.IndependentPairs })
	}
	claims, err := a.claims(edges)
	if err != nil {
		return nil, err
	}
	for k, j := range trust.Judge(evidence, model, out, claims) {
		edges[k].Judgement, edges[k].Reversal = j, claims[k].Reversal
	}
	if said := hiddenCauses(edges); said != "" {
		for k, check := range out {
			if check.Name == trust.NoHiddenCauses {
				out[k].Sentence = said
			}
		}
	}
	return out, nil
}

// hiddenCauses counts the edges by what tests say about a hidden common cause of their ends; it is empty if no edge was tested.
func hiddenCauses(edges []trust.Edge) string {
	count := map[method.HiddenCause]int{}
	for _, e := range edges {
		count[e.HiddenCause]++
	}
	var said []string
	for _, c := range []struct {
		cause method.HiddenCause
		words string
	}{{method.HiddenExcluded, "excluded for %d"}, {method.HiddenImplied, "implied for %d"}, {method.HiddenPossible, "possible for %d"}, {"", "not tested for %d"}} {
		if n := count[c.cause]; n > 0 {
			said = append(said, fmt.Sprintf(c.words, n))
		}
	}
	if count[""] == len(edges) {
		return ""
	}
	return fmt.Sprintf("of %s, a hidden common cause is %s", names.Count(len(edges), "edge"), strings.Join(said, ", "))
}

// claims collects what the verdict on each edge rests on. A graph that is not a DAG takes gains and reversal costs from a DAG with the
// same adjacencies.
func (a *Answer) claims(edges []trust.Edge) ([]trust.Claim, error) {
	reasons, err := a.compelled()
	if err != nil {
		return nil, err
	}
	dag := a.Directed
	var bits map[graph.Edge]float64 // gains, if those of the edges are not all known
	if a.Graph.Kind() != graph.KindDAG {
		dag = a.extension()
		bits = a.gains(dag)
	}
	reversal := a.reversals(dag)
	compelled := func(k int) bool { return edges[k].Compelled }
	share, prior := Shares(a.Graph, compelled), a.priorDirections(compelled)
	var margin *float64
	if v := a.chosen("variance"); v != nil && v.Chosen == "equal" {
		margin = v.Margin
	}
	class, _ := graph.CPDAG(dag)
	required := a.Known.Required()
	out := make([]trust.Claim, len(edges))
	for k, e := range a.Graph.Edges() {
		back := graph.Edge{From: e.To, To: e.From}
		n, gain := a.rows(e.To), edges[k].Gain
		if bits != nil {
			gain = bits[e.Edge] + bits[back] // one of them is 0
		}
		c := trust.Claim{
			EdgeRecord: a.records[e.Edge], Directed: e.Directed(), DeltaBIC: score.DeltaBIC(gain, n), Penalty: cmp.Or(a.Price, math.Log(n)),
			Known: reasons.known(e.Edge), Derived: reasons.derived(e.Edge), Class: class != nil && class.HasDirected(e.From, e.To),
			Required: slices.Contains(required, e.Edge), Share: share[k], Margin: margin,
		}
		c.Edge, c.EdgeFacts, c.Identified = e.Edge, edges[k].EdgeFacts, a.Identified && c.Direction == method.DirectionUnstated
		c.Unseen = c.Unseen || a.records[back].Unseen
		if prior != nil {
			c.PriorAdjacent, c.PriorDirection = a.Known.AdjacencyLogOdds(e.From, e.To), prior(e.Edge, c.Compelled)
		}
		if c.Directed {
			c.Names, c.NamesText = a.byNames(e.From, e.To)
			c.Reversal = reversal(e.Edge)
		}
		out[k] = c
	}
	return out, nil
}

// reversals returns the score loss of reversing an edge, nil if unknown: by the method or, for linear models, by the BIC of dag.
func (a *Answer) reversals(dag *graph.Graph) func(graph.Edge) *float64 {
	byMethod := func(e graph.Edge) *float64 { return a.records[e].Reversal }
	given := slices.ContainsFunc(a.Answer.Edges, func(e method.EdgeRecord) bool { return e.Reversal != nil })
	if given || a.Identified || !a.linear() || a.Environments != nil || len(a.Moments.Names) > sortabilityColumns {
		return byMethod
	}
	// Compute in canonical column order, as a method would.
	n := a.Moments.N
	s, err := score.NewGaussianLocal(a.Moments.Arranged(a.Order).Correlation(), n, cmp.Or(a.Price, math.Log(float64(n))))
	if err != nil {
		return byMethod
	}
	known, inputs := a.knowledgeInOrder()
	losses := method.Reversals(context.Background(), dag.Mixed().Relabel(a.Place).Directed(), s.Evaluator(), true, known, inputs)
	return func(e graph.Edge) *float64 {
		if loss, ok := losses[graph.Edge{From: a.Place[e.From], To: a.Place[e.To]}]; ok {
			return &loss
		}
		return nil
	}
}

// knowledgeInOrder returns the prior knowledge, and which columns are inputs (nil for none), in canonical column order.
func (a *Answer) knowledgeInOrder() (k search.Knowledge, inputs []bool) {
	if all := a.Known.Inputs(); all != nil {
		for _, v := range a.Order {
			inputs = append(inputs, all[v])
		}
	}
	if !a.Informed {
		return k, inputs
	}
	k.Forbidden = func(i, j int) bool { return a.Known.Forbidden(a.Order[i], a.Order[j]) }
	for _, e := range a.Known.Required() {
		k.Required = append(k.Required, [2]int{a.Place[e.From], a.Place[e.To]})
	}
	return k, inputs
}
