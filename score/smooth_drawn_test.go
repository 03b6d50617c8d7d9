package score_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// The smooth score of tables that are drawn from another one has, with Drawn, about the mean that the table has itself; without it parents
// that have nothing to do with a column explain in them what they do not in the table. Means are of 150 draws and good to 1 or 2.
func TestDrawnSmoothScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const rows, draws = 200, 150
	x := matrix.New[float64](rows, 3)
	for i := range rows {
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, rng.NormFloat64())
		x.Set(i, 2, rng.NormFloat64())
	}
	gain := func(x *matrix.Dense[float64], drawn bool, parents ...int) float64 {
		set := score.DefaultSmoothSettings()
		set.Drawn = drawn
		set.Strengths, set.Linear, set.PairStrength = []float64{1}, false, 0 // one prior: the least of several is biased by itself
		s := must.Get(score.NewSmooth(blocks(t, x, nil, basis.DefaultSettings()), set))
		return s.Evaluator().Score(2, parents) - s.Evaluator().Score(2, nil)
	}
	for _, parents := range [][]int{{1}, {0, 1}} {
		want := gain(x, false, parents...)
		plain, mended := 0.0, 0.0
		y := matrix.New[float64](rows, 3)
		for range draws {
			for i := range rows {
				copy(y.Row(i), x.Row(rng.IntN(rows)))
			}
			plain += gain(y, false, parents...) / draws
			mended += gain(y, true, parents...) / draws
		}
		t.Logf("parents %v: %.1f in the table; in tables drawn from it %+.1f, mended %+.1f", parents, want, plain-want, mended-want)
		if before, after := plain-want, mended-want; before > -4 || !(math.Abs(after) <= 0.4*-before) {
			t.Errorf("parents %v: drawn tables are off by %.2f, mended by %.2f; want most of it mended", parents, before, after)
		}
	}
}

// What is added keeps the laws of a local score: additions are scores.
func TestDrawnSmoothLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	x := matrix.New[float64](60, 5)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	set := score.DefaultSmoothSettings()
	set.Drawn = true
	s := must.Get(score.NewSmooth(blocks(t, x, nil, basis.DefaultSettings()), set))
	if err := kit.LocalScore(s, kit.LocalScoreSettings{Tolerance: 1e-6}, 4); err != nil {
		t.Error(err)
	}
}

// The search with smooth and mixed scores finds graphs that are no worse than those of a plain search from several random
// starts, nor than the true graphs. With more than 12 columns the search does not try all graphs.
func TestSearchSmoothAndMixed(t *testing.T) {
	for seed := range uint64(2) {
		curved, x := curvedTable(seed, 9, 12, 300, false)
		both, categorical, y := mixedTable(seed, 9, 12, 300)
		for _, c := range []struct {
			name  string
			s     search.Score
			truth *graph.Graph
		}{{"smooth", smooth(t, x), curved}, {"mixed", mixed(t, y, categorical), both}} {
			set := search.DefaultSettings()
			set.Restarts, set.Exact = 10, 0 // so few columns would be searched exactly, without restarts
			res := must.Get(search.Search(context.Background(), search.Problem{Score: c.s}, set, nil))
			_, want := plainly(c.s.Evaluator(), 9, c.s.Price(), 2)
			truth := total(c.s.Evaluator(), c.truth)
			if res.Stats.Rounds == 0 {
				t.Errorf("%s, seed %d: no round of restarts: %+v", c.name, seed, res.Stats)
			}
			if res.Score > want+1e-6 || res.Score > truth+1e-6 {
				t.Errorf("%s, seed %d: %v, the plain search %v, the true graph %v", c.name, seed, res.Score, want, truth)
			}
			t.Logf("%s, seed %d: %.1f below the plain search, %.1f below the true graph, %+v", c.name, seed, want-res.Score, truth-res.Score, res.Stats)
		}
	}
}
