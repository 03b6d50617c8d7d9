// Package scores chooses the local score that fits a table, and describes graphs under it.
package scores

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// Criterion is the penalty of the discrete model.
type Criterion string

const (
	BIC  Criterion = "bic"
	BDeu Criterion = "bdeu"
)

// Tables is the model of a discrete column with several parents.
type Tables string

const (
	AutoTables     Tables = "auto"     // the better of the two for each column
	FullTables     Tables = "full"     // a distribution for each configuration of the parents
	AdditiveTables Tables = "additive" // a multinomial logit without interactions
)

// TargetValues is the value of a column, under the discrete model, in the rows with an intervention on it.
type TargetValues string

const (
	Measured TargetValues = "measured" // the value in the table
	Own      TargetValues = "own"      // a separate level in each environment, if the measured value differs from the value set by the intervention
)

// Settings choose a local score. docs/evidence/penalty.md and docs/explanation/models.md give the measurements behind the defaults.
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

// MayBe reports whether the model is one of these or may be chosen as one of them.
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

// Restrict hides settings that belong to one model under the others.
func (s *Settings) Restrict(set *param.Set) {
	for name, models := range map[string][]Model{"penalty": {Linear}, "gamma": {Linear, Discrete}, "criterion": {Discrete}, "ess": {Discrete}} {
		param.When(func() bool { return s.MayBe(models...) && (name != "ess" || s.Criterion == BDeu) })(set.Lookup(name))
	}
}

// Needs returns the part of a table that the score reads.
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

// Bytes estimates the memory of a ScoredTable besides the moments.
func (s *Settings) Bytes(rows, columns int) int64 {
	return method.Matrices(3, columns, 64) + s.RowBytes(rows, columns)
}

// RowBytes estimates the memory of the models that read rows. Levels take 2 bytes per value, about 5 more while they are counted,
// and the counts. Curves take the matrices of their functions.
func (s *Settings) RowBytes(rows, columns int) int64 {
	values := int64(rows) * int64(columns)
	return s.rowBytes(rows, columns, 7*min(values, mostCodes)+min(counts.JointBytes, 1000*values))
}

// NumericRowBytes is RowBytes for a table without discrete columns: no levels are counted unless the model is chosen.
func (s *Settings) NumericRowBytes(rows, columns int) int64 {
	if s.Model != AutoModel {
		return s.RowBytes(rows, columns)
	}
	return s.rowBytes(rows, columns, 0)
}

func (s *Settings) rowBytes(rows, columns int, levels int64) int64 {
	kept := 8 * min(int64(rows)*int64(columns), KeptValues)
	curves := method.Matrices(3, columns*(SmoothBasis(columns).Curves+1), 64)
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
	return s.AdaptEss && s.Criterion == BDeu && in.Environments != nil && in.Environments.HasTargets()
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
	// With targets the equivalent sample size is a tenth of a row, and the first-order correction for bootstrap samples may not be
	// enough. With it the consensus graph of Sachs's proteins at 0.85 missed one of 17 edges, and none without.
	// docs/evidence/calibration.md gives the figures.
	out.Drawn = in.Drawn && in.Environments == nil
	return out
}
