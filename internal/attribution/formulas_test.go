package attribution

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/score"
)

// Linear interpolation between order statistics, as in numpy.quantile.
func TestQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.1, 1.4}, {0.5, 4}, {0.75, 7}, {1, 20}} {
		if got := quantile([]float64{1, 2, 4, 7, 20}, c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("quantile %v: %v, want %v", c.p, got, c.want)
		}
	}
}

// The contribution is 10 in all rows and 10, 11, …, 20 in the samples. The errors are 0 to 10, so that the basic interval of level 0.8
// is [10 - 9, 10 - 1]; the percentile interval would be [11, 19].
func TestBasicIntervals(t *testing.T) {
	d := &data{rows: mechanism.New([][]float64{{1, 2, 3, 4}}, [][]float64{nil})}
	s := Settings{Level: 0.8, Replicates: 11, Seed: 1, Threads: 1}
	low, high, used, err := d.resample(context.Background(), [2][]int{{0, 1}, {2, 3}}, s, func(r int, rows [2]*mechanism.Rows, _ uint64) (center, own []float64, err error) {
		for k, side := range rows {
			for _, x := range side.Columns[0] {
				if int(x-1)/2 != k {
					t.Errorf("side %d has a row of the other: %v", k, side.Columns[0])
				}
			}
		}
		return []float64{10}, []float64{10 + float64(r)}, nil
	})
	if err != nil || used != 11 || math.Abs(low[0]-1) > 1e-12 || math.Abs(high[0]-9) > 1e-12 {
		t.Errorf("from %v to %v with %d samples, %v; want 1 to 9", low, high, used, err)
	}
}

// The corrected p-values are those of Benjamini and Hochberg by definition: the smallest m·p/k over the k-th smallest and all larger
// p-values.
func TestFalseDiscoveryRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const m, n = 12, 60
	d := &data{g: graph.New(m), model: score.LinearEffects}
	var columns [][]float64
	var sides [2][]int
	for i := range 2 * n {
		sides[i/n] = append(sides[i/n], i)
	}
	for v := range m {
		var x []float64
		for i := range 2 * n {
			x = append(x, rng.NormFloat64()+0.08*float64(v*(i/n)))
		}
		columns = append(columns, x)
		d.names = append(d.names, string(rune('a'+v)))
	}
	d.rows = mechanism.New(columns, make([][]float64, m))
	out, err := d.differences(context.Background(), sides, Settings{FDR: 0.05, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for k, o := range out {
		want := 1.0
		for j := k; j < m; j++ {
			want = min(want, out[j].P*m/float64(j+1))
		}
		if k > 0 && out[k-1].P > o.P || math.Abs(o.Q-want) > 1e-12 || o.Changed != (want <= 0.05) {
			t.Errorf("%d: %+v, want q = %v", k, o, want)
		}
		if o.Changed {
			changed++
		}
	}
	if changed == 0 || changed == m {
		t.Errorf("%d of %d changed: the test is too narrow", changed, m)
	}
}

// The share of the draws counts from 20 of them, and below the normal tail; without variance the logarithm is -300.
func TestLogTailLimits(t *testing.T) {
	far := func(count int) []float64 { // count of 1000 draws at 10, the others at -1 and 1
		y := slices.Repeat([]float64{10}, count)
		for len(y) < 1000 {
			y = append(y, 1, -1)
		}
		return y[:1000]
	}
	if got, want := logTail(far(20), 0, 10), math.Log(0.02); math.Abs(got-want) > 1e-12 {
		t.Errorf("20 draws: %v, want %v", got, want)
	}
	y := far(19)
	mean, square := 0.0, 0.0
	for _, v := range y {
		mean += v / 1000
		square += v * v / 1000
	}
	z := math.Sqrt(2 * (square - mean*mean))
	want := math.Log((math.Erfc((10-mean)/z) + math.Erfc((10+mean)/z)) / 2)
	if got := logTail(y, 0, 10); math.Abs(got-want) > 1e-6 {
		t.Errorf("19 draws: %v, want %v", got, want)
	}
	if got := logTail(slices.Repeat([]float64{1}, 100), 0, 5); got != -300 {
		t.Errorf("constant draws: %v, want -300", got)
	}
}

// With the share of two categories known by hand, the category is the one that changed most: a from 0.5 to 0.2, b from 0.25 to 0.4.
func TestObservedCategory(t *testing.T) {
	column := []float64{0, 0, 1, 2, 0, 1, 1, 2, 2}
	d := &data{names: []string{"x"}, words: [][]string{{"a", "b", "c"}}, rows: mechanism.New([][]float64{column}, [][]float64{{0, 1, 2}})}
	var target Target
	got := d.observe(&target, [2][]int{{0, 1, 2, 3}, {4, 5, 6, 7, 8}})
	if got != 0 || target.Category != "a" || target.Before != 0.5 || math.Abs(target.After-0.2) > 1e-12 || math.Abs(target.Change+0.3) > 1e-12 {
		t.Errorf("category %d, %+v", got, target)
	}
	d.rows = mechanism.New([][]float64{column}, [][]float64{nil})
	if d.observe(&target, [2][]int{{0, 1, 2, 3}, {4, 5, 6, 7, 8}}); target.Before != 0.75 || math.Abs(target.Change-0.45) > 1e-12 {
		t.Errorf("mean: %+v", target)
	}
}
