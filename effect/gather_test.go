package effect

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// TestGather computes intervals of 19 samples by hand: at the level 0.9 the quantile at 0.05·20 is the smallest of the lower ends and the
// one at 0.95·20 the largest of the upper ends. The shares are those of the samples with an answer.
func TestGather(t *testing.T) {
	q := &study{shown: outcomes{names: []string{"mean"}}, do: []float64{1}}
	var all []replicate
	for k := range 19 {
		x := float64((k*7)%19 + 1) // 1 … 19 in some order
		all = append(all, replicate{low: []float64{x, 2 * x, 10 + x, 1}, high: []float64{x + 100, 2*x + 100, 110 + x, 1}, reaches: k < 10, open: k < 5})
	}
	all = append(all, replicate{failed: errors.New("singular")})
	low, high, told, err := q.gather(all, 0.9, OverGraphs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want float64 }{
		{low.total[0], 1}, {high.total[0], 119}, {low.direct[0], 2}, {high.direct[0], 138}, {low.do[0][0], 11}, {high.do[0][0], 129},
		{*told.Paths, 10. / 19}, {*told.OpenShare, 5. / 19}, {float64(told.Replicates), 19}, {float64(told.Failed), 1},
	} {
		near(t, "interval", c.got, c.want, 1e-12)
	}
	if low, _, _, _ := q.gather(all, 0.8, OverRows); !(math.Abs(low.total[0]-2) <= 1e-12) {
		t.Errorf("at the level 0.8 the lower end is %v, want 2", low.total[0])
	}
	if _, _, _, err := q.gather(all[18:], 0.9, OverRows); err == nil || !strings.Contains(err.Error(), "only 1 of 2") {
		t.Errorf("one sample: %v", err)
	}
}

// An estimate of 0 is called no effect if fewer than 5 % of the graphs have a directed path.
func TestNoEffectNeedsFewPaths(t *testing.T) {
	for share, want := range map[float64]string{0.04: "No effect: ", 0.05: "Estimate 0, but an effect is not excluded: "} {
		a := &Answer{Identification: None, Reason: "there is no directed path", Interval: &Interval{Paths: &share}}
		if got := a.verdict(); !strings.HasPrefix(got, want) {
			t.Errorf("share %v: %s", share, got)
		}
	}
}

// The mean of b under do(a = x) has the variance of a simple regression, σ²·(1/n + (x - mean)²/Sxx), with the mean of the cause.
func TestVarianceOfAPrediction(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	const n = 50
	x := matrix.New[float64](n, 2)
	for i := range n {
		a := 3 + rng.NormFloat64()
		copy(x.Row(i), []float64{a, 10 + 2*a + rng.NormFloat64()})
	}
	m, err := dataset.FromRows([]string{"a", "b"}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := dataset.NewPool(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := fitLinear(graph.FromParents([][]int{nil, {0}}), m, pool)
	if err != nil {
		t.Fatal(err)
	}
	sxx, sxy, syy := m.Scatter[0], m.Scatter[1], m.Scatter[3]
	left := syy - sxy*sxy/sxx
	do := []float64{m.Mean[0], 0, 5}
	got, ok := (&study{a: 0, b: 1, x1: 1, do: do}).variances(l, n)
	if !ok {
		t.Fatal("no variance")
	}
	for k, v := range do {
		want := left / n * (1./n + (v-m.Mean[0])*(v-m.Mean[0])/sxx)
		near(t, "variance of the mean relative to that of a regression", got.do[k][0]/want, 1, 3./n) // the degrees of freedom differ
	}
}
