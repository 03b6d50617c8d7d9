package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAdditionsNearTheCurrentScore checks that an addition or a removal that may change the decision is fitted: if its value is within 0.3 of
// the penalty of the edge of the current score, it is the score of the larger set up to the accuracy of the fit, and within 0.5 for a
// removal.
func TestAdditionsNearTheCurrentScore(t *testing.T) {
	near, far := 0, 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		levels := []int{2, 3, 2, 3, 2, 2}
		columns := randomTable(rng, 300, levels)
		for i := range columns[5] { // a weak effect of each of two columns
			if rng.Float64() < 0.25 {
				columns[5][i] = columns[int(seed)%5][i] % 2
			}
		}
		d := eitherTables(t, columns, func(s *DiscreteSettings) { s.Tables = AdditiveTables })
		parents := []int{0, 1}
		got, slow := make([]float64, 6), d.evaluator()
		d.evaluator().Additions(got, 5, parents)
		current := slow.Score(5, parents)
		for x := 2; x < 5; x++ {
			want, edge := slow.Score(5, []int{0, 1, x}), d.additive.pair[5*6+x]
			if math.Abs(got[x]-current) >= 0.3*edge {
				far++
				continue
			}
			if near++; math.Abs(got[x]-want) > quickFit {
				t.Errorf("seed %d: parents %v and %d: %v, want the score %v", seed, parents, x, got[x], want)
			}
		}
		all := []int{0, 1, 2, 3}
		less := make([]float64, 4)
		d.evaluator().Removals(less, 5, all)
		current = slow.Score(5, all)
		for j := range all {
			set := append(append([]int(nil), all[:j]...), all[j+1:]...)
			want, edge := slow.Score(5, set), d.additive.pair[5*6+all[j]]
			if math.Abs(less[j]-current) > 0.5*edge {
				far++
				if math.Abs(less[j]-want) > 0.5*edge {
					t.Errorf("seed %d: parents %v without %d: %v, the score is %v", seed, all, all[j], less[j], want)
				}
				continue
			}
			if near++; math.Abs(less[j]-want) > 10*exactFit {
				t.Errorf("seed %d: parents %v without %d: %v, want the score %v", seed, all, all[j], less[j], want)
			}
		}
	}
	if near < 10 || far < 10 {
		t.Errorf("%d values near the current score and %d far from it: the test looks at one side only", near, far)
	}
}

// TestBoundOfAdditions checks that the estimate of an addition is not below the score of a model in which every configuration has its own
// probabilities. The score statistic of a rare category is several times as large as its gain.
func TestBoundOfAdditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	const n = 4000
	columns := make([][]int, 3)
	for range n {
		z, x := rng.IntN(2), 0
		if rng.IntN(100) == 0 {
			x = 1
		}
		y := x
		if rng.IntN(200) == 0 {
			y = 1 - y
		}
		for v, k := range []int{z, x, y} {
			columns[v] = append(columns[v], k)
		}
	}
	d := eitherTables(t, columns, func(s *DiscreteSettings) { s.Tables = AdditiveTables })
	got := make([]float64, 3)
	d.evaluator().Additions(got, 2, []int{0})
	// Twice the log-likelihood with a probability for each configuration, by counting.
	cells := map[[3]int]float64{}
	totals := map[[2]int]float64{}
	for i := range n {
		cells[[3]int{columns[0][i], columns[1][i], columns[2][i]}]++
		totals[[2]int{columns[0][i], columns[1][i]}]++
	}
	saturated := 0.0
	for c, k := range cells {
		saturated += 2 * k * math.Log(k/totals[[2]int{c[0], c[1]}])
	}
	want := d.additive.penalty(2, []int{0, 1}) - saturated
	if exact := d.evaluator().Score(2, []int{0, 1}); math.Abs(got[1]-want) > 1e-2 || exact < want-1e-6 || exact > want+5 {
		t.Errorf("the addition is %v and its score %v, want the bound %v", got[1], exact, want)
	}
}
