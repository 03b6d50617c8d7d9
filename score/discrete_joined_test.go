package score_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// A table whose equal rows were joined has the scores of the one with all rows, bit by bit, and so have its parts; what a search goes by besides
// (rows, cost, price) is the same, too, so that it takes the same steps.
func TestJoinedRowsScoreTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	const n = 6000
	levels := []int{2, 3, 2, 2, 4}
	columns, joined := make([][]int, len(levels)), counts.NewJoiner(len(levels), n, false)
	for v, r := range levels {
		columns[v] = make([]int, n)
		for i := range n {
			k := rng.IntN(r)
			if v > 0 && rng.IntN(3) > 0 {
				k = columns[v-1][i] % r
			}
			columns[v][i] = k
			joined.Columns[v] = append(joined.Columns[v], uint16(k))
		}
	}
	joined.Join()
	few := must.Get(joined.Table(counts.Rows{}))
	all := must.Get(score.Count(columns, score.CountSettings{}))
	if few.Rows() > 96 || all.Rows() != n {
		t.Fatalf("%d rows of %d", few.Rows(), all.Rows())
	}
	for _, criterion := range []score.Criterion{score.BDeu, score.BIC} {
		for _, drawn := range []bool{false, true} {
			s := score.DefaultDiscrete()
			s.Criterion, s.Drawn = criterion, drawn
			a := must.Get(score.NewDiscrete(few, s))
			b := must.Get(score.NewDiscrete(all, s))
			sameScores(t, a, b)
			for k := range 4 {
				partA, errA := a.Part(k, 4)
				partB, errB := b.Part(k, 4)
				if errA != nil || errB != nil {
					t.Fatal(errA, errB)
				}
				sameScores(t, partA, partB)
			}
		}
	}
}

func sameScores(t *testing.T, a, b *score.Discrete) {
	t.Helper()
	if a.Rows() != b.Rows() || a.Cost() != b.Cost() || a.Price() != b.Price() {
		t.Errorf("%d rows, cost %v, price %v; want %d, %v, %v", a.Rows(), a.Cost(), a.Price(), b.Rows(), b.Cost(), b.Price())
	}
	rng := rand.New(rand.NewPCG(22, 4))
	x, y := a.Evaluator(), b.Evaluator()
	for range 30 {
		set := rng.Perm(a.Variables())[:1+rng.IntN(4)]
		v, parents := set[0], set[1:]
		slices.Sort(parents)
		if got, want := x.Score(v, parents), y.Score(v, parents); got != want {
			t.Errorf("%d from %v: %v, want %v", v, parents, got, want)
		}
		got, want := make([]float64, a.Variables()), make([]float64, a.Variables())
		x.Additions(got, v, parents)
		y.Additions(want, v, parents)
		if !slices.Equal(got, want) {
			t.Errorf("additions to %v for %d: %v, want %v", parents, v, got, want)
		}
	}
}
