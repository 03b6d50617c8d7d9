package prepare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/parallel"
)

// scores replaces each value by its normal score
//
//	Φ⁻¹(r/(n+1))
//
// of its rank r, from 1, among the n values of its column. Equal values share their mean rank. Each column then has a Gaussian
// distribution, whatever monotone transform it went through, and only the copula remains (the nonparanormal of Liu, Lafferty and
// Wasserman, JMLR 2009; scores of van der Waerden 1952). Text and columns that kind.Decide takes as categories stay unchanged. It needs
// 8·n·d bytes, and 24·n more per thread while it sorts.
type scores struct {
	rowBuffer
	replaced []bool // columns that are replaced
}

func newScores(plan *encodePlan, to sink, opt *options) *scores {
	return &scores{rowBuffer{d: plan.width(), to: to, opt: opt, clean: true}, plan.numeric()}
}

func (s *scores) add(rows []float64, clean bool) error {
	if need, allowed := s.store(rows, clean); !allowed {
		return &dataset.ParseError{Err: fault.New(memory.ErrLimit,
			fmt.Sprintf("normal scores need all rows in memory: %d rows × %d columns need %d bytes, and %d are allowed", s.rows, s.d, need, s.opt.MaxMemory),
			"use fewer rows or columns, allow more memory, or omit normal scores")}
	}
	return nil
}

func (s *scores) finish() (*dataset.Moments, []string, error) {
	table := &scoreTable{}
	parallel.Each(context.Background(), len(s.replaced), s.opt.Threads, func(int) func(int) {
		column, byRow := make([]ranked, 0, s.rows), make([]float64, s.rows)
		return func(j int) { s.replaced[j] = s.replaced[j] && s.rank(j, column, byRow, table) }
	})
	m, notes, err := s.passOn()
	if err != nil {
		return nil, nil, err
	}
	note := "Values were replaced by normal scores of their ranks (Gaussian copula), so weights have no unit."
	left := 0
	for _, r := range s.replaced {
		if !r {
			left++
		}
	}
	if left > 0 {
		note += fmt.Sprintf(" %s with few values or text stayed unchanged.", count(left, "column"))
	}
	return m, append([]string{note}, notes...), nil
}

// ranked is a value and its row.
type ranked struct {
	value float64
	row   int
}

// rank replaces column j by its scores, and reports whether it did: a column of few values is one of categories. column and byRow are
// buffers.
func (s *scores) rank(j int, column []ranked, byRow []float64, table *scoreTable) bool {
	row, distinct := 0, 0
	for _, run := range s.runs {
		for i := j; i < len(run); i += s.d {
			if byRow[row] = run[i]; run[i] == run[i] {
				column = append(column, ranked{run[i], row})
			}
			row++
		}
	}
	slices.SortFunc(column, func(a, b ranked) int { return cmp.Compare(a.value, b.value) })
	n := len(column)
	integer := table.of(n)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && column[hi].value == column[lo].value {
			hi++
		}
		score := integer[lo]
		if hi > lo+1 {
			score = normalScore(float64(lo+1+hi)/2, n)
		}
		for _, c := range column[lo:hi] {
			byRow[c.row] = score
		}
		lo, distinct = hi, distinct+1
	}
	if distinct < cutFrom && s.rows > 2*(cutFrom-1) {
		return false
	}
	row = 0
	for _, run := range s.runs {
		for i := j; i < len(run); i += s.d {
			run[i] = byRow[row]
			row++
		}
	}
	return true
}

// normalScore returns Φ⁻¹(rank/(n+1)), exactly antisymmetric about the middle.
func normalScore(rank float64, n int) float64 {
	middle := float64(n+1) / 2
	switch {
	case rank == middle:
		return 0
	case rank > middle:
		return -normalScore(float64(n+1)-rank, n)
	}
	return lowerQuantile(rank / float64(n+1))
}

// lowerQuantile returns Φ⁻¹(p) for 1e-15 < p < ½. √2·erf⁻¹(2p-1) loses precision for small p. Two steps of Newton's method for log
// Φ(x) = log p restore it, because Φ(x) = erfc(-x/√2)/2 keeps its relative precision. One step is enough down to p = 1e-10.
func lowerQuantile(p float64) float64 {
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	for range 2 {
		below := math.Erfc(-x/math.Sqrt2) / 2
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		x -= below / density * math.Log(below/p)
	}
	return x
}

// A scoreTable caches the scores of the ranks 1 … n for the last n. Without missing values these are the same in every column.
type scoreTable struct {
	mu     sync.Mutex
	scores []float64
}

func (t *scoreTable) of(n int) []float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.scores) != n {
		scores := make([]float64, n)
		for k := range scores {
			scores[k] = normalScore(float64(k+1), n)
		}
		t.scores = scores
	}
	return t.scores
}
