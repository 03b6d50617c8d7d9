package trust

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// Names of the assumptions behind a stated direction.
const (
	LinearEffects   = "linear_effects" // not under smooth and discrete effects
	SmoothEffects   = "smooth_effects" // under smooth effects only
	GaussianNoise   = "gaussian_noise" // not under discrete effects
	IndependentRows = "independent_rows"
	EqualVariances  = "equal_variances" // only if the model assumes them
	SteadyNoise     = "steady_noise"    // replaces GaussianNoise if the noise may have any distribution
	NoHiddenCauses  = "no_hidden_causes"
	NoFeedback      = "no_feedback"
	Interactions    = "interactions" // under discrete effects only
	// IndependentPairs: unconnected columns are independent given their parents. Not under discrete effects.
	IndependentPairs = "independent_pairs"
	// Collection: how rows and labels were chosen does not explain dependence. Only if it fails.
	Collection = "collection"
)

// A CheckOutcome is what the check of an assumption found.
type CheckOutcome string

// These are the outcomes. None of them means that an assumption is true.
const (
	Passed     CheckOutcome = "passed"      // checked, and no relevant violation was found
	Failed     CheckOutcome = "failed"      // Evidence lists where and by how much
	NotChecked CheckOutcome = "not_checked" // the data that the check needs are missing
	Untestable CheckOutcome = "untestable"  // no table of this kind can refute it
)

// Codes of evidence that Examine does not report. The other codes are Binary, FewLevels, Skewed, HeavyTails, RepeatedRows and
// Standardized.
const (
	Curvature        = "curvature"
	LightTails       = "light_tails"
	AlikeNeighbours  = "alike_neighbours"
	UnequalVariances = "unequal_variances"
	NoiseVaries      = "noise_varies"
	AdditiveEffects  = "additive_effects"
	MissedDependence = "missed_dependence"
	OnlyLabelled     = "only_labelled"
	Exclusive        = "exclusive_labels"
)

// An Assumption is an assumption of the model of a graph, with the outcome of its check.
type Assumption struct {
	Name      string       `json:"name"`
	Statement string       `json:"statement"` // the assumption in words
	Outcome   CheckOutcome `json:"outcome"`
	// Sentence gives the reason for the outcome, with figures.
	Sentence string `json:"sentence"`
	// Evidence lists the violations if the outcome is Failed. A finding without columns concerns the whole table.
	Evidence []Finding `json:"evidence,omitempty"`
}

// Evidence is the information about a table that the checks use. Profile and Sample may be nil; the checks that need them are then
// skipped.
type Evidence struct {
	Moments *dataset.Moments
	Profile *dataset.Profile
	Sample  *dataset.Sample
	// RowWeight is the weight of a row, less than 1 for grouped rows. 0 stands for 1.
	RowWeight float64
	// Groups says how rows in groups are counted; nil if every row counts fully.
	Groups *dataset.Groups
	// Environments lists the rows with an intervention on a column, which are excluded from the residuals of that column. It is nil if
	// there are no interventions.
	Environments *dataset.Environments
	// Pictures reports that rows are pictures: several may show the same person or scene, and no column says which.
	Pictures bool
	// Faces reports that the columns are those of a collection of faces with a few pictures of each person.
	Faces bool
	// Stationary is the check of a table with lags, which names the columns without lags; the zero value for others.
	Stationary Assumption
}

// worth returns the total weight of this number of rows.
func (e Evidence) worth(rows int) float64 { return float64(rows) * cmp.Or(e.RowWeight, 1) }

// A Model is a learned graph with the assumptions about its effects and its noise.
type Model struct {
	Graph *graph.Graph
	// Inputs are columns that the model does not describe, such as lagged values; nil for none.
	Inputs []bool
	// Effects is linear if it is empty. Kinds has the kind of each column; it is nil if only moments are known.
	Effects score.Effects
	Kinds   []dataset.Variable
	// Categories marks numeric columns that the method modelled as categorical. It is nil if there are none.
	Categories []bool
	// Additive marks the columns of a discrete model whose parents have additive effects in a multinomial logit. It is nil if only
	// full probability tables were considered.
	Additive []bool
	// Scales has the scale of each column under a flexible model, and Straight marks the columns without curves. Both are nil under
	// other models.
	Scales   []dataset.Scale
	Straight []bool
	products bool // fit products of parents, as effects do
	// NormalScores reports that the columns were replaced by the normal scores of their ranks, so that this is not proposed as a
	// remedy.
	NormalScores bool
	// EqualVariances reports that the model assumes equal noise variances, and Standardized that it assumes them for standardized
	// columns.
	EqualVariances, Standardized bool
	// FreeNoise reports that the model of linear effects does not assume Gaussian noise.
	FreeNoise bool
	// Stopped reports that the search did not finish. Only prior knowledge then determines a direction.
	Stopped bool
}

