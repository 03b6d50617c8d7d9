package optimize

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/solve"
)

// The direction has no entry that does not oppose the pseudo-gradient, except for weights without a kink and without any penalty
// (Andrew and Gao 2007, equation 4).
func TestDirectionOpposesTheSlope(t *testing.T) {
	sum := []float64{-1, 1, 0, 2, -2} // half of the first vector and the second
	for _, c := range []struct {
		what   string
		kink   float64
		kinked []bool
		want   []float64
	}{
		{"no penalty", 0, nil, sum},
		{"a penalty of all weights", 0.1, nil, []float64{-1, 0, 0, 0, -2}},
		{"a penalty of some weights", 0.1, []bool{true, false, true, true, true}, []float64{-1, 1, 0, 0, -2}},
	} {
		q := &OWLQN[float64]{dir: make([]float64, 5), pseudo: []float64{1, 1, 1, 0.5, 3}}
		q.o.Kink, q.o.Kinked = c.kink, c.kinked
		q.direct([][]float64{{-2, 0, 2, 2, 0}, {0, 1, -1, 1, -2}}, []float64{0.5, 1}, 0, 5)
		if !slices.Equal(q.dir, c.want) {
			t.Errorf("%s: direction %v, want %v", c.what, q.dir, c.want)
		}
	}
}

// Pairs of another number of weights are forgotten.
func TestPairsOfOtherWeights(t *testing.T) {
	for n, want := range map[int]int{3: 2, 4: 0} {
		q := NewOWLQN[float64](1e-6).(*OWLQN[float64])
		q.Recall(solve.Past[float64]{Vectors: [][]float64{{1, 2, 3}, {4, 5, 6}}})
		if got := len(q.Past(n).Vectors); got != want {
			t.Errorf("%d weights: %d vectors of pairs of 3 weights, want %d", n, got, want)
		}
	}
}
