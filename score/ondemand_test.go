package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/contract"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// byRows gives the rows of a matrix of correlations.
type byRows struct{ *matrix.Dense[float64] }

func (r byRows) Dim() int                            { return r.Rows }
func (r byRows) CorrelationRow(dst []float64, i int) { copy(dst, r.Row(i)) }

// Scores by rows that are computed on demand are those of a stored matrix, whether the rows are kept or not.
func TestScoresByRows(t *testing.T) {
	const d, n = 9, 200
	r := correlations(d, n, 0.5, 4)
	stored, err := score.NewGaussianLocal(r, n, 5)
	if err != nil {
		t.Fatal(err)
	}
	bge, err := score.NewBGe(r, n, score.DefaultBGe())
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range []int64{0, 4 * d, 1000} {
		lines, err := score.GaussianLocalBy(byRows{r}, n, 5, score.NewRowMemory(values))
		if err != nil {
			t.Fatal(err)
		}
		marginal, err := score.BGeBy(byRows{r}, n, score.DefaultBGe(), score.NewRowMemory(values))
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]search.Score{{lines, stored}, {marginal, bge}} {
			if err := contract.LocalScore(pair[0], contract.LocalScoreOptions{}, 1); err != nil {
				t.Errorf("%T, memory for %d values: %v", pair[0], values, err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			a, b := pair[0].Evaluator(), pair[1].Evaluator()
			for range 100 {
				v := rng.IntN(d)
				var set []int
				for x := range d {
					if x != v && rng.IntN(3) == 0 {
						set = append(set, x)
					}
				}
				if got, want := a.Score(v, set), b.Score(v, set); got != want {
					t.Fatalf("%T, memory for %d values: %v given %v: %v, want %v", pair[0], values, v, set, got, want)
				}
				got, want := make([]float64, d), make([]float64, d)
				a.Additions(got, v, set)
				b.Additions(want, v, set)
				for x := range got {
					if math.Abs(got[x]-want[x]) > 1e-9*math.Abs(want[x]) {
						t.Fatalf("%T: %v given %v and %d: %v, want %v", pair[0], v, set, x, got[x], want[x])
					}
				}
			}
		}
	}
	for _, price := range []float64{0, math.NaN(), math.Inf(1)} {
		if _, err := score.GaussianLocalBy(byRows{r}, n, price, score.NewRowMemory(0)); err == nil {
			t.Errorf("the price %v is taken", price)
		}
	}
}
