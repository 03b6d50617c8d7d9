package trust

import (
	"slices"
	"strings"
)

// Resampled returns the judgement with the probabilities of bootstrap samples, half samples or graphs of the posterior in the place of
// those of one fit. They hold under the model, so that its weight counts as before. by says what they are. The samples of columns whose
// names state the direction were searched with these names, and add nothing to them.
// Where rows are not independent, the samples count as much as if every row counted dependentRows.
func (j Judgement) Resampled(adjacent, direction float64, by string, doubts Doubts) Judgement {
	if doubts.Effect {
		adjacent = logistic(dependentRows * oddsOf(adjacent))
	}
	if doubts.Together {
		adjacent = min(adjacent, logistic(togetherMost))
	}
	odds := oddsOf(direction)
	if doubts.Direction {
		odds *= dependentRows
		by += "; every row counts as a quarter, since rows are not independent"
	}
	j.PAdjacent, j.PDirection = adjacent, logistic(odds)
	named := slices.ContainsFunc(j.Evidence, func(r Reason) bool { return r.Source == FromNames })
	var out []Reason
	for _, r := range j.Evidence {
		if named || !slices.Contains(ofModel, r.Source) {
			out = append(out, r)
			continue
		}
		if !slices.ContainsFunc(out, func(r Reason) bool { return r.Source == FromRows }) {
			most := reversalMost
			if r.Source == FromShape {
				most = shapeMost
			}
			text := by
			if strings.HasPrefix(r.Text, derivedText) {
				text = derivedText + by
			}
			out = append(out, Reason{Source: FromRows, Weight: r.Weight, LogOdds: r.Weight * bounded(odds, most), Text: text})
		}
	}
	j.Evidence = out
	return j.stated()
}
