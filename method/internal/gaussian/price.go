package gaussian

import (
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/search"
)

// Price is what an edge costs on the scale of twice the log-likelihood: Factor·ln n + 4·Gamma·ln d, BIC for (1, 0) and the
// extended BIC for (1, Gamma). docs/evidence/penalty.md has the measurements behind the defaults.
type Price struct {
	Factor, Gamma float64
	// Adapt lowers the price where effects turn out to be weak; docs/evidence/penalty.md has the formula. A price that was given does
	// not adapt.
	Adapt bool
}

// DefaultPrice is that of the order search.
func DefaultPrice() Price {
	s := search.DefaultSettings()
	return Price{s.Factor, s.Gamma, s.Adapt}
}

// Params describes the price. A factor alone is BIC with that factor.
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

// Apply puts the price into the settings of a search.
func (p Price) Apply(s search.Settings) search.Settings {
	s.Factor, s.Gamma, s.Adapt = p.Factor, p.Gamma, p.Adapt
	return s
}
