package polydag_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// lagsOf returns the number of lags that is chosen for columns.
func lagsOf(t *testing.T, columns polydag.Columns, series string) int {
	t.Helper()
	p := polydag.DefaultPreparation()
	p.Time.Column, p.Time.Series = ".", series
	table := must.Get(polydag.Prepare(t.Context(), columns, p))
	return table.TimeSeries().Lags
}

// An effect of the absolute value has no correlation, and neither has one of the middle one of three categories. Functions of the columns
// detect the lag of both.
func TestLagsOfNonlinearEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	const n = 1500
	curve := polydag.Columns{{Name: "x"}, {Name: "y"}}
	levels := polydag.Columns{{Name: "x"}, {Name: "y"}}
	for i := range n {
		x, y, level := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(3)
		z := rng.NormFloat64()
		if i > 1 {
			y += 1.5 * math.Abs(curve[0].Numbers[i-2])
		}
		if i > 2 && levels[0].Text[i-3] == "b" {
			z += 2
		}
		curve[0].Numbers, curve[1].Numbers = append(curve[0].Numbers, x), append(curve[1].Numbers, y)
		levels[0].Text, levels[1].Numbers = append(levels[0].Text, string(rune('a'+level))), append(levels[1].Numbers, z)
	}
	if got := lagsOf(t, curve, ""); got != 2 {
		t.Errorf("%d lags for an effect of the absolute value after two steps", got)
	}
	if got := lagsOf(t, levels, ""); got != 3 {
		t.Errorf("%d lags for an effect of a category after three steps", got)
	}
}

// The number of lags doubles from 3 to 6, 12 and 24, and is at most a fifth of the mean length of a series.
func TestMostLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 2))
	for _, c := range []struct{ lag, series, points, want int }{{5, 1, 2000, 1}, {3, 1, 2000, 3}, {6, 1, 2000, 6}, {6, 60, 24, 3}, {4, 60, 24, 4}, {4, 60, 14, 3}} {
		columns := polydag.Columns{{Name: "s"}, {Name: "x"}, {Name: "y"}}
		for s := range c.series {
			var x []float64
			for i := range c.points {
				value := rng.NormFloat64()
				for _, lag := range []int{3, c.lag} { // the third value leads to six lags
					if lag <= i && c.lag != 5 {
						value += 0.45 * x[i-lag]
					}
				}
				x = append(x, value)
				columns[0].Numbers, columns[1].Numbers = append(columns[0].Numbers, float64(s)), append(columns[1].Numbers, value)
				columns[2].Numbers = append(columns[2].Numbers, rng.NormFloat64())
			}
		}
		name := "s"
		if c.series == 1 {
			name, columns = "", columns[1:]
		}
		must.Same(t, lagsOf(t, columns, name), c.want, fmt.Sprintf("%+v", c))
	}
}
