package polydag_test

import (
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/trust"
)

// An edge is reversible if its direction is neither stated nor decided by prior knowledge; without a verdict the class decides.
func TestReversible(t *testing.T) {
	for _, c := range []struct {
		verdict   polydag.Verdict
		basis     trust.Basis
		compelled bool
		want      bool
	}{
		{polydag.Directed, trust.ByModel, true, false}, {polydag.Weak, trust.ByModel, true, true}, {polydag.Weak, trust.ByKnowledge, true, false},
		{polydag.Undirected, "", false, true}, {"", "", true, false}, {"", "", false, true},
	} {
		e := polydag.Edge{EdgeFacts: polydag.EdgeFacts{Compelled: c.compelled}, Judgement: trust.Judgement{Verdict: c.verdict, Basis: c.basis}}
		if e.Reversible() != c.want {
			t.Errorf("%+v: reversible %v", c, e.Reversible())
		}
	}
}
