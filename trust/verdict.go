package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// An EdgeVerdict says what is stated about one edge.
type EdgeVerdict string

// The verdicts.
const (
	// Directed: the direction is stated. Its probability is at least StatedLevel.
	Directed EdgeVerdict = "directed"
	// Undirected: the two variables are adjacent. The direction is not identified, or its probability is below StatedLevel.
	Undirected EdgeVerdict = "undirected"
	// Weak: the probability that the two variables are adjacent is below StatedLevel.
	Weak EdgeVerdict = "weak"
)

// StatedLevel is the probability from which an adjacency or a direction is stated.
const StatedLevel = 0.8

// NoiseLevel is the probability, corrected for the number of edges, below which the noise settles a direction.
const NoiseLevel = 0.05

// A Judgement is what a result says about one edge.
type Judgement struct {
	// Verdict is empty for a graph that was given and not learned.
	Verdict EdgeVerdict `json:"verdict,omitempty"`
	// Confidence is the probability of what Verdict states: that From → To is an edge if it is directed, else that the two are adjacent.
	Confidence float64 `json:"confidence,omitempty"`
	// PAdjacent is the probability that the two variables are adjacent, and PDirection the probability of From → To if they are.
	PAdjacent  float64 `json:"p_adjacent,omitempty"`
	PDirection float64 `json:"p_direction,omitempty"`
	// Evidence lists what PDirection rests on. PDirection is the mean of the probabilities, weighted.
	Evidence []Reason `json:"evidence,omitempty"`
}

// State draws the verdict from the probability that two variables are adjacent, and that of the direction if they are. Where there is evidence, the
// probability of the direction is that of the evidence.
func State(adjacent, direction float64, evidence []Reason) Judgement {
	return Judgement{PAdjacent: adjacent, PDirection: direction, Evidence: evidence}.stated()
}

// Check reports what keeps a judgement from being one.
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
	const rounding = 0.01 // of probabilities in a file that another program wrote
	both := j.PAdjacent * j.PDirection
	if j.Verdict == Directed && both < StatedLevel-rounding || j.Verdict == Weak && j.PAdjacent > StatedLevel+rounding || j.Verdict == Undirected && j.PAdjacent < StatedLevel-rounding {
		return fmt.Errorf("the verdict is %s, but the probability of the adjacency is %.3g and that of the direction %.3g", j.Verdict, j.PAdjacent, j.PDirection)
	}
	return nil
}

// A Reason is one source of evidence about a direction.
type Reason struct {
	Source string `json:"source"`
	// P is the probability of the direction by this source alone, and Weight how much it counts. Both are 0 for a remark.
	P      float64 `json:"p,omitempty"`
	Weight float64 `json:"weight,omitempty"`
	Text   string  `json:"text"`
}

// Sources of evidence.
const (
	FromModel     = "model"         // how much worse the best known graph with the edge reversed fits
	FromRows      = "resampling"    // bootstrap samples or graphs of the posterior
	FromKnowledge = "knowledge"     // prior knowledge
	FromChecks    = "failed_checks" // assumption checks that failed at one of the two variables
	FromTables    = "real_tables"   // what is usual in tables whose order is known
)

// Facts are what a run knows of one edge before it is judged.
type Facts struct {
	graph.Edge
	// Arrow says that the edge is From → To in the graph, and not of another kind.
	Arrow bool
	// Gain is the score increase without the edge, on the scale of twice the log-likelihood, the penalty subtracted. Penalty is that per edge.
	Gain, Penalty float64
	// Compelled says that every graph that fits equally well has this direction, Known that prior knowledge decides it, and Identified that
	// the model, which passed a test of its own, identifies every direction.
	Compelled, Known, Identified bool
	// Class says that all graphs of the Markov equivalence class have this direction, so that it does not rest on the shape of curves.
	Class bool
	// Margin is by how much the model of Identified is better than the one that leaves directions open (ΔBIC); nil where it was asked for.
	Margin *float64
	// Share is the share of the graphs of the equivalence class that have this direction, where it is not Compelled.
	Share float64
	// Reversal is the score increase of the best known graph with the edge reversed; nil where it is not known.
	Reversal *float64
	// NoiseP is the probability of noise as asymmetric as that by chance; nil where the noise was taken to be Gaussian.
	NoiseP *float64
	// Turned says that a part of the rows, learned by itself, has the edge reversed.
	Turned bool
}