// input reports whether the model does not describe column v.
func (m Model) input(v int) bool { return m.Inputs != nil && m.Inputs[v] }

// label reports whether column v may be a label.
func (m Model) label(v int) bool { return m.Kinds == nil || isLabel(m.Kinds[v]) }

// isLabel reports whether a column has categories, grades or numbers of objects and not measured values.
func isLabel(v dataset.Variable) bool { return v.Kind != dataset.Continuous }

// CheckAssumptions checks the assumptions of a model with the table that it was learned from. A check fails only if the effect is large enough
// to matter and also significant, so that a large table does not fail for a small effect. It changes nothing.
//
// The cost is O(m·e) for m rows of the sample and e edges, and 4·m·d² flops for curvature, with m reduced for many columns.
func CheckAssumptions(e Evidence, model Model) []Assumption {
	j := newJudging(e, model)
	var out []Assumption
	if model.Effects != score.TableEffects { // probability tables assume neither linear effects nor a noise distribution
		noise := j.gaussian
		if model.FreeNoise {
			noise = j.steady
		}
		out = append(out, j.effects(), noise())
	} else {
		out = append(out, j.interactions())
	}
	rows := j.rows()
	if model.Effects != score.TableEffects {
		out = append(out, j.unconnected(rows.Outcome == Failed))
	}
	out = append(out, rows)
	if model.EqualVariances {
		out = append(out, j.equalVariances())
	}
	if chosen, ok := newCollection(e, model).check(e.Moments.Names); ok {
		out = append(out, chosen)
	}
	return append(out,
		Assumption{Name: NoHiddenCauses, Statement: "no hidden common causes", Outcome: Untestable,
			Sentence: "not tested here"},
		Assumption{Name: NoFeedback, Statement: "no feedback (cycles)", Outcome: Untestable,
			Sentence: "cross-sectional rows cannot show whether two columns affect each other"})
}

// judging holds the state of one call of CheckAssumptions.
type judging struct {
	Evidence
	model   Model
	profile map[string]*dataset.ColumnProfile // profiles of the columns of the moments
	two     []bool                            // columns with two values
	res     *residuals                        // nil if there are none; why then has the reason
	why     string
}

func newJudging(e Evidence, model Model) *judging {
	j := &judging{Evidence: e, model: model, profile: map[string]*dataset.ColumnProfile{}, two: make([]bool, e.Moments.Dim())}
	if e.Profile != nil {
		for k := range e.Profile.Columns {
			if c := &e.Profile.Columns[k]; c.Dropped == "" {
				j.profile[c.Name] = c
			}
		}
	}
	look := examination{m: e.Moments, std: e.Moments.Std()}
	for v := range j.two {
		c := j.profile[e.Moments.Names[v]]
		j.two[v] = c != nil && c.Distinct == 2 || look.twoValued(v)
	}
	j.res, j.why = newResiduals(e, model)
	return j
}

// newAssumption returns an assumption that fails if there is evidence, is not tested if data are missing, and holds up otherwise.
func newAssumption(name, statement string, evidence []Finding, missing, otherwise string) Assumption {
	a := Assumption{Name: name, Statement: statement, Evidence: evidence}
	switch {
	case len(evidence) > 0:
		a.Outcome = Failed
		said := make([]string, len(evidence))
		for k, f := range evidence {
			said[k] = f.Sentence
		}
		a.Sentence = strings.Join(said, "; ")
	case missing != "":
		a.Outcome, a.Sentence = NotChecked, missing
	default:
		a.Outcome, a.Sentence = Passed, otherwise
	}
	return a
}

// chance returns the number of standard errors by which the largest of k estimates may deviate by chance: the expected maximum of k
// standard normal values is about √(2 ln k), and 3 is added.
func chance(k int) float64 { return math.Sqrt(2*math.Log(float64(max(k, 1)))) + 3 }

// looked names the number of rows that a verdict is based on.
func (j *judging) looked() string {
	if n := j.res.r.Cols; n < j.Moments.N {
		return fmt.Sprintf("%d of %d rows used", n, j.Moments.N)
	}
	return rows(j.Moments.N) + " used"
}
