package score

import (
	"slices"
	"testing"
)

// A function with unit variance and a ridge r has 1/(1 + r) degrees of freedom, which is what a bootstrap sample fits better on average.
func TestDegreesOfFreedomOfARidge(t *testing.T) {
	p := prior{size: 2, ridge: []float64{1, 3}, line: 0.25, pairs: []float64{0, 4}}
	p.charge(true)
	if p.straight != 0.8 || !slices.Equal(p.own, []float64{0, 0.5, 0.75}) || p.pair != 1.2 {
		t.Errorf("line %v, functions %v, products %v", p.straight, p.own, p.pair)
	}
	p = prior{size: 2, ridge: []float64{1, 3}, line: 0.25, pairs: []float64{0, 4}}
	if p.charge(false); p.straight != 0 || !slices.Equal(p.own, []float64{0, 0, 0}) || p.pair != 0 {
		t.Errorf("without a bootstrap sample: line %v, functions %v, products %v", p.straight, p.own, p.pair)
	}
}
