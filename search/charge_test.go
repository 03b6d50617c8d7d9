package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// dearer is a score in which every parent costs more.
type dearer struct {
	*tableScore
	more float64
}

func (s dearer) Price() float64       { return s.price + s.more }
func (s dearer) Evaluator() Evaluator { return s }

func (s dearer) Score(v int, parents []int) float64 {
	return s.tableScore.Score(v, parents) + s.more*float64(len(parents))
}

func (s dearer) Additions(dst []float64, v int, parents []int) {
	s.tableScore.Additions(dst, v, parents)
	for x := range dst {
		if _, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] += s.more * float64(len(parents)+1)
		}
	}
}

// TestChargeIsAPrice checks that a charge acts like a larger penalty in the score, in a search and among all
// graphs.
func TestChargeIsAPrice(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	fewer := 0
	for trial := range 40 {
		score := randomTable(6, rng)
		s := DefaultSettings()
		s.Exact = 6 * (trial % 2)
		plain := must.Get(Search(context.Background(), Problem{Score: score}, s, nil))
		more := 6 * rng.Float64()
		want := must.Get(Search(context.Background(), Problem{Score: dearer{score, more}}, s, nil))
		s.Charge = more
		got := must.Get(Search(context.Background(), Problem{Score: score}, s, nil))
		if s.Exact > 0 && math.Abs(got.Score-want.Score) > 1e-9 || s.Exact == 0 && got.Score > plain.Score+more*float64(plain.Edges)+1e-9 {
			t.Errorf("trial %d: score %v, as a price %v", trial, got.Score, want.Score)
		}
		if math.Abs(got.Penalty-score.price-more) > 1e-12 {
			t.Errorf("penalty %v, want %v", got.Penalty, score.price+more)
		}
		if got.Edges < plain.Edges {
			fewer++
		}
	}
	if fewer < 20 {
		t.Errorf("a charge left fewer edges in %d of 40 trials", fewer)
	}
	p := randomSample(20, 40, 300, 1, 1).problem()
	s := DefaultSettings()
	s.Adapt, s.Gamma = false, 0
	s.Charge = 2 * math.Log(300)
	got := must.Get(Search(context.Background(), p, s, nil))
	s.Charge, s.Factor = 0, 3
	want := must.Get(Search(context.Background(), p, s, nil))
	if fmt.Sprint(got.Parents) != fmt.Sprint(want.Parents) || math.Abs(got.Score-want.Score) > 1e-6 {
		t.Errorf("with correlations a charge of two prices is another search than one at three")
	}
}

// remover provides all removals of a table at once and counts the calls.
type remover struct {
	*tableScore
	removals *atomic.Int64
}

func (r remover) Evaluator() Evaluator { return r }

func (r remover) Removals(dst []float64, v int, parents []int) {
	r.removals.Add(1)
	for j := range parents {
		dst[j] = r.Score(v, slices.Delete(slices.Clone(parents), j, j+1))
	}
}

// TestRemoverChangesNothing checks that batched removals do not change the result.
func TestRemoverChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for trial := range 20 {
		score := randomTable(8, rng)
		s := DefaultSettings()
		s.Exact, s.Threads = 0, 1+trial%2
		p := Problem{Score: score}
		if trial%3 == 0 {
			p.Knowledge.Required = [][2]int{{0, 1}}
			score.most = max(score.most, 1)
		}
		want := must.Get(Search(context.Background(), p, s, nil))
		all := remover{score, &atomic.Int64{}}
		p.Score = all
		got := must.Get(Search(context.Background(), p, s, nil))
		if fmt.Sprint(got.Parents, got.Score, got.Stats.Scans) != fmt.Sprint(want.Parents, want.Score, want.Stats.Scans) {
			t.Errorf("trial %d: %v %v, want %v %v", trial, got.Parents, got.Score, want.Parents, want.Score)
		}
		if all.removals.Load() == 0 {
			t.Errorf("trial %d: nobody asked", trial)
		}
	}
}

// costly reports a high cost per evaluation.
type costly struct {
	*tableScore
	cost float64
}

func (c costly) Cost() float64 { return c.cost }

// TestRoundsFollowTheCost checks that the rounds of an expensive score are limited by the work of the descent,
// and those of a cheap one continue while they pay, on any number of threads.
func TestRoundsFollowTheCost(t *testing.T) {
	score := randomTable(10, rand.New(rand.NewPCG(23, 1)))
	var rounds [2]int
	for k, cost := range []float64{1, 1e15} {
		for threads := 1; threads <= 3; threads++ {
			s := DefaultSettings()
			s.Exact, s.Threads = 0, threads
			res := must.Get(Search(context.Background(), Problem{Score: costly{score, cost}}, s, nil))
			if threads > 1 && res.Stats.Rounds != rounds[k] {
				t.Errorf("cost %v: %d rounds on %d threads, %d on one", cost, res.Stats.Rounds, threads, rounds[k])
			}
			rounds[k] = res.Stats.Rounds
		}
	}
	if rounds[0] < idleRounds || rounds[1] >= rounds[0] || rounds[1] == 0 {
		t.Errorf("%d rounds where evaluations cost nothing, %d where they cost much", rounds[0], rounds[1])
	}
}
