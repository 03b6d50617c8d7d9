package trust

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
)

// A Verdict is the conclusion about one edge.
type Verdict string

// These are the verdicts.
const (
	// Directed: the direction is stated. The probability of the edge and of its direction together, PAdjacent·PDirection, is at least
	// StatedLevel.
	Directed Verdict = "directed"
	// Undirected: the two variables are adjacent, with a probability of at least StatedLevel. No direction is stated, because
	// PAdjacent·PDirection is below StatedLevel.
	Undirected Verdict = "undirected"
	// Weak: the probability that the two variables are adjacent is below StatedLevel.
	Weak Verdict = "weak"
)

// StatedLevel is the probability from which an adjacency or a direction is stated.
const StatedLevel = 0.8

// NoiseLevel is the probability, corrected for the number of edges, below which the noise settles a direction.
const NoiseLevel = 0.05

// A Judgement is the verdict on one edge with its probabilities.
type Judgement struct {
	// Verdict is empty for a graph that was supplied and not learned.
	Verdict Verdict `json:"verdict,omitempty"`
	// Confidence is the probability of the verdict: of From → To for a directed edge, and otherwise of the adjacency.
	Confidence float64 `json:"confidence,omitempty"`
	// PAdjacent is the probability that the two variables are adjacent, and PDirection the probability of From → To if they are.
	PAdjacent  float64 `json:"p_adjacent,omitempty"`
	PDirection float64 `json:"p_direction,omitempty"`
	// Basis is what PDirection mainly rests on, and Evidence lists the sources. PDirection follows from the sum of their log odds.
	Basis    Basis    `json:"basis,omitempty"`
	Evidence []Reason `json:"evidence,omitempty"`
}

// Basis is what the probability of a direction mainly rests on.
type Basis string

const (
	// ByKnowledge: prior knowledge decides the direction.
	ByKnowledge Basis = "knowledge"
	// ByPrior: prior probabilities of edges, which the rows do not outweigh.
	ByPrior Basis = "prior"
	// ByKnowledgeAndModel: prior knowledge together with other directions and missing edges of the learned graph decides the direction.
	ByKnowledgeAndModel Basis = "knowledge_and_model"
	// ByNames: the names of the columns, such as age and death.
	ByNames Basis = "names"
	// ByModel: the model and the rows of this table, such as the equivalence class, equal noise variances or the shape of effects.
	ByModel Basis = "model"
	// ByModelAndRule: the model and the rules about real tables, neither of which states the direction alone.
	ByModelAndRule Basis = "model_and_rule"
	// ByRule: rules about real tables. They never state a direction alone.
	ByRule Basis = "rule"
)

// bases lists every basis.
var bases = []Basis{ByKnowledge, ByPrior, ByKnowledgeAndModel, ByNames, ByModel, ByModelAndRule, ByRule}

// Word says in one word, for tables, what a direction rests on: you, names, model or rules. A direction that follows from prior knowledge
// only with other learned edges can be as wrong as these, so that its word is model. Where the rules decide together with the model, the
// word is rules, the weaker source.
func (b Basis) Word() string {
	switch b {
	case ByKnowledge, ByPrior:
		return "you"
	case ByNames:
		return "names"
	case ByModel, ByKnowledgeAndModel:
		return "model"
	case ByRule, ByModelAndRule:
		return "rules"
	}
	return ""
}

// Doubts are what checks of the rows say against an edge.
//
// Effect and Direction report that rows are not independent. An estimated effect on a column is less certain than its rows suggest only
// if the residuals of this column are dependent, so that Effect is about the second column of the edge. Direction is about both, because
// it compares the residuals of one column with those of the other.
//
// Together reports that both columns change together without an edge: their means change over time, or both hold numbers that stand for
// missing values.
type Doubts struct{ Effect, Direction, Together bool }

// DoubtsOf returns the doubts about each edge, from the assumption checks and the findings about the table.
func DoubtsOf(list []Assumption, dataChecks []Finding) func(graph.Link) Doubts {
	f := newFailures(list)
	for _, finding := range dataChecks {
		if finding.Code == Sentinel {
			f.drift(finding.Columns)
		}
	}
	return func(e graph.Link) Doubts { return f.doubts(e.From, e.To) }
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
	if !slices.Contains([]Verdict{"", Directed, Undirected, Weak}, j.Verdict) {
		return fmt.Errorf("the verdict is %q, want %s, %s or %s", j.Verdict, Directed, Undirected, Weak)
	}
	if j.Basis != "" && !slices.Contains(bases, j.Basis) {
		return fmt.Errorf("the basis is %q, want one of %q", j.Basis, bases)
	}
	for _, r := range j.Evidence {
		if err := r.check(); err != nil {
			return err
		}
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
