package gaussian

import (
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/search"
)

// Price is the penalty per edge on the scale of twice the log-likelihood: Factor·ln n + 4·Gamma·ln d. It is BIC
// for (1, 0) and the extended BIC for (1, Gamma). docs/evidence/penalty.md gives the measurements behind the
// defaults.
type Price struct {
	Factor, Gamma float64
	// Adapt lowers the penalty if effects are weak; docs/evidence/penalty.md gives the formula. A penalty set
	// by the user does not adapt.
	Adapt bool
}

// DefaultPrice returns the penalty of the order search.
func DefaultPrice() Price {
	s := search.DefaultSettings()
	return Price{s.Factor, s.Gamma, s.Adapt}
}

// Params describes the penalty. A factor alone means BIC with that factor.
func (p *Price) Params(s *param.Set) {
	s.Float(&p.Factor, "penalty", "penalty per edge in units of ln(rows); 1 is BIC; if given, gamma defaults to 0 and the penalty does not adapt to weak effects", param.AtLeast(0))
	s.Float(&p.Gamma, "gamma", "gamma of the extended BIC: the penalty per edge is penalty·ln(rows) + 4·gamma·ln(columns)", param.AtLeast(0))
	s.Require(func() *param.Fault {
		if p.Factor+p.Gamma != 0 {
			return nil
		}
		return &param.Fault{Setting: "penalty", Value: "0", Want: "more than 0 if gamma is 0"}
	})
	s.After(func() {
		if s.Given("penalty") && !s.Given("gamma") {
			p.Gamma = 0
		}
		if s.Given("penalty") || s.Given("gamma") {
			p.Adapt = false
		}
	})
}

// Apply sets the penalty in the settings of a search.
func (p Price) Apply(s search.Settings) search.Settings {
	s.Factor, s.Gamma, s.Adapt = p.Factor, p.Gamma, p.Adapt
	return s
}
