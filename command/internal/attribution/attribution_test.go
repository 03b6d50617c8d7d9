package attribution

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// Shapley values of a game that is known by hand: two players are worth 6 together and 1 or 3 alone.
func TestShapley(t *testing.T) {
	got, err := shapley(2, 1, func(in []bool) (float64, error) {
		switch {
		case in[0] && in[1]:
			return 6, nil
		case in[0]:
			return 1, nil
		case in[1]:
			return 3, nil
		}
		return 0, nil
	})
	if err != nil || got[0] != 2 || got[1] != 4 {
		t.Errorf("%v, %v; want 2 and 4", got, err)
	}
}

// Sampled orders give about the exact values, which add up to the value of all players.
func TestSampledShapley(t *testing.T) {
	const players = 9
	value := func(in []bool) (float64, error) {
		sum, together := 0.0, 1.0
		for p, is := range in {
			if is {
				sum += float64(p)
				together *= 1.2
			}
		}
		return sum * together, nil
	}
	got := must.Get(shapley(players, 1, value))
	all, none := make([]bool, players), make([]bool, players)
	for p := range all {
		all[p] = true
	}
	whole, _ := value(all)
	empty, _ := value(none)
	sum := 0.0
	for _, x := range got {
		sum += x
	}
	if !(math.Abs(sum-(whole-empty)) <= 1e-9) {
		t.Errorf("the values add up to %v, want %v", sum, whole-empty)
	}
	exact := make([]float64, players)
	for set := range 1 << players {
		in, size := make([]bool, players), 0
		for p := range in {
			if in[p] = set>>p&1 == 1; in[p] {
				size++
			}
		}
		weight := 1.0
		for k := 1; k <= size; k++ {
			weight *= float64(k) / float64(players-size+k)
		}
		before, _ := value(in)
		for p := range in {
			if !in[p] {
				in[p] = true
				after, _ := value(in)
				in[p] = false
				exact[p] += weight / float64(players-size) * (after - before)
			}
		}
	}
	for p := range got {
		if !(math.Abs(got[p]-exact[p]) <= 0.1*whole/players) {
			t.Errorf("player %d: %v, exactly %v", p, got[p], exact[p])
		}
	}
}

// The tail of draws is their share, and beyond them that of the normal distribution with their mean and variance.
func TestLogTail(t *testing.T) {
	y := make([]float64, 1000)
	for i := range y {
		y[i] = math.Sqrt2 * math.Erfinv((2*float64(i)+1)/1000-1)
	}
	if got, want := math.Exp(logTail(y, 0, 1.96)), 0.05; !(math.Abs(got-want) <= 0.002) {
		t.Errorf("P(|Y| ≥ 1.96) = %v, want %v", got, want)
	}
	if got, want := math.Exp(logTail(y, 0, -5)), 5.7e-7; !(math.Abs(math.Log(got/want)) <= 0.1) {
		t.Errorf("P(|Y| ≥ 5) = %v, want %v", got, want)
	}
}
