package sentence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/trust"
)

// confidence says where the probabilities of edges come from.
func (m *account) confidence() {
	c := m.r.Confidence
	if c == nil {
		if slices.ContainsFunc(m.r.Edges, func(e polydag.Edge) bool { return e.Verdict != "" }) {
			m.add("The probability of each edge was calibrated on simulated tables, from the score differences and assumption checks of one fit, without resampling")
		}
		return
	}
	calibrated := ""
	if c.Calibrated() {
		calibrated = ", calibrated on simulated tables"
	}
	switch p := c.Posterior; {
	case p != nil:
		from, refs := "all graphs", map[string][]string{"BDeu": {heckerman1995}, "BGe": {geiger2002, kuipers2014}}[p.Score]
		switch {
		case p.Chains == 1 && !p.Exact:
			from = counted(p.Samples, "graph") + " of the method"
		case !p.Exact:
			from = fmt.Sprintf("%s of %s (R-hat %.3f, effective sample size %.0f)", counted(p.Chains*p.Samples, "graph"), counted(p.Chains, "Markov chain"), p.RHat, p.ESS)
		}
		m.add("The probability of each edge is its posterior probability under the score %s%s, from %s%s", p.Score, m.cite(refs...), from, calibrated)
	case c.Resampling == polydag.Halves:
		m.add("The probability of each edge is its frequency among %s%s%s", counted(c.Replicates, "half sample"), m.cite(shah2013, meinshausen2010), calibrated)
		if s := c.Stability; s != nil {
			m.add("By stability selection, %s were adjacent in at least %.3g of the half samples, and at most %.3g of them are expected to be false", counted(s.Selected, "pair"), s.Threshold, s.Bound)
		}
	default:
		refs := []string{friedman1999}
		if m.r.Time != nil {
			refs = append(refs, carlstein1986)
		}
		m.add("The probability of each edge is its frequency among %s of %s%s%s", counted(c.Replicates, "bootstrap sample"), c.Unit, m.cite(refs...), calibrated)
	}
}

// answer counts the edges by verdict and says what the verdicts mean.
func (m *account) answer() {
	all := m.r.AllEdges()
	count := map[polydag.Verdict]int{}
	ruled, named := 0, 0
	for _, e := range all {
		count[e.Verdict]++
		if e.Verdict == polydag.Directed && (e.Basis == trust.ByRule || e.Basis == trust.ByModelAndRule) {
			ruled++
		}
		if e.Verdict == polydag.Directed && e.Basis == trust.ByNames {
			named++
		}
	}
	var parts, meaning []string
	for _, v := range []struct {
		verdict polydag.Verdict
		means   string
	}{
		{polydag.Directed, fmt.Sprintf("directed means that the probability of the edge and its direction is at least %g", trust.StatedLevel)},
		{polydag.Undirected, fmt.Sprintf("undirected means that the probability of an edge is at least %g and its direction is not stated", trust.StatedLevel)},
		{polydag.Weak, fmt.Sprintf("weak means that the probability of an edge is below %g", trust.StatedLevel)},
	} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.verdict))
			meaning = append(meaning, v.means)
		}
	}
	line := "The graph has " + counted(len(all), "edge")
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	m.add("%s", line)
	if len(meaning) > 0 {
		text := strings.Join(meaning, "; ")
		m.add("%s", strings.ToUpper(text[:1])+text[1:])
	}
	if named > 0 {
		m.add("For %d of the directed edges the direction rests mainly on the names of the columns, which were read with a list of meanings: age comes first, death last", named)
	}
	if ruled > 0 {
		m.add("For %d of the directed edges the direction also rests on rules about real tables: the cause usually has fewer distinct values, and usually predicts the effect with less error%s", ruled, m.cite(bloebaum2018))
	}
}

// assumptions lists the assumption checks by their outcome.
func (m *account) assumptions() {
	by := map[trust.CheckOutcome][]string{}
	for _, a := range m.r.Assumptions {
		by[a.Outcome] = append(by[a.Outcome], a.Statement)
	}
	for _, o := range []struct {
		verdict trust.CheckOutcome
		words   string
	}{{trust.Passed, "Assumption checks passed"}, {trust.Failed, "Assumptions rejected by a check"}, {trust.NotChecked, "Assumptions not checked"}, {trust.Untestable, "Untestable assumptions"}} {
		if list := by[o.verdict]; len(list) > 0 {
			m.add("%s: %s", o.words, strings.Join(list, "; "))
		}
	}
}

// end says what repeats the run.
func (m *account) end() {
	line := fmt.Sprintf("The random seed was %d", m.r.Seed)
	if sum := m.r.Table.SHA256; sum != "" {
		line += "; the SHA-256 of the table file begins with " + sum[:min(len(sum), 12)]
	}
	m.add("%s", line)
}
