package attribution

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// Linear interpolation between order statistics, as in numpy.quantile.
func TestQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.1, 1.4}, {0.5, 4}, {0.75, 7}, {1, 20}} {
		if got := quantile([]float64{1, 2, 4, 7, 20}, c.p); !(math.Abs(got-c.want) <= 1e-12) {
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
	if err != nil || used != 11 || !(math.Abs(low[0]-1) <= 1e-12) || !(math.Abs(high[0]-9) <= 1e-12) {
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
	out := must.Get(d.differences(context.Background(), sides, Settings{FDR: 0.05, Threads: 1}))
	changed := 0
	for k, o := range out {
		want := 1.0
		for j := k; j < m; j++ {
			want = min(want, out[j].P*m/float64(j+1))
		}
		if k > 0 && out[k-1].P > o.P || !(math.Abs(o.Q-want) <= 1e-12) || o.Changed != (want <= 0.05) {
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
	if got, want := logTail(far(20), 0, 10), math.Log(0.02); !(math.Abs(got-want) <= 1e-12) {
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
	if got := logTail(y, 0, 10); !(math.Abs(got-want) <= 1e-6) {
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
	if got != 0 || target.Category != "a" || target.Before != 0.5 || !(math.Abs(target.After-0.2) <= 1e-12) || !(math.Abs(target.Change+0.3) <= 1e-12) {
		t.Errorf("category %d, %+v", got, target)
	}
	d.rows = mechanism.New([][]float64{column}, [][]float64{nil})
	if d.observe(&target, [2][]int{{0, 1, 2, 3}, {4, 5, 6, 7, 8}}); target.Before != 0.75 || !(math.Abs(target.Change-0.45) <= 1e-12) {
		t.Errorf("mean: %+v", target)
	}
}

// In y = x + 3z with means of x and z that change by 1 and 2, and a change of y itself by 4, the contributions are 1, 6 and 4.
func TestContributionsOfALinearModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	const n = 2000
	var columns [3][]float64 // x, y, z
	var sides [2][]int
	for i := range 2 * n {
		side := float64(i / n)
		sides[i/n] = append(sides[i/n], i)
		x, z := rng.NormFloat64()+side, rng.NormFloat64()+2*side
		columns[0], columns[2] = append(columns[0], x), append(columns[2], z)
		columns[1] = append(columns[1], x+3*z+4*side+rng.NormFloat64())
	}
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 2, To: 1}})
	d := &data{names: []string{"x", "y", "z"}, words: make([][]string, 3), g: g, model: score.LinearEffects, rows: mechanism.New(columns[:], make([][]float64, 3)), target: 1}
	d.sort()
	s := Settings{FDR: 0.05, Level: 0.9, Seed: 1, Threads: 1}
	mechanisms := must.Get(d.differences(context.Background(), sides, s))
	got := must.Get(d.attribute(context.Background(), sides, mechanisms, nil, s))
	sum := 0.0
	for k, want := range []Contribution{{Name: "z", Value: 6}, {Name: "y", Value: 4}, {Name: "x", Value: 1}} {
		c := got.Contributions[k]
		sum += c.Value
		if c.Name != want.Name || !(math.Abs(c.Value-want.Value) <= 0.3) {
			t.Errorf("contribution %d: %+v, want %+v", k, c, want)
		}
	}
	if !(math.Abs(sum+got.Unexplained-got.Change) <= 1e-9) || !(math.Abs(got.Unexplained) <= 1e-6) {
		t.Errorf("%v and %v unexplained, of %v", sum, got.Unexplained, got.Change)
	}
	c := &Changes{Mechanisms: mechanisms, Changed: 3, Target: got}
	if c.rank(); c.Mechanisms[0].Name != "z" || c.Mechanisms[1].Name != "y" || c.Mechanisms[2].Name != "x" {
		t.Errorf("ranked %+v", c.Mechanisms)
	}
	// The rows of the second table with the effects of z alone: the mean of y changes by 6 and by nothing else.
	single := append([]Mechanism(nil), mechanisms...)
	for k := range single {
		single[k].Changed = single[k].Name == "z"
	}
	got = must.Get(d.attribute(context.Background(), sides, single, nil, s))
	if c := got.Contributions; len(c) != 2 || c[0].Name != "z" || c[1].Name != "" || c[1].Others != 2 || !(math.Abs(c[0].Value-6) <= 0.3) || !(math.Abs(c[1].Value-5) <= 0.3) {
		t.Errorf("z and the others: %+v", c)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if got, err := d.attribute(ended, sides, mechanisms, nil, s); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interruption: %+v, %v", got, err)
	}
}

// A category with a share of 0.03 has this probability in the draws, which are one in each of 2000 equal parts, plus half a draw. With
// its noise fixed every draw has it.
func TestOutlierOfACategory(t *testing.T) {
	column := make([]float64, 1000)
	for i := range 30 {
		column[i] = 1
	}
	d := &data{names: []string{"x"}, words: [][]string{nil}, g: graph.New(1), model: score.TableEffects, rows: mechanism.New([][]float64{column}, [][]float64{{0, 1}})}
	d.sort()
	f := must.Get(mechanism.FitNetwork(d.model, d.g, d.rows, nil))
	p := f.F[0].At(nil)[1]
	o := &outlier{data: d, Network: f, own: make([]float64, 1), u: d.uniforms(draws, 1)}
	o.infer(0, 1)
	value := o.simulated([]int{0})
	free, err := value([]bool{false})
	if err != nil || !(math.Abs(math.Exp(free)-(2000*p+0.5)/2000.5) <= 1.01/2000) || !(math.Abs(p-0.03) <= 0.001) {
		t.Errorf("probability %v, want %v; %v", math.Exp(free), p, err)
	}
	if fixed, err := value([]bool{true}); err != nil || !(math.Abs(fixed) <= 1e-12) {
		t.Errorf("with its noise: %v, want 0; %v", fixed, err)
	}
}

// The mean of 0.1, 0.2 and -0.3 is 9e-18 in floating point: it is 0 in a row, before and after a change, and in the change.
func TestMeansWithoutRoundingErrors(t *testing.T) {
	column := []float64{0.1, 0.2, -0.3, 0.1, 0.2, -0.3}
	d := &data{names: []string{"x"}, words: [][]string{nil}, g: graph.New(1), model: score.LinearEffects, rows: mechanism.New([][]float64{column}, [][]float64{nil})}
	d.sort()
	f := must.Get(mechanism.FitNetwork(d.model, d.g, d.rows, nil))
	if y := f.F[0].At(nil)[0]; y == 0 {
		t.Fatal("the mean has no rounding error")
	}
	o := &outlier{data: d, Network: f, own: make([]float64, 1)}
	if got := *o.infer(0, 1).Expected; got != 0 {
		t.Errorf("expected %v, want 0", got)
	}
	sides := [2][]int{{0, 1, 2}, {5, 4, 3}}
	got := must.Get(d.attribute(context.Background(), sides, nil, nil, Settings{FDR: 0.05, Level: 0.9, Seed: 1, Threads: 1}))
	if got.Before != 0 || got.After != 0 || got.Change != 0 || got.Contributions[0].Value != 0 || got.Unexplained != 0 {
		t.Errorf("%+v", got)
	}
}
