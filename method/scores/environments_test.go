package scores

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// With interventions on many columns the linear score is that of the rows of each column, which its slow twin pools. Rows
// of environments are kept in single precision.
func TestLinearScoreOfManyTargets(t *testing.T) {
	const d, rows, controls = 165, 6, 400
	rng := rand.New(rand.NewPCG(5, 5))
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	all, r := dataset.NewAccumulator(names, 1), &dataset.Environments{}
	for k := range d + 1 {
		n, targets := rows, []int{k}
		if k == d {
			n, targets = controls, nil
		}
		var part []float64
		for range n {
			x := make([]float64, d)
			for j := range x {
				if x[j] = rng.NormFloat64(); j == k {
					x[j] += 5
				} else if j > 0 {
					x[j] += 0.8 * x[j-1]
				}
			}
			part = append(part, x...)
		}
		must.Succeed(t, all.Add(part))
		m := dataset.NewMoments(names)
		err := m.AddBlock(part)
		if n <= dataset.LeanRows(d) {
			m, err = dataset.OnDemandMoments(names, part)
		}
		must.Succeed(t, err)
		r.Names, r.Targets, r.Moments = append(r.Names, fmt.Sprint(k)), append(r.Targets, targets), append(r.Moments, m)
	}
	m, err := all.Moments()
	must.Succeed(t, err)
	s := Default()
	table := must.Get(s.linear(&method.Input{Moments: m, Environments: r}))
	groups, of := r.Groups(d)
	eval := table.Score.Evaluator()
	for _, v := range []int{0, 1, 80, d - 1} {
		pooled, err := r.Pooled(groups[of[v]])
		must.Succeed(t, err)
		slow := must.Get(score.NewGaussianLocal(pooled.Correlation(), pooled.N, table.Score.(*score.ByColumn).Of(v).Price()))
		twin := slow.Evaluator()
		for _, set := range [][]int{nil, {(v + 1) % d}, {(v + d - 1) % d}, {2, 5, 9, 33, 77, 150}} {
			if got, want := eval.Score(v, set), twin.Score(v, set); math.Abs(got-want) > 1e-4 {
				t.Fatalf("score of %d given %v is %v, want %v", v, set, got, want)
			}
			got, want := make([]float64, d), make([]float64, d)
			eval.Additions(got, v, set)
			twin.Additions(want, v, set)
			for x := range got {
				if math.Abs(got[x]-want[x]) > 1e-4 {
					t.Fatalf("score of %d given %v and %d is %v, want %v", v, set, x, got[x], want[x])
				}
			}
		}
	}
	if !manyGroups(&method.Input{Moments: m, Environments: r}, 8*d) || manyGroups(&method.Input{Moments: m, Environments: r}, d) || manyGroups(&method.Input{Moments: m}, 1e6) {
		t.Error("the limit of functions by environment")
	}
}
