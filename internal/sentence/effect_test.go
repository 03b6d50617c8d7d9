package sentence

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

func TestEffectInWords(t *testing.T) {
	low, high := 1.0, 5.0
	for _, c := range []struct {
		what string
		e    method.Effect
		want []string
	}{
		{"two levels", method.Effect{Form: method.EffectTable, FromLevels: []string{"0", "1"}, ToLevels: []string{"0", "1"}, P: [][]float64{{0.79, 0.21}, {0.37, 0.63}}},
			[]string{"P(b = 1) is 0.63 where a = 1, 0.21 where 0"}},
		{"words", method.Effect{Form: method.EffectTable, FromLevels: []string{"no", "yes"}, ToLevels: []string{"poor", "rich", "other"}, P: [][]float64{{0.5, 0.4996, 0.0004}, {0, 1, 0}}},
			[]string{"P(b = poor) is 0.50 where a = no, 0.00 where yes", "P(b = rich) is 0.50 where a = no, 1.00 where yes", "P(b = other) is <0.01 where a = no, 0.00 where yes"}},
		{"a number and levels", method.Effect{Form: method.EffectTable, FromLevels: []string{"18", "40", "66"}, ToLevels: []string{"no", "yes"}, X: []float64{18, 40, 66}, P: [][]float64{{0.9, 0.1}, {0.5, 0.5}, {0.002, 0.998}}},
			[]string{"P(b = yes) is 0.10 where a = 18, 0.50 where 40, >0.99 where 66"}},
		{"means", method.Effect{Form: method.EffectMeans, FromLevels: []string{"Graz", "Wien"}, Y: []float64{2739.25, 3375}},
			[]string{"the mean of b is 2739 where a = Graz, 3375 where Wien"}},
		{"a rise", method.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2, 5, 9}, Y: []float64{50, 1, 2, 6, -9}, Low: &low, High: &high},
			[]string{"b rises from 1 to 6, between a = 1 and 5, where nine of ten rows are"}},
		{"a turn", method.Effect{Form: method.EffectCurve, X: []float64{1, 2, 3, 4, 5}, Y: []float64{0, 6, 10, 9.5, 2}, Low: &low, High: &high},
			[]string{"b rises from 0 to 10, turns at 3 and falls to 2, between a = 1 and 5, where nine of ten rows are"}},
		{"flat", method.Effect{Form: method.EffectCurve, X: []float64{1, 5}, Y: []float64{3, 3}}, []string{"b does not change with a"}},
		{"broken", method.Effect{Form: method.EffectCurve, X: []float64{1, 5}, Y: []float64{3, math.NaN()}}, nil},
	} {
		if got := Effect(polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, EdgeFacts: polydag.EdgeFacts{Effect: &c.e}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if got := Effect(polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Weight: 2}); got != nil {
		t.Errorf("a slope: %q", got)
	}
}

// TestTurningPoints checks that a turn is a change of direction by more than a tenth of the height; smaller
// waves do not count.
func TestTurningPoints(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want []int
	}{
		{[]float64{0, 1, 2, 3}, nil},
		{[]float64{3, 2, 1}, nil},
		{[]float64{0, 5, 10, 9.5, 10.5, 12}, nil},
		{[]float64{0, 5, 10, 8, 12}, []int{2, 3}},
		{[]float64{5, 0, 10}, []int{1}},
		{[]float64{5, 4.9, 5.1, 0}, nil},
		{[]float64{0, 10, 0, 10, 0}, []int{1, 2, 3}},
		{[]float64{2, 2}, nil},
		{[]float64{5, 10, 0}, []int{1}},
		{[]float64{5, 4.5, 10, 5}, []int{2}},     // the first step is smaller than a wave
		{[]float64{5, 5.8, 0, 10}, []int{2}},     // also upwards
		{[]float64{0, 10, 9.1, 10, 9.1}, nil},    // waves of 9 % at the end
		{[]float64{0, 10, 8.9, 10}, []int{1, 2}}, // and of 11 %
	} {
		if got := turningPoints(c.y); !slices.Equal(got, c.want) {
			t.Errorf("%v turns at %v, want %v", c.y, got, c.want)
		}
	}
}
