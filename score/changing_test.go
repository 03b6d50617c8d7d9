package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
)

// Changing keeps the laws of a local score, and has the scores of least squares on the rows of each part.
func TestChanging(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const d, environments, n = 4, 3, 240
	names := []string{"a", "b", "c", "e"}
	rows := make([][]float64, environments)
	for i := range n {
		k := i % environments
		row := make([]float64, d)
		for j := range row {
			row[j] = rng.NormFloat64() * float64(1+k)
			if j > 0 {
				row[j] += row[j-1] + float64(k)
			}
		}
		rows[k] = append(rows[k], row...)
	}
	r := &dataset.Environments{Unknown: true}
	all := dataset.NewMoments(names)
	for k := range environments {
		m := dataset.NewMoments(names)
		must.Succeed(t, m.AddBlock(rows[k]))
		must.Succeed(t, all.Merge(m))
		r.Names, r.Targets, r.Moments = append(r.Names, fmt.Sprint(k)), append(r.Targets, nil), append(r.Moments, m)
	}
	s := must.Get(score.NewChanging(all, r, []int{0, 2}, 5))
	if err := kit.LocalScore(s, kit.LocalScoreSettings{}, 1); err != nil {
		t.Error(err)
	}
	// The slow twin: least squares on the rows of each part.
	fit := func(v int, parents []int, parts ...[]float64) float64 {
		x := slices.Concat(parts...)
		m := dataset.NewMoments(names)
		must.Succeed(t, m.AddBlock(x))
		left := 1.0
		if len(parents) > 0 {
			reg := must.Get(score.Regress(m.Correlation(), v, parents))
			left = reg.Residual
		}
		std, whole := m.Std(), all.Std()
		return float64(m.N) * math.Log(left*std[v]*std[v]/whole[v]/whole[v])
	}
	e := s.Evaluator()
	for _, c := range []struct {
		parents []int
		want    float64
	}{
		{nil, fit(1, nil, rows[0], rows[1], rows[2])},
		{[]int{0, 3}, fit(1, []int{0, 3}, rows[0], rows[1], rows[2]) + 2*5},
		{[]int{0, 4}, fit(1, []int{0}, rows[1], rows[2]) + fit(1, []int{0}, rows[0]) + (1+3)*5},
		{[]int{0, 2, 4, 5}, fit(1, []int{0, 2}, rows[1]) + fit(1, []int{0, 2}, rows[0]) + fit(1, []int{0, 2}, rows[2]) + (2+2*4)*5},
		{[]int{5}, fit(1, nil, rows[0], rows[1]) + fit(1, nil, rows[2]) + 2*5},
	} {
		if got := e.Score(1, c.parents); !(math.Abs(got-c.want) <= 1e-8*math.Abs(c.want)) {
			t.Errorf("parents %v: %v, from the rows %v", c.parents, got, c.want)
		}
	}
	if e.Score(4, nil) != 0 || !math.IsInf(e.Score(4, []int{0}), 1) {
		t.Error("a context has parents")
	}
	if _, err := score.NewChanging(all, r, []int{0, 1, 2}, 5); err == nil {
		t.Error("all environments may differ from none")
	}
}

// TestChangingRows checks how many rows an equation of its own needs: two, and two for its mean, its variance and each parent.
func TestChangingRows(t *testing.T) {
	for _, n := range []int{5, 6, 7, 8} {
		rng := rand.New(rand.NewPCG(10, 10))
		names := []string{"a", "b"}
		r, all := &dataset.Environments{Unknown: true}, dataset.NewMoments(names)
		for k, rows := range []int{40, n} {
			m, x := dataset.NewMoments(names), make([]float64, 2*rows)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			must.Succeed(t, m.AddBlock(x))
			must.Succeed(t, all.Merge(m))
			r.Names, r.Targets, r.Moments = append(r.Names, fmt.Sprint(k)), append(r.Targets, nil), append(r.Moments, m)
		}
		s := must.Get(score.NewChanging(all, r, []int{1}, 5))
		e := s.Evaluator()
		for _, c := range []struct {
			parents []int
			least   int
		}{{[]int{2}, 6}, {[]int{0, 2}, 8}, {[]int{0}, 0}} {
			if got := e.Score(1, c.parents); math.IsInf(got, 1) != (n < c.least) {
				t.Errorf("%d rows, parents %v: %v", n, c.parents, got)
			}
		}
	}
}
