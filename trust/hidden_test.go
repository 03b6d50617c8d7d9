package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/score"
)

// A hidden common cause in place of the edge takes its probability from both directions, also after resampling.
func TestHiddenCauseInPlaceOfAnEdge(t *testing.T) {
	weigh := func(gain float64, model Model, change func(*Facts)) Judgement {
		f := compelled(20, 1000)
		f.HiddenGain = &gain
		if change != nil {
			change(&f)
		}
		return Weigh(namesOnly("a", "b"), model, nil, []Facts{f})[0]
	}
	plain := weigh(-3, Model{}, nil)
	if plain.PDirection < 0.98 || !(math.Abs(plain.PDirection+plain.PReverse()-1) <= 1e-12) {
		t.Errorf("a negative gain changes the probability to %v", plain.PDirection)
	}
	for _, c := range []struct{ gain, want float64 }{{4, 0.269}, {10, 0.475}, {20, 0.802}, {100, 0.802}} { // logistic(0.15·gain − 1.6)
		j := weigh(c.gain, Model{}, nil)
		if !(math.Abs(j.PDirection-plain.PDirection*(1-c.want)) <= 0.001) || !(math.Abs(1-j.PDirection-j.PReverse()-c.want) <= 0.001) || j.Verdict != Undirected {
			t.Errorf("gain %v: %v, %.4f and reversed %.4f", c.gain, j.Verdict, j.PDirection, j.PReverse())
		}
		sum := 0.0
		for _, r := range j.Evidence {
			sum += r.Weight
		}
		again := j.Resampled(0.99, 0.9, "in 200 bootstrap samples", Dependence{})
		if !(math.Abs(sum-1) <= 1e-12) || !(math.Abs(again.PDirection-(1-c.want)*(0.98*0.9+0.02*0.5)) <= 0.001) {
			t.Errorf("gain %v: weights add up to %v, %.4f after resampling", c.gain, sum, again.PDirection)
		}
	}
	noise := 1e-4
	for name, j := range map[string]Judgement{
		"discrete":  weigh(10, Model{Effects: score.TableEffects}, nil),
		"smooth":    weigh(10, Model{Effects: score.SmoothEffects}, nil),
		"noise":     weigh(10, Model{}, func(f *Facts) { f.NoiseP = &noise }),
		"known":     weigh(10, Model{}, func(f *Facts) { f.Known = true }),
		"variances": weigh(10, Model{}, func(f *Facts) { f.Identified = true }),
	} {
		if j.hidden() != 0 {
			t.Errorf("%s: a hidden cause has weight %v", name, j.hidden())
		}
	}
}
