package trust

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
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