// The calibration of probabilities. docs/explanation/confidence.md has the study, which tables it was made on, and what it does on others.
const (
	// adjacencyShift and adjacencySlope turn the gain of an edge into log odds that the two are adjacent.
	adjacencyShift, adjacencySlope, adjacencyMost = 0.3, 0.25, 4.0
	// reversalSlope turns the cost of a reversal into log odds of a direction, and reversalMost bounds them. 0.19 fits 355 edges of simulated tables best.
	reversalSlope, reversalMost = 0.2, 5.0
	// tableSlope and tableMost are the same under probability tables, fitted to 2905 edges. A reversal there changes the penalty by many parameters at a time, so
	// that the same cost is weaker evidence: at a cost of 8 to 12, 0.65 of the directions are right.
	tableSlope, tableMost = 0.1, 3.5
	// additiveSlope is the same if additive effects were considered beside full tables, where a reversal changes the penalty by few parameters. 0.22 fits 1038
	// edges of simulated binary tables best; the value is smaller because with n = 1000 and moderate effects more directions are wrong.
	additiveSlope = 0.15
	// identified are the log odds where the model fixes a direction and the cost of a reversal is not known.
	identified = 1.4
	// shareSlope multiplies the log odds of the share of the equivalence class: 1.30 ± 0.08 fits 2900 open edges of simulated tables. If all orders of the variables
	// are equally probable, the middle of a chain of three is the cause with odds of 3 and not 2, which is a slope of 1.58.
	shareSlope = 1.3
	// openMost bounds the probability of a direction that the class leaves open, so that it stays below StatedLevel. Of 365 edges at the bound 0.84 were right.
	openMost = 0.8
	// turnedShare is what is left of log odds where a part of the rows has the edge reversed.
	turnedShare = 0.3
	// dependentRows is what a row counts where neighbouring rows are alike.
	dependentRows = 0.25
	// curveWeights is how many parameters a smooth effect has, about, where rows count less: it pays the penalty for each.
	curveWeights = 3
	// doubt is the weight of directions that no check can see to be wrong.
	doubt = 0.02
	// openWeight is the weight of what is usual in real tables where a linear model leaves a direction open and no check failed.
	openWeight = 0.5
	// flexibleShare is the share of the log odds of a flexible model that is added to those of the rules about real tables. On real tables whose checks passed
	// the direction of the model adds nothing to the rules (best fit -0.3 for 33 edges), on simulated tables it is right (1.5 for 457 edges). With 0.25 the error of
	// p_direction is 0.08 on real tables with tiers and 0.07 on simulated tables; with 0.5 it is 0.11 on real ones.
	flexibleShare = 0.25
	// shapeMost bounds the log odds of a direction that the shape of curves or of the noise tells: of 7 such directions of real pairs of variables 5 were right,
	// and published figures for such rules are 0.7 to 0.75.
	shapeMost = 2.0
)

// Weigh judges edges. Failed checks count for the edges that touch a column they name, and for all edges where they name none.
func Weigh(e Evidence, model Model, assumptions []Assumption, edges []Facts) []Judgement {
	failed := newFailures(assumptions)
	pairs := newAsymmetry(e, model)
	out := make([]Judgement, len(edges))
	for k, f := range edges {
		out[k] = judge(f, model, failed.of(e.Moments.Names, f), failed.rows, pairs)
	}
	return out
}

func judge(f Facts, model Model, failed []string, dependent bool, pairs *asymmetry) Judgement {
	var j Judgement
	gain := f.Gain
	if dependent {
		penalty := f.Penalty
		if model.Effects == score.SmoothEffects || model.Effects == score.FlexibleEffects {
			penalty *= curveWeights
		}
		gain = (f.Gain+penalty)*dependentRows - penalty
		if f.Reversal != nil {
			less := *f.Reversal * dependentRows
			f.Reversal = &less
		}
	}
	j.PAdjacent = logistic(min(adjacencyMost, adjacencyShift+adjacencySlope*gain))
	if f.Arrow {
		j.Evidence = direction(f, model, failed, pairs)
	}
	return j.stated()
}

// Resampled returns the judgement with the probabilities of bootstrap samples, half samples or graphs of the posterior in the place of
// those of one fit. They are calibrated under the model, so that failed checks count as before.
func (j Judgement) Resampled(adjacent, direction float64, by string) Judgement {
	j.PAdjacent, j.PDirection = adjacent, direction
	j.Evidence = slices.Clone(j.Evidence)
	checked := !slices.ContainsFunc(j.Evidence, func(r Reason) bool { return r.Source == FromChecks })
	more := 0.0 // log odds of the direction, beyond those of one fit
	for k, r := range j.Evidence {
		switch {
		case r.Source == FromModel || r.Source == FromRows:
			more = sure(direction) - sure(r.P)
			j.Evidence[k].Source, j.Evidence[k].P, j.Evidence[k].Text = FromRows, direction, by
		case r.Source == FromTables && r.Weight == 1 && checked: // of a flexible model
			j.Evidence[k].P = logistic(logit(r.P) + flexibleShare*more)
		}
	}
	return j.stated()
}

