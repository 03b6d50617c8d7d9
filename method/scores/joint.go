package scores

import (
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// interacting is the smallest number of parents that may interact in ways that products of two do not describe.
const interacting = 3

// Interact reports whether the parents of column v of the score interact: its curves have products, or it has so many parents that the
// score does not try them.
func (t *ScoredTable) Interact(v int, parents []int) bool {
	if len(parents) < interacting || t.Functions == nil || t.IsContext(v) {
		return false
	}
	b := t.ownBlocks(v)
	if b == nil || b.Crossed == 0 || b.Levels[v] {
		return false
	}
	if !b.Curved(v) || !score.TriesProducts(b, parents) {
		return b.Curved(v)
	}
	var weights []score.Weight
	switch s := t.scoreOf(v).(type) {
	case *score.Smooth:
		weights = s.Weights(b, v, parents)
	case *score.Flexible:
		if s.Curved(v, parents) {
			weights = s.Weights(b, v, parents)
		}
	}
	products := b.Start[b.Variables()]
	return slices.ContainsFunc(weights, func(w score.Weight) bool { return w.Function >= products })
}

// scoreOf returns the score of column v.
func (t *ScoredTable) scoreOf(v int) search.Score {
	if by, ok := t.Score.(*score.ByColumn); ok {
		return by.Of(v)
	}
	return t.Score
}

// Family returns column v of the score and its parents in the rows that count for it: numbers on their scale, and codes of categories, which
// levels marks. rows are values of the input, and of their environments.
func (t *ScoredTable) Family(rows []float64, of []int, v int, parents []int) (family *matrix.Dense[float64], levels []bool) {
	d, start := len(t.In.Names()), t.Functions.Start()
	columns := append([]int{v}, parents...)
	levels = make([]bool, len(columns))
	var values []float64
	row, wide := make([]float64, d), make([]float64, t.Functions.Size())
	for i := range len(rows) / d {
		if of != nil && slices.Contains(t.In.Environments.Targets[of[i]], t.Order[v]) {
			continue
		}
		copy(row, rows[i*d:])
		t.encode(row)
		if t.Functions.Expand(wide, row) != nil {
			continue
		}
		for k, p := range columns {
			column := t.Order[p]
			if levels[k] = t.Categories != nil && t.Categories[column]; levels[k] {
				values = append(values, row[column])
			} else {
				values = append(values, wide[start[column]])
			}
		}
	}
	return matrix.Of(len(values)/len(columns), len(columns), values), levels
}
