package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/score"
)

// Weigh returns the verdicts on edges. A failed check counts for the edges at the columns that it names, and for all edges if it
// names none.
func Weigh(e Evidence, model Model, assumptions []Assumption, edges []Facts) []Judgement {
	failed := newFailures(assumptions)
	pairs := newAsymmetry(e, model)
	out := make([]Judgement, len(edges))
	for k, f := range edges {
		names := e.Moments.Names
		out[k] = judge(f, model, failed.of(names, f), failed.dependent(names[f.From], names[f.To]), pairs)
	}
	return out
}

func judge(f Facts, model Model, failed []string, dependent Dependence, pairs *asymmetry) Judgement {
	var j Judgement
	gain := f.Gain
	if dependent.Effect {
		penalty := f.Penalty
		if model.Effects == score.SmoothEffects || model.Effects == score.FlexibleEffects {
			penalty *= curveWeights
		}
		gain = (f.Gain+penalty)*dependentRows - penalty
	}
	if dependent.Direction && f.Reversal != nil {
		less := *f.Reversal * dependentRows
		f.Reversal, f.dependent = &less, true
	}
	most := adjacencyMost
	if f.Unseen {
		most = unseenMost
	}
	j.PAdjacent = logistic(min(most, adjacencyShift+adjacencySlope*gain+f.PriorAdjacent))
	if f.Required {
		j.PAdjacent = 1
	}
	if f.Arrow {
		j.Evidence, j.Basis = direction(f, model, failed, pairs)
	}
	return j.stated()
}

// Resampled returns the judgement with the probabilities of bootstrap samples, half samples or graphs of the posterior in the place of
// those of one fit. They hold under the model, so that failed checks count as before. by says what they are.
// Where rows are not independent, the samples count as much as if every row counted dependentRows.
func (j Judgement) Resampled(adjacent, direction float64, by string, dependent Dependence) Judgement {
	if dependent.Effect {
		adjacent = logistic(dependentRows * sure(adjacent))
	}
	if dependent.Direction {
		direction = logistic(dependentRows * sure(direction))
		by += "; every row counts as a quarter, since rows are not independent"
	}
	j.PAdjacent, j.PDirection = adjacent, direction
	j.Evidence = slices.Clone(j.Evidence)
	checked := !slices.ContainsFunc(j.Evidence, func(r Reason) bool { return r.Source == FromChecks })
	more := 0.0 // log odds of the direction, beyond those of one fit
	for k, r := range j.Evidence {
		switch {
		case r.Source == FromModel || r.Source == FromRows:
			more = sure(direction) - sure(r.P)
			j.Evidence[k].Source, j.Evidence[k].P, j.Evidence[k].Text = FromRows, direction, by
		case r.Source == FromTables && r.Weight == 1 && checked: // the model is flexible
			j.Evidence[k].P = logistic(logit(r.P) + flexibleShare*more)
		}
	}
	return j.stated()
}

// stopped is the evidence on a direction in a run that was stopped.
var stopped = []Reason{{Source: FromModel, P: 0.5, Weight: 1, Text: "the run was stopped before it was done"}}

// Stopped returns the judgement in a run that was stopped after its search: only prior knowledge determines a direction.
func (j Judgement) Stopped() Judgement {
	if len(j.Evidence) == 0 || j.Basis == ByKnowledge {
		return j
	}
	j.Evidence, j.Basis = slices.Clone(stopped), ByModel
	return j.stated()
}

// stated derives the probability of the direction from the evidence, and the verdict from both probabilities.
func (j Judgement) stated() Judgement {
	if len(j.Evidence) > 0 {
		j.PDirection = 0
		for _, r := range j.Evidence {
			j.PDirection += r.P * r.Weight
		}
		j.PDirection = min(1, max(0, j.PDirection))
	}
	switch both := j.PAdjacent * j.PDirection; {
	case j.PAdjacent < StatedLevel:
		j.Verdict, j.Confidence = Weak, j.PAdjacent
	case both < StatedLevel:
		j.Verdict, j.Confidence = Undirected, j.PAdjacent
	default:
		j.Verdict, j.Confidence = Directed, both
	}
	return j
}

