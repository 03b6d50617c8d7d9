package polydag_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
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

// TestConstantLags checks that the automatic number of lags gives no constant copy and leaves three rows for each column and copy, and that
// the error of a constant copy names it.
func TestConstantLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 3))
	for _, c := range []struct{ n, last, columns, want int }{{300, 20, 1, 6}, {300, 5, 1, 3}, {300, 2, 1, 1}, {60, 20, 6, 1}, {70, 20, 4, 3}} {
		columns := polydag.Columns{{Name: "law"}}
		for k := range c.columns {
			columns = append(columns, dataset.MemoryColumn{Name: fmt.Sprint("x", k)})
		}
		for i := range c.n {
			law := 0.0
			if i >= c.n-c.last {
				law = 1
			}
			columns[0].Numbers = append(columns[0].Numbers, law)
			for k := range columns[1:] {
				x := rng.NormFloat64()
				if i >= 6 {
					x += 0.6 * columns[k+1].Numbers[i-6]
				}
				if i >= 3 {
					x += 0.3 * columns[k+1].Numbers[i-3]
				}
				columns[k+1].Numbers = append(columns[k+1].Numbers, x)
			}
		}
		must.Same(t, lagsOf(t, columns, ""), c.want, fmt.Sprintf("%+v", c))
		for _, gap := range []float64{columns[1].Numbers[9], math.NaN()} {
			columns[1].Numbers[9] = gap
			p := polydag.DefaultPreparation()
			p.Time.Column, p.Time.Lags = ".", c.last
			_, err := polydag.Prepare(t.Context(), columns, p)
			want := fmt.Sprintf("column law(t-%d) has the same value in all %d rows", c.last, c.n-c.last)
			if !errors.Is(err, polydag.ErrLags) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "drop=law") {
				t.Errorf("%+v: %v, want %s", c, err, want)
			}
		}
	}
}