// stated draws the direction's probability from the evidence, and the verdict from both probabilities.
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

// direction collects the evidence that an edge points from From to To.
func direction(f Facts, model Model, failed []string, pairs *asymmetry) []Reason {
	if f.Known {
		return []Reason{{Source: FromKnowledge, P: 1, Weight: 1, Text: "prior knowledge determines the direction"}}
	}
	out := []Reason{modelReason(f, model)}
	usual, weight := Reason{Source: FromTables, P: 0.5, Text: "untestable assumptions, such as no hidden confounders"}, doubt
	switch {
	case len(failed) > 0: // on real tables the direction that a failed model states adds nothing to the rules
		usual, weight = pairs.reason(f.Edge, 0, math.Inf(1)), 1
		out = append(out, Reason{Source: FromChecks, Text: "failed checks at these variables: " + strings.Join(failed, ", ")})
	case f.open() && pairs.columns != nil && (model.Effects == "" || model.Effects == score.LinearEffects):
		usual, weight = pairs.reason(f.Edge, shareOdds(f.Share), logit(openMost)), openWeight
	case model.Effects == score.FlexibleEffects && pairs.columns != nil: // curves mislead more often in real tables than in simulated ones
		usual, weight = pairs.reason(f.Edge, flexibleShare*logit(out[0].P), math.Inf(1)), 1
		usual.Text += fmt.Sprintf("; combined with %g of the log odds of the model", flexibleShare)
	}
	usual.Weight, out[0].Weight = weight, 1-weight
	return append(out, usual)
}

// open reports whether the model says nothing about the direction.
func (f Facts) open() bool {
	return !f.Compelled && !f.Identified && f.Reversal == nil && (f.NoiseP == nil || *f.NoiseP > NoiseLevel)
}

// modelReason is what the model and the rows say of the direction, if the model holds.
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
	case f.Identified:
		odds, text = reversalMost, "the model identifies every direction"
		if f.Margin != nil {
			odds, text = min(reversalMost, reversalSlope**f.Margin), fmt.Sprintf("equal noise variances identify every direction (ΔBIC = %.3g against unequal ones)", *f.Margin)
		}
	case f.Compelled:
		odds, text = identified, "the model identifies the direction"
	}
	if p := f.NoiseP; p != nil && *p <= NoiseLevel {
		if o := min(shapeMost, -math.Log(max(*p, 1e-300))); o > odds {
			odds, text = o, fmt.Sprintf("the noise is not Gaussian and favours the direction (p = %.2g, corrected for the number of edges)", *p)
		}
	}
	if f.Turned {
		odds *= turnedShare
		text += "; a graph learned from part of the rows has the edge reversed"
	}
	return Reason{Source: FromModel, P: logistic(odds), Text: text}
}

// shareOdds are the log odds of a direction that this share of the equivalence class has.
func shareOdds(share float64) float64 {
	return bounded(shareSlope*logit(share), logit(openMost))
}

// WithShare combines the probability of a direction in samples that count an open direction as a half with its share of the equivalence class.
func WithShare(direction, share float64) float64 {
	return logistic(sure(direction) + shareOdds(share))
}

// sure returns the log odds of a frequency, which may be 0 or 1.
func sure(p float64) float64 { return logit(min(max(p, 1e-6), 1-1e-6)) }

func bounded(x, most float64) float64 { return min(max(x, -most), most) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// failures are the checks that failed, by the columns that they name.
type failures struct {
	at    map[string][]string
	table []string // those that name none
	rows  bool     // rows are not independent
}

func newFailures(assumptions []Assumption) failures {
	f := failures{at: map[string][]string{}}
	for _, a := range assumptions {
		if a.Verdict != Fails {
			continue
		}
		if a.Name == IndependentRows {
			f.rows = true
			continue
		}
		for _, finding := range a.Evidence {
			word := strings.ReplaceAll(finding.Code, "_", " ")
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

// of lists the failed checks that concern an edge.
func (f failures) of(names []string, e Facts) []string {
	return slices.Concat(f.table, f.at[names[e.From]], f.at[names[e.To]])
}
