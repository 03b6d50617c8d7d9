package report

import (
	"fmt"
	"unicode/utf8"

	"github.com/polydag/polydag/trust"
)

// maxPriors is the number of priors that Text lists before it refers to the JSON.
const maxPriors = 12

// priors lists where the data overruled a prior probability and where the prior decided.
func (t *printer) priors(all []trust.PriorOutcome) {
	if len(all) == 0 {
		return
	}
	words := map[trust.Outcome]string{trust.PriorOverruled: "data overruled the prior", trust.PriorDecided: "prior decided"}
	count := map[trust.Outcome]int{}
	var told []trust.PriorOutcome
	for _, p := range all {
		if count[p.Outcome]++; words[p.Outcome] != "" {
			told = append(told, p)
		}
	}
	t.linef("Priors: %d overruled by the data, %d decided the edge, %d agree with the data, %d open.",
		count[trust.PriorOverruled], count[trust.PriorDecided], count[trust.PriorAgrees], count[trust.PriorOpen])
	if len(told) == 0 {
		return
	}
	rows := [][5]string{{"edge", "prior", "result", "without priors", "outcome"}}
	for _, p := range told[:min(len(told), maxPriors)] {
		rows = append(rows, [5]string{brief(p.From) + " → " + brief(p.To), fmt.Sprintf("%.3g", p.Prior), pair(p, p.Result), pair(p, p.Without), words[p.Outcome]})
	}
	var wide [4]int
	for _, row := range rows {
		for i := range wide {
			wide[i] = max(wide[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		line := "  "
		for i, w := range wide {
			line += pad(row[i], w) + "  "
		}
		t.linef("%s%s", line, row[4])
	}
	if more := len(told) - maxPriors; more > 0 {
		t.linef("  … and %d more in the JSON (priors)", more)
	}
}

// pair describes a state of the pair of a prior.
func pair(p trust.PriorOutcome, s trust.PairState) string {
	switch s {
	case trust.PairForward:
		return brief(p.From) + " → " + brief(p.To)
	case trust.PairReverse:
		return brief(p.To) + " → " + brief(p.From)
	case trust.PairUndirected:
		return "undirected"
	case trust.PairWeak:
		return "weak edge"
	}
	return "no edge"
}
