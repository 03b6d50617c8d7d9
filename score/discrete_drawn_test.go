package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
)

// Over tables that are drawn with replacement from one table, the mean of a plain score is below the score of that table, and that of a
// score that knows of it is not, by BIC and BDeu, with cells that are rare and cells that are not.
func TestDrawnScoresHaveTheMeanOfTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const rows, d, draws = 300, 3, 600
	columns := make([][]int, d)
	for v := range columns {
		columns[v] = make([]int, rows)
		for i := range columns[v] {
			columns[v][i] = int(float64(2+2*v) * rng.Float64() * rng.Float64())
		}
	}
	table := must.Get(counts.New(columns, counts.Rows{}))
	parents := []int{0, 2}
	for _, criterion := range []Criterion{BIC, BDeu} {
		s := DefaultDiscrete()
		s.Criterion = criterion
		score := func(table *counts.Data, drawn bool) float64 {
			s.Drawn = drawn
			d := must.Get(NewDiscrete(table, s))
			return d.Evaluator().Score(1, parents) - d.Evaluator().Score(1, nil)
		}
		want := score(table, false)
		var plain, mended []float64
		weights := make([]uint32, rows)
		for range draws {
			clear(weights)
			for range rows {
				weights[rng.IntN(rows)]++
			}
			drawn := must.Get(counts.New(columns, counts.Rows{Weights: weights}))
			plain, mended = append(plain, score(drawn, false)), append(mended, score(drawn, true))
		}
		mean := func(xs []float64) float64 {
			sum := 0.0
			for _, x := range slices.Sorted(slices.Values(xs)) {
				sum += x
			}
			return sum / float64(len(xs))
		}
		before, after := mean(plain)-want, mean(mended)-want
		t.Logf("%v: %.1f in the table; in tables drawn from it %+.1f, mended %+.1f", criterion, want, before, after)
		if before > -5 || !(math.Abs(after) <= 0.3*-before) {
			t.Errorf("%v: drawn tables are off by %.2f, mended by %.2f; want most of it mended", criterion, before, after)
		}
	}
}