// direction collects the evidence that an edge points from From to To, and says what it mainly rests on.
func direction(f Facts, model Model, failed []string, pairs *asymmetry) ([]Reason, Basis) {
	if f.Known {
		return []Reason{{Source: FromKnowledge, P: 1, Weight: 1, Text: "prior knowledge determines the direction"}}, ByKnowledge
	}
	if model.Stopped {
		return stopped, ByModel
	}
	out, basis := []Reason{modelReason(f, model)}, ByModel
	if f.Derived {
		out[0].Text, basis = "prior knowledge and the other directions determine the direction; "+out[0].Text, ByKnowledgeAndModel
	}
	usual, weight := Reason{Source: FromTables, P: 0.5, Text: "untestable assumptions, such as no hidden confounders"}, doubt
	switch {
	case len(failed) > 0: // on real tables the direction that a failed model states adds nothing to the rules
		usual, weight, basis = pairs.reason(f.Edge, 0, math.Inf(1)), 1, ByRule
		out = append(out, Reason{Source: FromChecks, Text: "failed checks at these variables: " + strings.Join(failed, ", ")})
	case f.open() && pairs.columns != nil && (model.Effects == "" || model.Effects == score.LinearEffects):
		usual, weight, basis = pairs.reason(f.Edge, shareOdds(f.Share), logit(openMost)), openWeight, ByModelAndRule
	case model.Effects == score.FlexibleEffects && pairs.columns != nil: // curves mislead more often in real tables than in simulated ones
		usual, weight, basis = pairs.reason(f.Edge, flexibleShare*logit(out[0].P), math.Inf(1)), 1, ByModelAndRule
		usual.Text += fmt.Sprintf("; combined with %g of the log odds of the model", flexibleShare)
	}
	usual.Weight, out[0].Weight = weight, 1-weight
	out = append(out, usual)
	if f.HiddenGain != nil && weight < 1 && f.byClass(model) { // the rules were fitted to real tables, which have hidden causes
		out = withHidden(out, *f.HiddenGain)
	}
	if f.PriorDirection == 0 {
		return out, basis
	}
	without := Judgement{Evidence: out}.stated().PDirection
	for k, r := range out {
		if r.Weight > 0 && r.Source != FromHidden {
			out[k].P = logistic(sure(r.P) + f.PriorDirection)
		}
	}
	if f.PriorDirection > math.Abs(sure(without)) {
		basis = ByPrior
	}
	return append(out, Reason{Source: FromPrior, Text: fmt.Sprintf("prior odds of %.3g for the direction; it has a probability of %.2f without them", math.Exp(f.PriorDirection), without)}), basis
}

// open reports whether the model leaves the direction open.
func (f Facts) open() bool {
	return !f.Compelled && !f.Identified && f.Reversal == nil && (f.NoiseP == nil || *f.NoiseP > NoiseLevel)
}

// modelReason returns the evidence of the model and the rows, assuming that the model is right.
func modelReason(f Facts, model Model) Reason {
	odds, text := shareOdds(f.Share), "both directions fit equally well (Markov equivalence)"
	switch {
	case f.Reversal != nil:
		slope, most := reversalSlope, reversalMost
		switch model.Effects {
		case score.TableEffects:
			if slope, most = tableSlope, tableMost; model.Additive != nil {
				slope, most = additiveSlope, tableMost
			}
		case score.SmoothEffects:
			most = shapeMost
		case score.FlexibleEffects:
			if !f.Class {
				most = shapeMost
			}
		}
		odds, text = min(most, slope**f.Reversal), fmt.Sprintf("reversing the edge increases the score by %.3g (ΔBIC)", *f.Reversal)
		if f.dependent {
			text += ", a quarter of the difference, because rows are not independent"
		}
	case f.Identified:
		odds, text = reversalMost, "the model identifies every direction"
		if f.Margin != nil {
			odds, text = min(reversalMost, reversalSlope**f.Margin), fmt.Sprintf("equal noise variances identify every direction (ΔBIC = %.3g against unequal ones)", *f.Margin)
		}
	case f.Compelled:
		odds, text = identified, "the model identifies the direction"
	}
	if p := f.NoiseP; p != nil && *p <= NoiseLevel && shapeMost > odds {
		odds, text = shapeMost, fmt.Sprintf("the noise is not Gaussian and favours the direction (p = %.2g, corrected for the number of edges)", *p)
	}
	if f.Turned {
		odds *= turnedShare
		text += "; a graph learned from part of the rows has the edge reversed"
	}
	return Reason{Source: FromModel, P: logistic(odds), Text: text}
}

// shareOdds returns the log odds of a direction with this share of the equivalence class.
func shareOdds(share float64) float64 {
	return bounded(shareSlope*logit(share), logit(openMost))
}

// WithShare combines the probability of a direction in samples, where an open direction counts one half, with its share of the
// equivalence class.
func WithShare(direction, share float64) float64 {
	return logistic(sure(direction) + shareOdds(share))
}

// sure returns the log odds of a frequency, which may be 0 or 1.
func sure(p float64) float64 { return logit(min(max(p, 1e-6), 1-1e-6)) }

func bounded(x, most float64) float64 { return min(max(x, -most), most) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// failures holds the failed checks, and those with evidence against directions only, by the columns that they name.
type failures struct {
	at    map[string][]string
	table []string        // checks without columns
	rows  bool            // rows are not independent in any column
	alike map[string]bool // columns whose residuals are dependent
}

func newFailures(assumptions []Assumption) failures {
	f := failures{at: map[string][]string{}, alike: map[string]bool{}}
	for _, a := range assumptions {
		if a.Verdict != Fails && a.Name != SmoothEffects {
			continue
		}
		if a.Name == IndependentRows {
			f.rows = len(a.Evidence) == 0
			for _, finding := range a.Evidence {
				f.rows = f.rows || len(finding.Columns) == 0
				for _, name := range finding.Columns {
					f.alike[name] = true
				}
			}
			continue
		}
		for _, finding := range a.Evidence {
			word := CodeWords(finding.Code)
			if len(finding.Columns) == 0 {
				f.table = append(f.table, word)
			}
			for _, name := range finding.Columns {
				f.at[name] = append(f.at[name], word+" ("+name+")")
			}
		}
	}
	return f
}

func (f failures) dependent(from, to string) Dependence {
	return Dependence{Effect: f.rows || f.alike[to], Direction: f.rows || f.alike[from] || f.alike[to]}
}

// of lists the failed checks that concern an edge.
func (f failures) of(names []string, e Facts) []string {
	return slices.Concat(f.table, f.at[names[e.From]], f.at[names[e.To]])
}
