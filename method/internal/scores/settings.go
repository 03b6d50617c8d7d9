// Package scores chooses the local score that fits a table, and describes graphs under it.
package scores

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// Criterion is how the discrete model penalizes its parameters.
type Criterion string

// The criteria.
const (
	BIC  Criterion = "bic"
	BDeu Criterion = "bdeu"
)

// Tables is how the discrete model describes a column with several parents.
type Tables string

// The forms of tables.
const (
	AutoTables     Tables = "auto"     // the better of the two for each column
	FullTables     Tables = "full"     // a distribution for each configuration of the parents
	AdditiveTables Tables = "additive" // a multinomial logit without interactions
)

// TargetValues is what the discrete model uses as the value of a column in the rows in which it was intervened on.
type TargetValues string

// The values of targets.
const (
	Measured TargetValues = "measured" // the value in the table
	Own      TargetValues = "own"      // a level of its own in each regime, if the value that was set is not the one that was measured
)

// Settings choose a local score. docs/evidence/penalty.md and docs/explanation/models.md have the measurements behind the defaults.
type Settings struct {
	Model Model
	Price gaussian.Price
	// Criterion and Ess, the equivalent sample size of BDeu, apply to the discrete model.
	Criterion Criterion
	Ess       float64
	// AdaptEss uses score.TargetsEss in place of Ess if columns were intervened on.
	AdaptEss     bool
	TargetValues TargetValues
	// Tables applies to the discrete model. Searches over equivalence classes need FullTables, for which the score is exactly
	// score-equivalent.
	Tables Tables
}

// Default returns the default settings.
func Default() Settings {
	return Settings{Model: AutoModel, Price: gaussian.DefaultPrice(), Criterion: BDeu, Ess: score.DefaultDiscrete().Ess, AdaptEss: true, TargetValues: Measured, Tables: FullTables}
}

// Fixed returns the default settings with a penalty that does not adapt to the table, for a model.
func Fixed(model Model) Settings {
	s := Default()
	s.Model, s.Price.Adapt = model, false
	return s
}

// MayBe reports whether the model is one of these, or may be chosen to be one of them.
func (s *Settings) MayBe(models ...Model) bool {
	return s.Model == AutoModel || slices.Contains(models, s.Model)
}

// Params describes the settings, for methods that support these models.
func (s *Settings) Params(set *param.Set, models ...Model) {
	words := make([]string, len(models))
	for i, w := range models {
		words[i] = string(w)
	}
	param.Word(set, &s.Model, "model", "effect model: "+strings.Join(words, ", ")+"; auto chooses from the column kinds", models...)
	s.Price.Params(set)
	param.Word(set, &s.Criterion, "criterion", "discrete model: score, bdeu or bic", BDeu, BIC)
	set.Float(&s.Ess, "ess", "discrete model: equivalent sample size of the BDeu prior, in rows", param.AtLeast(1e-6), param.AtMost(1e9))
	s.Restrict(set)
}

// Restrict makes settings that belong to one model invisible under the others.
func (s *Settings) Restrict(set *param.Set) {
	for name, models := range map[string][]Model{"penalty": {Linear}, "gamma": {Linear, Discrete}, "criterion": {Discrete}, "ess": {Discrete}} {
		param.When(func() bool { return s.MayBe(models...) && (name != "ess" || s.Criterion == BDeu) })(set.Lookup(name))
	}
}

// Needs is what the score reads of a table.
func (s *Settings) Needs() method.Needs {
	switch s.Model {
	case Linear:
		return method.Moments
	case AutoModel:
		return method.Either
	}
	return method.Rows
}

// Categories reports whether the score supports nominal columns.
func (s *Settings) Categories() bool { return s.MayBe(Discrete, Mixed, Flexible) }

// Bytes is about what a Table takes beside the moments.
func (s *Settings) Bytes(rows, columns int) int64 {
	return method.Matrices(3, columns, 64) + s.RowBytes(rows, columns)
}

// RowBytes is about what the models that read rows keep of a table. Levels take 4 bytes a value, about 6 more while they are counted, and
// the counts. Curves take the matrices of their functions.
func (s *Settings) RowBytes(rows, columns int) int64 {
	values := int64(rows) * int64(columns)
	kept := 8 * min(values, KeptValues)
	levels := 10*values + min(counts.JointBytes, 1000*values)
	curves := method.Matrices(3, columns*(SmoothBasis(columns).Cosines+1), 64)
	switch {
	case s.Model == Linear:
		return 0
	case s.Model == Smooth, s.Model == Flexible:
		return kept + curves
	case s.Model == AutoModel && columns <= CurvedColumns:
		return kept + max(levels, curves)
	}
	return kept + levels
}

// AdaptsEss reports whether score.TargetsEss replaces Ess.
func (s *Settings) AdaptsEss(in *method.Input) bool {
	return s.AdaptEss && s.Criterion == BDeu && in.Regimes != nil && in.Regimes.HasTargets()
}

// discrete returns the settings of the discrete score.
func (s *Settings) discrete(in *method.Input) score.DiscreteSettings {
	out := score.DefaultDiscrete()
	if out.Criterion = score.BDeu; s.Criterion == BIC {
		out.Criterion = score.BIC
	}
	if out.Ess, out.Gamma, out.Weight = s.Ess, s.Price.Gamma, in.Weight(); s.AdaptsEss(in) {
		out.Ess = score.TargetsEss
	}
	out.Tables = map[Tables]score.Tables{AutoTables: score.EitherTables, AdditiveTables: score.AdditiveTables}[s.Tables]
	// With targets the equivalent sample size is a tenth of a row, and the correction of first order for drawn rows may not be enough:
	// with it the consensus graph of Sachs's proteins at 0.85 missed one of 17 edges, and none without. docs/evidence/calibration.md has the figures.
	out.Drawn = in.Drawn && in.Regimes == nil
	return out
}
