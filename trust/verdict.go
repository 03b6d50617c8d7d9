package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// An EdgeVerdict is the conclusion about one edge.
type EdgeVerdict string

// These are the verdicts.
const (
	// Directed: the direction is stated. The probability of the edge and of its direction together, PAdjacent·PDirection, is at least
	// StatedLevel.
	Directed EdgeVerdict = "directed"
	// Undirected: the two variables are adjacent, with a probability of at least StatedLevel. No direction is stated, because
	// PAdjacent·PDirection is below StatedLevel.
	Undirected EdgeVerdict = "undirected"
	// Weak: the probability that the two variables are adjacent is below StatedLevel.
	Weak EdgeVerdict = "weak"
)

// StatedLevel is the probability from which an adjacency or a direction is stated.
const StatedLevel = 0.8

// NoiseLevel is the probability, corrected for the number of edges, below which the noise settles a direction.
const NoiseLevel = 0.05

// A Judgement is the verdict on one edge with its probabilities.
type Judgement struct {
	// Verdict is empty for a graph that was supplied and not learned.
	Verdict EdgeVerdict `json:"verdict,omitempty"`
	// Confidence is the probability of the verdict: of From → To for a directed edge, and otherwise of the adjacency.
	Confidence float64 `json:"confidence,omitempty"`
	// PAdjacent is the probability that the two variables are adjacent, and PDirection the probability of From → To if they are.
	PAdjacent  float64 `json:"p_adjacent,omitempty"`
	PDirection float64 `json:"p_direction,omitempty"`
	// Basis is what PDirection mainly rests on, and Evidence lists the sources. PDirection is the weighted mean of their probabilities.
	Basis    Basis    `json:"basis,omitempty"`
	Evidence []Reason `json:"evidence,omitempty"`
}

// Basis is what the probability of a direction mainly rests on.
type Basis string

const (
	// ByModel: the model and the rows of this table, such as the equivalence class, equal noise variances or the shape of effects.
	ByModel Basis = "model"
	// ByRule: rules about real tables alone, because an assumption check failed at one of the two variables.
	ByRule Basis = "rule"
	// ByModelAndRule: the model together with the rules about real tables.
	ByModelAndRule Basis = "model_and_rule"
	// ByKnowledge: prior knowledge decides the direction.
	ByKnowledge Basis = "knowledge"
	// ByPrior: prior probabilities of edges, which the rows do not outweigh.
	ByPrior Basis = "prior"
	// ByKnowledgeAndModel: prior knowledge together with other directions and missing edges of the learned graph decides the direction.
	ByKnowledgeAndModel Basis = "knowledge_and_model"
)

// A Dependence says whether rows that are not independent concern an edge. An estimated effect on a column is less certain than its
// rows suggest only if the residuals of this column are dependent, so that Effect is about the second column of the edge. Direction is
// about both, because it compares the residuals of one column with those of the other.
type Dependence struct{ Effect, Direction bool }

// Dependent returns the dependence of rows for an edge, from the check of independent rows.
func Dependent(list []Assumption) func(graph.Link) Dependence {
	f := newFailures(list)
	return func(e graph.Link) Dependence { return f.dependent(e.From, e.To) }
}

// State draws the verdict from the probability that two variables are adjacent, and that of the direction if they are. Where there is evidence, the
// probability of the direction is that of the evidence.
func State(adjacent, direction float64, evidence []Reason) Judgement {
	return Judgement{PAdjacent: adjacent, PDirection: direction, Evidence: evidence}.stated()
}

// Check returns an error if the judgement is inconsistent.
func (j Judgement) Check() error {
	for _, p := range []float64{j.Confidence, j.PAdjacent, j.PDirection} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("a probability is %v, want 0 to 1", p)
		}
	}
	if !slices.Contains([]EdgeVerdict{"", Directed, Undirected, Weak}, j.Verdict) {
		return fmt.Errorf("the verdict is %q, want %s, %s or %s", j.Verdict, Directed, Undirected, Weak)
	}
	if j.Verdict == "" {
		return nil
	}
	const rounding = 0.01 // tolerance for probabilities that another program rounded
	both := j.PAdjacent * j.PDirection
	if j.Verdict == Directed && both < StatedLevel-rounding || j.Verdict == Weak && j.PAdjacent > StatedLevel+rounding || j.Verdict == Undirected && j.PAdjacent < StatedLevel-rounding {
		return fmt.Errorf("the verdict is %s, but the probability of the adjacency is %.3g and that of the direction %.3g", j.Verdict, j.PAdjacent, j.PDirection)
	}
	return nil
}

// A Reason is one source of evidence about a direction.
type Reason struct {
	Source string `json:"source"`
	// P is the probability of the direction from this source alone, and Weight its weight. Both are 0 for a remark.
	P      float64 `json:"p,omitempty"`
	Weight float64 `json:"weight,omitempty"`
	Text   string  `json:"text"`
}

// These are the sources of evidence.
const (
	FromModel     = "model"         // loss of fit of the best known graph with the edge reversed
	FromRows      = "resampling"    // bootstrap samples or graphs of the posterior
	FromKnowledge = "knowledge"     // prior knowledge
	FromPrior     = "prior"         // prior probabilities of edges, as a remark: they are part of the other probabilities
	FromChecks    = "failed_checks" // assumption checks that failed at one of the two variables
	FromTables    = "real_tables"   // priors from real tables with a known order
	FromHidden    = "hidden_cause"  // tests of a hidden common cause in place of the edge; then neither direction is right, so P is 0
)

