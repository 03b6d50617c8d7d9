package effect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/mechanism"
)

// Of two categories the second is reported, of ordered ones their mean first, and of nominal ones each.
func TestOutcomesOfLevels(t *testing.T) {
	p := []float64{0.5, 0.3, 0.2}
	for _, c := range []struct {
		o     outcomes
		p     []float64
		want  []float64
		names []string
	}{
		{newOutcomes(nil, nil), []float64{7}, []float64{7}, nil},
		{newOutcomes([]float64{3, 5}, nil), []float64{0.4, 0.6}, []float64{0.6}, []string{"5"}},
		{newOutcomes([]float64{1, 2, 4}, nil), p, []float64{1.9, 0.5, 0.3, 0.2}, []string{"mean", "1", "2", "4"}},
		{newOutcomes([]float64{0, 1, 2}, []string{"x", "y", "z"}), p, p, []string{"x", "y", "z"}},
	} {
		got := c.o.of(c.p)
		if len(got) != len(c.want) || c.names != nil && !slices.Equal(c.o.names, c.names) {
			t.Fatalf("%v with the names %v, want %v with %v", got, c.o.names, c.want, c.names)
		}
		for i := range got {
			if !(math.Abs(got[i]-c.want[i]) <= 1e-12) {
				t.Errorf("%v, want %v", got, c.want)
			}
		}
	}
}

// The distribution of ordered categories has their mean and standard deviation.
func TestShownDistributionOfLevels(t *testing.T) {
	k := &asked{words: make([][]string, 1)}
	k.study.shown = newOutcomes([]float64{1, 2, 4}, nil)
	d := k.show(&dist{levels: []float64{0.5, 0.3, 0.2}}, "x=1")
	if d.Mean == nil || !(math.Abs(d.Mean.Value-1.9) <= 1e-12) || !(math.Abs(*d.Std-math.Sqrt(0.5*0.81+0.3*0.01+0.2*4.41)) <= 1e-12) || len(d.Levels) != 3 || d.Levels[2].Name != "4" {
		t.Errorf("%+v", d)
	}
	k.study.shown = newOutcomes([]float64{0, 1}, nil)
	if d := k.show(&dist{levels: []float64{0.5, 0.5}}, ""); d.Mean != nil || d.Std != nil {
		t.Errorf("two categories have a mean: %+v", d)
	}
}

// A survey sets a column to its levels, to the most frequent twelve of more, and a number to nine quantiles from 5 % to 95 %.
func TestSpotsOfASurvey(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var few, many, numbers []float64
	var levels []float64
	for k := range 15 {
		levels = append(levels, float64(k))
		for range 10 + (k*7)%15 { // the counts 10 … 24 in another order
			many = append(many, float64(k))
		}
	}
	for range many {
		few, numbers = append(few, float64(rng.IntN(3))), append(numbers, rng.Float64())
	}
	s := &source{data: mechanism.New([][]float64{few, many, numbers}, [][]float64{{0, 1, 2}, levels, nil})}
	if got := s.spots(0); !slices.Equal(got, []float64{0, 1, 2}) {
		t.Errorf("levels %v", got)
	}
	var want []float64
	for k := range 15 {
		if (k*7)%15 >= 3 {
			want = append(want, float64(k))
		}
	}
	if got := s.spots(1); !slices.Equal(got, want) {
		t.Errorf("levels %v, want the most frequent %v", got, want)
	}
	sorted := slices.Sorted(slices.Values(numbers))
	got := s.spots(2)
	if len(got) != 9 || !slices.IsSorted(got) {
		t.Fatalf("%v", got)
	}
	for k, x := range got {
		below, _ := slices.BinarySearch(sorted, x)
		if share := float64(below) / float64(len(sorted)); !(math.Abs(share-(0.05+0.9*float64(k)/8)) <= 0.01) {
			t.Errorf("%v of the rows are below value %d", share, k)
		}
	}
}
