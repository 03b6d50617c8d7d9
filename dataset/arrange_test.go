package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestMomentsDoNotDependOnColumnOrder checks that shuffled columns give the same moments, bit for bit, on any
// kernel. Learn needs this for results that do not depend on the column order.
func TestMomentsDoNotDependOnColumnOrder(t *testing.T) {
	for _, c := range []struct{ n, d int }{{5, 2}, {50, 7}, {1000, 40}, {4000, 33}, {300, 130}, {20000, 12}} {
		rng := rand.New(rand.NewPCG(uint64(c.d), 1))
		names := make([]string, c.d)
		x := matrix.New[float64](c.n, c.d)
		for j := range names {
			names[j] = fmt.Sprint("v", j)
			mean, scale := 1000*rng.NormFloat64(), math.Exp(3*rng.NormFloat64())
			for i := range c.n {
				x.Set(i, j, mean+scale*rng.NormFloat64()+0.3*x.At(i, 0))
			}
		}
		order := rng.Perm(c.d)
		shuffled := matrix.New[float64](c.n, c.d)
		for i := range c.n {
			for k, j := range order {
				shuffled.Set(i, k, x.At(i, j))
			}
		}
		m, err := dataset.MomentsOf(names, x, 1)
		must.Succeed(t, err)
		got, err := dataset.MomentsOf(m.Arranged(order).Names, shuffled, 2)
		must.Succeed(t, err)
		want := m.Arranged(order)
		if !slices.Equal(got.Names, want.Names) || !slices.Equal(got.Mean, want.Mean) || !slices.Equal(got.Min, want.Min) ||
			!slices.Equal(got.Max, want.Max) || !slices.Equal(got.MeanLow(), want.MeanLow()) || got.N != want.N {
			t.Errorf("%d × %d: names, means or ranges differ", c.n, c.d)
		}
		differ := 0
		for i := range want.Scatter {
			if got.Scatter[i] != want.Scatter[i] {
				differ++
			}
		}
		if differ > 0 {
			t.Errorf("%d × %d: %d of %d products differ", c.n, c.d, differ, len(want.Scatter))
		}
	}
}

// The targets of rearranged environments are the same columns in their new places, ascending.
func TestEnvironmentsArranged(t *testing.T) {
	names := []string{"a", "b", "c"}
	r := &dataset.Environments{Names: []string{"both", "one"}, Targets: [][]int{{0, 2}, {1}}, Moments: []*dataset.Moments{dataset.NewMoments(names), dataset.NewMoments(names)}}
	got := r.Arranged([]int{2, 0, 1}) // c, a, b
	if !slices.EqualFunc(got.Targets, [][]int{{0, 1}, {2}}, slices.Equal[[]int]) || got.Validate(3) != nil {
		t.Errorf("targets %v, %v; want c and a, and b", got.Targets, got.Validate(3))
	}
}