// Facts are the inputs of the verdict on one edge.
type Facts struct {
	graph.Edge
	// Arrow reports that the edge is From → To in the graph.
	Arrow bool
	// Gain is the score increase without the edge, on the scale of twice the log-likelihood and less the penalty. Penalty is the
	// penalty per edge.
	Gain, Penalty float64
	// Compelled reports that every graph with an equal fit has this direction, Known that prior knowledge determines it, and
	// Identified that the model identifies all directions and passed its own test.
	Compelled, Known, Identified bool
	// Required says that prior knowledge requires the edge.
	Required bool
	// Derived says that prior knowledge decides the direction together with other edges of the learned graph, which may be wrong.
	Derived bool
	// Class says that all graphs of the Markov equivalence class have this direction, so that it does not rest on the shape of curves.
	Class bool
	// Margin is the advantage of the model of Identified over the model without identification (ΔBIC). It is nil if the user chose
	// the model.
	Margin *float64
	// PriorAdjacent and PriorDirection are the prior log odds of an edge and of its direction, relative to no prior.
	PriorAdjacent, PriorDirection float64
	// Share is the share of the graphs of the equivalence class with this direction, if it is not Compelled.
	Share float64
	// Reversal is the score increase of the best known graph with the edge reversed; nil if unknown.
	Reversal *float64
	// NoiseP is the p-value of the asymmetry of the noise; nil if the noise was assumed to be Gaussian.
	NoiseP *float64
	// HiddenGain is the score decrease if a hidden common cause replaces the edge; nil if no test can tell.
	HiddenGain *float64
	// Turned reports that a graph learned from a part of the rows has the edge reversed.
	Turned bool
	// Unseen reports that a rank test does not show the edge in a table with interventions.
	Unseen bool
	// dependent reports that Reversal was multiplied by dependentRows.
	dependent bool
}

// These constants calibrate the probabilities. docs/explanation/confidence.md describes the study and its tables.
const (
	// adjacencyShift and adjacencySlope convert the gain of an edge to log odds of the adjacency.
	adjacencyShift, adjacencySlope, adjacencyMost = 0.3, 0.25, 4.0
	// unseenMost limits the log odds of an edge that is Unseen. In the knockouts of DREAM4, with two rows for each target, about a third of such
	// edges are right; among independent columns with heavy tails none is.
	unseenMost = -0.5
	// reversalSlope converts the loss of a reversal to log odds of a direction, and reversalMost limits them. 0.19 fits 355 edges
	// of simulated tables best.
	reversalSlope, reversalMost = 0.2, 5.0
	// tableSlope and tableMost are the values for probability tables, fitted to 2905 edges. A reversal changes the penalty by many
	// parameters at a time, so that the same loss is weaker evidence: at a loss of 8 to 12, 0.65 of the directions are right.
	tableSlope, tableMost = 0.1, 3.5
	// additiveSlope is the value if additive effects were considered besides full tables. A reversal then changes the penalty by
	// few parameters. 0.22 fits 1038 edges of simulated binary tables best; the value is smaller because more directions are wrong
	// with n = 1000 and moderate effects.
	additiveSlope = 0.15
	// identified are the log odds of a direction that the model identifies if the loss of a reversal is unknown.
	identified = 1.4
	// shareSlope multiplies the log odds of the share of the equivalence class: 1.30 ± 0.08 fits 2900 open edges of simulated
	// tables. If all orders of the variables are equally probable, the middle of a chain of three is the cause with odds of 3 and
	// not 2, which is a slope of 1.58.
	shareSlope = 1.3
	// openMost limits the probability of a direction that the equivalence class leaves open, so that it stays below StatedLevel. At
	// the limit 0.84 of 365 edges were right.
	openMost = 0.8
	// turnedShare multiplies the log odds if a part of the rows has the edge reversed.
	turnedShare = 0.3
	// dependentRows is the weight of a row if consecutive rows are similar.
	dependentRows = 0.25
	// curveWeights is the approximate number of parameters of a smooth effect, each of which pays the penalty if rows have smaller
	// weights.
	curveWeights = 3
	// doubt is the weight of wrong directions that no check detects.
	doubt = 0.02
	// openWeight is the weight of the rules from real tables if a linear model leaves a direction open and no check failed.
	openWeight = 0.5
	// flexibleShare is the share of the log odds of a flexible model that is added to those of the rules from real tables. On real
	// tables whose checks passed, the direction of the model adds nothing to the rules (best fit -0.3 for 33 edges). On simulated
	// tables it is right (1.5 for 457 edges). With 0.25 the error of p_direction is 0.08 on real tables with tiers and 0.07 on
	// simulated tables; with 0.5 it is 0.11 on real ones.
	flexibleShare = 0.25
	// shapeMost limits the log odds of a direction that depends on the shape of curves or noise: 5 of 7 such directions of real
	// pairs of variables were right, and published figures for such rules are 0.7 to 0.75.
	shapeMost = 2.0
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
			text += ", a quarter of the field reversal because rows are not independent"
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
