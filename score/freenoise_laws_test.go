package score_test

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
)

// The laws of every local score.
func TestFreeNoiseLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	x := matrix.New[float64](300, 6)
	for i := range x.Rows {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.ExpFloat64()
			if j > 0 {
				row[j] += row[rng.IntN(j)] / 2
			}
		}
	}
	m := must.Get(dataset.MomentsOf([]string{"a", "b", "c", "d", "e", "f"}, x, 1))
	f := must.Get(score.NewFreeNoise(m.Correlation(), m.N, 6, x.Data, 0.7))
	if err := kit.LocalScore(f, kit.LocalScoreSettings{}, 1); err != nil {
		t.Error(err)
	}
}
