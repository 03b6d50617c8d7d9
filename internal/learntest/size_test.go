package learntest

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

// TestSizeOfAnEdge checks that the size depends only on the score gain: for two Gaussian columns with
// correlation r it is |r|.
func TestSizeOfAnEdge(t *testing.T) {
	for _, r := range []float64{0.01, 0.3, 0.9, 0.999} {
		bits := -math.Log2(1-r*r) / 2
		for _, e := range []polydag.Edge{{Strength: bits}, {Strength: bits, Weight: 7, Standardized: -0.2}} {
			if !(math.Abs(e.Size()-r) <= 1e-12) || e.Bits() != bits {
				t.Errorf("%+v: size %v, want %v", e, e.Size(), r)
			}
		}
		if old := (polydag.Edge{Standardized: -r}); old.Size() != r || !(math.Abs(old.Bits()-bits) <= 1e-9) {
			t.Errorf("without a strength: %v, %v bits", old.Size(), old.Bits())
		}
	}
	if e := (polydag.Edge{Strength: -0.1, Standardized: 0.5}); e.Size() != 0 {
		t.Errorf("an edge that costs more than it saves has size %v", e.Size())
	}
	if e := (polydag.Edge{Standardized: 3}); e.Size() != 1 || e.Bits() != 8 {
		t.Errorf("%v, %v bits", e.Size(), e.Bits())
	}
}

func TestSignOfAnEdge(t *testing.T) {
	table := func(from, to []string, p [][]float64) *polydag.Effect {
		return &polydag.Effect{Form: method.EffectTable, FromLevels: from, ToLevels: to, P: p}
	}
	numbers, words := []string{"-1", "1"}, []string{"no", "yes"}
	low, high := 0.0, 3.0
	bow := &polydag.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2, 3, 9}, Y: []float64{0, 3, 5, 1, 90}, Low: &low, High: &high}
	for _, c := range []struct {
		e    polydag.Edge
		want int
	}{
		{polydag.Edge{Weight: -3}, -1},
		{polydag.Edge{Standardized: 0.1}, 1},
		{polydag.Edge{}, 0},
		{polydag.Edge{Effect: table(numbers, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}, 1},
		{polydag.Edge{Effect: table(numbers, numbers, [][]float64{{0.1, 0.9}, {0.2, 0.8}})}, -1},
		{polydag.Edge{Effect: table(words, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}, 0},
		{polydag.Edge{Weight: 2, Effect: table(words, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}, 0},
		{polydag.Edge{Weight: 2, Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: words, Y: []float64{3, 5}}}, 0},
		{polydag.Edge{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: numbers, Y: []float64{5, 3}}}, -1},
		{polydag.Edge{Weight: 2, Effect: bow}, 0},
		{polydag.Edge{Weight: 2, Effect: &polydag.Effect{Form: method.EffectCurve, X: bow.X, Y: bow.Y}}, 1},
	} {
		if got := c.e.Sign(); got != c.want {
			t.Errorf("%+v: sign %d, want %d", c.e, got, c.want)
		}
	}
}
