package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// ByColumn is a score whose columns have each a score of their own: where rows tell nothing about the column that was set in
// them, the rows that count differ from column to column, and with them the moments. Columns for which the same rows count
// share one.
type ByColumn struct {
	scores []search.Score
	of     []int
}

var _ search.Score = (*ByColumn)(nil)

// NewByColumn returns the score that asks scores[of[v]] about column v. A nil score is for columns about which no row tells
// anything: they have no parents.
func NewByColumn(scores []search.Score, of []int) (*ByColumn, error) {
	for v, k := range of {
		if k < 0 || k >= len(scores) {
			return nil, fmt.Errorf("column %d has score %d, want 0 to %d", v+1, k, len(scores)-1)
		}
	}
	for k, s := range scores {
		if s != nil && s.Variables() != len(of) {
			return nil, fmt.Errorf("score %d has %d variables, want %d", k+1, s.Variables(), len(of))
		}
	}
	return &ByColumn{scores, of}, nil
}

// Variables returns d.
func (b *ByColumn) Variables() int { return len(b.of) }

// Price returns the largest of the prices, 1 where no column may have parents.
func (b *ByColumn) Price() float64 {
	price := 0.0
	for _, s := range b.scores {
		if s != nil {
			price = max(price, s.Price())
		}
	}
	if price == 0 {
		return 1
	}
	return price
}

// Equivalent reports whether graphs of one Markov equivalence class have the same total: only where all columns share a score.
func (b *ByColumn) Equivalent() bool {
	first := b.scores[b.of[0]]
	return first != nil && first.Equivalent() && !slices.ContainsFunc(b.of, func(k int) bool { return k != b.of[0] })
}

// Evaluator returns an evaluator for one goroutine.
func (b *ByColumn) Evaluator() search.Evaluator {
	e := &byColumnFit{b, make([]search.Evaluator, len(b.scores))}
	for k, s := range b.scores {
		if s != nil {
			e.evals[k] = s.Evaluator()
		}
	}
	return e
}

type byColumnFit struct {
	*ByColumn
	evals []search.Evaluator
}

// Score asks the score of v.
func (f *byColumnFit) Score(v int, parents []int) float64 {
	if e := f.evals[f.of[v]]; e != nil {
		return e.Score(v, parents)
	}
	if len(parents) > 0 {
		return math.Inf(1)
	}
	return 0
}

// Additions asks the score of v.
func (f *byColumnFit) Additions(dst []float64, v int, parents []int) {
	if e := f.evals[f.of[v]]; e != nil {
		e.Additions(dst, v, parents)
		return
	}
	for x := range dst {
		if _, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = math.Inf(1)
		}
	}
}
