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

// Names of the assumptions that a direction rests on.
const (
	LinearEffects   = "linear_effects" // not under smooth and discrete effects
	SmoothEffects   = "smooth_effects" // under smooth effects only
	GaussianNoise   = "gaussian_noise" // not under discrete effects
	IndependentRows = "independent_rows"
	EqualVariances  = "equal_variances" // only where the model has them
	SteadyNoise     = "steady_noise"    // in the place of GaussianNoise, where the noise may have any shape
	NoHiddenCauses  = "no_hidden_causes"
	NoFeedback      = "no_feedback"
	Interactions    = "interactions" // under discrete effects only
)

// A Verdict says what became of an assumption when the table was held against it.
type Verdict string

// The verdicts. None of them says that an assumption is true.
const (
	HoldsUp      Verdict = "holds_up"      // it was checked, and nothing that matters was found against it
	Fails        Verdict = "fails"         // the evidence says by how much and where
	NotTested    Verdict = "not_checked"   // it could be checked, but what that takes was not there
	NotCheckable Verdict = "not_checkable" // no table of this kind can show it
)

// Codes of the evidence against an assumption that no finding of Examine has. The other codes are Binary, FewLevels, Skewed,
// HeavyTails, RepeatedRows and Standardized.
const (
	Curvature        = "curvature"
	LightTails       = "light_tails"
	AlikeNeighbours  = "alike_neighbours"
	UnequalVariances = "unequal_variances"
	NoiseVaries      = "noise_varies"
	AdditiveEffects  = "additive_effects"
)

// An Assumption of the model that a graph was learned under, with a verdict.
type Assumption struct {
	Name      string  `json:"name"`
	Statement string  `json:"statement"` // the assumption in words
	Verdict   Verdict `json:"verdict"`
	// Sentence says what the verdict rests on, with figures.
	Sentence string `json:"sentence"`
	// Evidence against it, where it fails. A finding without columns is about the whole table.
	Evidence []Finding `json:"evidence,omitempty"`
}

// Evidence is what is known of a table. Profile and Sample may be nil: what needs them is then not checked.
type Evidence struct {
	Moments *dataset.Moments
	Profile *dataset.Profile
	Sample  *dataset.Sample
	// RowWeight is what a row counts, less than 1 where rows of one cluster are alike; 0 stands for 1.
	RowWeight float64
	// Regimes say in which rows a column was set from outside: what is left of it there is no noise. Nil where none was.
	Regimes *dataset.Regimes
}

// worth is what so many rows count as.
func (e Evidence) worth(rows int) float64 { return float64(rows) * cmp.Or(e.RowWeight, 1) }

// A Model is a learned graph and what was assumed of its effects and its noise.
type Model struct {
	Graph *graph.Graph
	// Effects is linear where it is empty, and Kinds are those of the columns; nil where only moments are known.
	Effects score.Effects
	Kinds   []dataset.Variable
	// Categories says which columns the method modelled as categories although they are numbers; nil where none is.
	Categories []bool
	// Additive says which columns have additive effects of their parents in a multinomial logit under probability tables; nil where only
	// full tables were considered.
	Additive []bool
	// Scales and Straight are the scales on which a flexible model describes the columns, and the columns without curves; nil under other
	// models.
	Scales   []dataset.Scale
	Straight []bool
	// NormalScores says that the columns were replaced by normal scores of their ranks, so that it is no remedy.
	NormalScores bool
	// EqualVariances says that the noise variances were taken to be equal, and Standardized that this was in columns scaled
	// to unit variance.
	EqualVariances, Standardized bool
	// FreeNoise says that the noise of linear effects was not taken to be Gaussian.
	FreeNoise bool
}

// Judge holds the assumptions of a model against the table that it was learned from. Thresholds are on the size of an effect, with a
// bound for chance besides: a large table fails for what matters and not for what is merely significant. It changes nothing.
//
// Cost: O(m·e) for m rows of the sample and e edges, and 4·m·d² flops for curvature, with m reduced for many columns.
func Judge(e Evidence, model Model) []Assumption {
	j := newJudging(e, model)
	var out []Assumption
	if model.Effects != score.TableEffects { // a distribution for each configuration has neither lines nor noise
		noise := j.gaussian
		if model.FreeNoise {
			noise = j.steady
		}
		out = append(out, j.effects(), noise())
	} else {
		out = append(out, j.interactions())
	}
	out = append(out, j.rows())
	if model.EqualVariances {
		out = append(out, j.equalVariances())
	}
	return append(out,
		Assumption{Name: NoHiddenCauses, Statement: "no hidden common causes", Verdict: NotCheckable,
			Sentence: "observational data cannot distinguish a hidden common cause from an edge"},
		Assumption{Name: NoFeedback, Statement: "no feedback (cycles)", Verdict: NotCheckable,
			Sentence: "cross-sectional rows cannot show whether two columns affect each other"})
}

// judging is one call of Judge.
type judging struct {
	Evidence
	model   Model
	profile map[string]*dataset.ColumnProfile // of the columns of the moments
	two     []bool                            // columns of two values
	res     *residuals                        // nil where there are none, and why then says so
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

// verdict turns evidence into an assumption: it fails where there is any, is not tested where something is missing, else holds up.
func verdict(name, statement string, evidence []Finding, missing, otherwise string) Assumption {
	a := Assumption{Name: name, Statement: statement, Evidence: evidence}
	switch {
	case len(evidence) > 0:
		a.Verdict = Fails
		said := make([]string, len(evidence))
		for k, f := range evidence {
			said[k] = f.Sentence
		}
		a.Sentence = strings.Join(said, "; ")
	case missing != "":
		a.Verdict, a.Sentence = NotTested, missing
	default:
		a.Verdict, a.Sentence = HoldsUp, otherwise
	}
	return a
}

// chance is how many standard errors the largest of k figures may be off by chance: √(2 ln k) is about what is expected of the
// largest of k Gaussian ones, and three more are kept clear.
func chance(k int) float64 { return math.Sqrt(2*math.Log(float64(max(k, 1)))) + 3 }

// looked says how many rows a verdict is from.
func (j *judging) looked() string {
	if n := j.res.r.Cols; n < j.Moments.N {
		return fmt.Sprintf("%d of %d rows used", n, j.Moments.N)
	}
	return rows(j.Moments.N) + " used"
}
