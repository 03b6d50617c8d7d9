package effect

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// mtcars has mpg, wt and hp of the 32 cars of R's built-in table.
var mtcars = []float64{
	21, 2.62, 110, 21, 2.875, 110, 22.8, 2.32, 93, 21.4, 3.215, 110, 18.7, 3.44, 175, 18.1, 3.46, 105, 14.3, 3.57, 245, 24.4, 3.19, 62,
	22.8, 3.15, 95, 19.2, 3.44, 123, 17.8, 3.44, 123, 16.4, 4.07, 180, 17.3, 3.73, 180, 15.2, 3.78, 180, 10.4, 5.25, 205, 10.4, 5.424, 215,
	14.7, 5.345, 230, 32.4, 2.2, 66, 30.4, 1.615, 52, 33.9, 1.835, 65, 21.5, 2.465, 97, 15.5, 3.52, 150, 15.2, 3.435, 150, 13.3, 3.84, 245,
	19.2, 3.845, 175, 27.3, 1.935, 66, 26, 2.14, 91, 30.4, 1.513, 113, 15.8, 3.17, 264, 19.7, 2.77, 175, 15, 3.57, 335, 21.4, 2.78, 109,
}

// TestEffectsAgainstR compares with R 4.2.2. With wt → mpg, hp → mpg and hp → wt,
//
//	lm(mpg ~ wt + hp, mtcars)   wt -3.87783074240468, standard error 0.632733494377395; hp -0.03177294698216, standard error 0.00902970967585572
//	lm(mpg ~ hp, mtcars)        hp -0.0682282780715636, the total effect
func TestEffectsAgainstR(t *testing.T) {
	x := matrix.Of(32, 3, mtcars)
	table := tableOf(t, []string{"mpg", "wt", "hp"}, nil, x)
	g, err := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 2, To: 0}, {From: 2, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	res := known(t, table, g, score.LinearEffects)
	wt, hp := ask(t, res, table, "wt", "mpg", nil), ask(t, res, table, "hp", "mpg", nil)
	near(t, "total effect of wt", wt.Effects[0].Total.Value, -3.87783074240468, 1e-11)
	near(t, "total effect of hp", hp.Effects[0].Total.Value, -0.0682282780715636, 1e-13)
	near(t, "direct effect of hp", hp.Effects[0].Direct.Value, -0.03177294698216, 1e-13)
	pool, err := dataset.NewPool(table.Moments, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := fitLinear(g, table.Moments, pool)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "standard error of wt", math.Sqrt(l.vary[0].At(0, 0)), 0.632733494377395, 1e-12)
	near(t, "standard error of hp", math.Sqrt(l.vary[0].At(1, 1)), 0.00902970967585572, 1e-14)
}

// TestQuantilesAgainstR compares with R: quantile(c(1, 3, 4, 8, 10, 20, 21), c(0.05, 0.25, 0.4, 0.5, 0.75,
// 0.95), type = 6)
func TestQuantilesAgainstR(t *testing.T) {
	x := []float64{1, 3, 4, 8, 10, 20, 21}
	for p, want := range map[float64]float64{0.05: 1, 0.25: 3, 0.4: 4.8, 0.5: 8, 0.75: 20, 0.95: 21} {
		near(t, "quantile", quantile(x, p), want, 1e-12)
	}
	near(t, "standard deviation of a distribution, not of a sample", empirical([]float64{1, 3}).std, 1, 1e-12)
}
