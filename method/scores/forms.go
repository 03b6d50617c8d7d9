package scores

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// AddForms adds which columns of a discrete model have additive effects of their parents, in the order of the score, and the choice
// between these and full tables.
func (t *ScoredTable) AddForms(a *method.Answer, g *graph.Graph) {
	if t.Model != Discrete || t.Contexts != nil || t.forms == FullTables {
		return
	}
	if !t.additive {
		if !t.In.GraphOnly && t.In.Environments == nil && t.forms == AutoTables {
			a.Choices = append(a.Choices, method.Choice{Setting: "tables", Requested: string(t.forms), Chosen: string(FullTables),
				Reason: "full probability tables fit better than additive effects"})
		}
		return
	}
	eval, ok := t.Score.Evaluator().(*score.DiscreteEvaluator)
	if !ok {
		return
	}
	a.Additive = make([]bool, g.N())
	several, additive := 0, 0
	for v := range a.Additive {
		if len(g.Parents(v)) < 2 {
			continue
		}
		several++
		if a.Additive[v] = eval.Additive(v, g.Parents(v)); a.Additive[v] {
			additive++
		}
	}
	if several == 0 || t.In.GraphOnly {
		return
	}
	chosen := "both"
	switch additive {
	case 0:
		chosen = string(FullTables)
	case several:
		chosen = string(AdditiveTables)
	}
	a.Choices = append(a.Choices, method.Choice{Setting: "tables", Requested: string(t.forms), Chosen: chosen,
		Reason: fmt.Sprintf("additive effects for %d of %s with several parents, full probability tables for the others", additive, names.Count(several, "column"))})
}
