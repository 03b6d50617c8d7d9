package score_test

import (
	"context"
	"errors"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// Five curved and five linear tables each of two kinds: additive and joint functions, strong and weak effects. One linear table may be
// taken for a curved one.
func TestCurvature(t *testing.T) {
	set := basis.Settings{Curves: 7, MaxLevels: 2}
	right := map[bool]int{}
	for seed := range uint64(5) {
		for _, c := range []struct {
			curved bool
			draw   func() *matrix.Dense[float64]
		}{
			{true, func() *matrix.Dense[float64] { _, x := curvedTable(seed, 8, 8, 500, false); return x }},
			{true, func() *matrix.Dense[float64] { _, x := curvedTable(seed, 8, 14, 500, true); return x }},
			{false, func() *matrix.Dense[float64] { _, x := linearTable(seed, 8, 14, 500, 0.5, 2); return x }},
			{false, func() *matrix.Dense[float64] { _, x := linearTable(seed, 8, 8, 500, 0.1, 0.5); return x }},
		} {
			e := must.Get(score.Curvature(context.Background(), blocks(t, c.draw(), nil, set)))
			if e.Curved() == c.curved {
				right[c.curved]++
			}
		}
	}
	t.Logf("curved found in %d of 10 curved tables, linear in %d of 10 linear ones", right[true], right[false])
	if right[true] < 10 || right[false] < 9 {
		t.Errorf("curved found in %d of 10 curved tables, linear in %d of 10 linear ones, want 10 and 9", right[true], right[false])
	}
}

// A cancelled context and a categorical column are errors.
func TestCurvatureStops(t *testing.T) {
	_, x := curvedTable(1, 4, 4, 50, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := score.Curvature(ctx, blocks(t, x, nil, basis.DefaultSettings())); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	x = matrix.Of(3, 2, []float64{0, 1, 1, 2, 0, 4})
	if _, err := score.Curvature(context.Background(), blocks(t, x, []bool{true, false}, basis.DefaultSettings())); !errors.Is(err, score.ErrCategorical) {
		t.Errorf("a categorical column: %v", err)
	}
}
