package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// ByColumn is a score with a separate score per column. Rows with an intervention on a column do not count for it, so different
// columns may have different rows and moments. Columns with the same rows share a score.
type ByColumn struct {
	scores []search.Score
	of     []int
}

var _ search.Score = (*ByColumn)(nil)

// NewByColumn returns the score that uses scores[of[v]] for column v. A nil score is for columns without usable rows: they have no
// parents.
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

// Of returns the score of column v, or nil.
func (b *ByColumn) Of(v int) search.Score { return b.scores[b.of[v]] }

// Price returns the largest penalty, or 1 if no column may have parents.
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

// Equivalent reports whether the score is score-equivalent, which is true only if all columns share a score.
func (b *ByColumn) Equivalent() bool {
	first := b.scores[b.of[0]]
	return first != nil && first.Equivalent() && !slices.ContainsFunc(b.of, func(k int) bool { return k != b.of[0] })
}

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

func (f *byColumnFit) Score(v int, parents []int) float64 {
	if e := f.evals[f.of[v]]; e != nil {
		return e.Score(v, parents)
	}
	if len(parents) > 0 {
		return math.Inf(1)
	}
	return 0
}

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

// RoundedRemovals writes the score of v without parents[j] to dst[j].
func (f *byColumnFit) RoundedRemovals(dst []float64, v int, parents []int) {
	switch r := f.evals[f.of[v]].(type) {
	case search.Remover:
		r.Removals(dst, v, parents)
		return
	case search.RoundingRemover:
		r.RoundedRemovals(dst, v, parents)
		return
	}
	left := make([]int, 0, len(parents))
	for j := range parents {
		left = append(append(left[:0], parents[:j]...), parents[j+1:]...)
		dst[j] = f.Score(v, left)
	}
}
