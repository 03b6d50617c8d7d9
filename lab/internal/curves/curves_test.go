package curves

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// TestCandidatesExcludeTheColumn checks forward selection: the best other column is added while the score improves.
func TestCandidatesExcludeTheColumn(t *testing.T) {
	s := &listed{}
	for v := range s {
		for set := range s[v] {
			s[v][set] = 10
			if set>>v&1 == 1 {
				s[v][set] = -100 // a column explains itself
			}
		}
	}
	s[0][1<<1], s[0][1<<2], s[0][1<<1|1<<2] = 6, 5, 4 // 2 first, then 1
	s[1][1<<0], s[1][1<<0|1<<2] = 7, 7                // 2 adds nothing
	got := Candidates(t.Context(), &scores.ScoredTable{Order: []int{0, 1, 2}, Score: s})
	for v, want := range [][]int{{1, 2}, {0}, nil} {
		if !slices.Equal(got[v], want) {
			t.Errorf("candidates of column %d are %v, want %v", v, got[v], want)
		}
	}
}

// listed is a score of three columns by the number of a set of parents, whose bits are the parents.
type listed [3][8]float64

func (s *listed) Variables() int              { return 3 }
func (s *listed) Price() float64              { return 1 }
func (s *listed) Equivalent() bool            { return false }
func (s *listed) Evaluator() search.Evaluator { return s }

func (s *listed) Score(v int, parents []int) float64 {
	set := 0
	for _, p := range parents {
		set |= 1 << p
	}
	return s[v][set]
}

func (s *listed) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		dst[x] = s.Score(v, intset.With(parents, x))
	}
}
