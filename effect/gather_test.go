package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
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
	e, told, err := q.gather(all, 0.9, OverGraphs)
	must.Succeed(t, err)
	low, high := e.low, e.high
	for _, c := range []struct{ got, want float64 }{
		{low.total[0], 1}, {high.total[0], 119}, {low.direct[0], 2}, {high.direct[0], 138}, {low.do[0][0], 11}, {high.do[0][0], 129},
		{*told.Paths, 10. / 19}, {*told.OpenShare, 5. / 19}, {float64(told.Replicates), 19}, {float64(told.Failed), 1},
	} {
		near(t, "interval", c.got, c.want, 1e-12)
	}
	if e, _, _ := q.gather(all, 0.8, OverRows); !(math.Abs(e.low.total[0]-2) <= 1e-12) {
		t.Errorf("at the level 0.8 the lower end is %v, want 2", e.low.total[0])
	}
	if _, _, err := q.gather(all[18:], 0.9, OverRows); err == nil || !strings.Contains(err.Error(), "only 1 of 2") {
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
	m := must.Get(dataset.MomentsOf([]string{"a", "b"}, x, 1))
	pool := must.Get(dataset.NewPool(m, nil))
	l := must.Get(fitLinear(graph.FromParents([][]int{nil, {0}}), m, pool))
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

// TestThreadsAndContexts checks that the answer has the same bytes on any number of threads, and that there is
// none after the context has ended.
func TestThreadsAndContexts(t *testing.T) {
	k := levelsTrial(t, 5, 300, 0)
	cfg := polydag.DefaultConfig()
	cfg.Method = k.method
	res := must.Get(k.table.Learn(context.Background(), cfg, polydag.Run{}))
	answer := func(threads int) string {
		told := 0
		a := ask(t, res, k.table, k.of, k.on, func(q *Question) {
			q.GivenGraph, q.Replicates, q.Threads, q.Do = false, 12, threads, []string{"l1"}
			q.Observe = func(done, of int) {
				if told++; done != told || of != 12 {
					t.Errorf("told %d of %d after %d", done, of, told)
				}
			}
		})
		if told != 12 || a.Interval.Method != OverGraphs {
			t.Errorf("%d replicates were told of, %+v", told, a.Interval)
		}
		text := must.Get(json.Marshal(a))
		return string(text)
	}
	if one, three := answer(1), answer(3); one != three {
		t.Errorf("on one thread\n%s\non three\n%s", one, three)
	}
	ctx, cancel := context.WithCancel(context.Background())
	q := NewQuestion(k.of, k.on)
	q.Observe = func(int, int) { cancel() }
	if a, err := Ask(ctx, res, k.table, q); a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", a, err)
	}
}

// TestLearnsAgainAsRecorded checks that a replicate is learned with the recorded settings: the same table gives
// the same graph, and knowledge is kept.
func TestLearnsAgainAsRecorded(t *testing.T) {
	k := linearTrial(t, 4, false, 300, 0)
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Seed = k.method, 7
	cfg.Knowledge.Forbid = append(cfg.Knowledge.Forbid, k.truth.Edges()[0].Named(k.table.Moments.Names).From+"->"+k.truth.Edges()[0].Named(k.table.Moments.Names).To)
	res := must.Get(k.table.Learn(context.Background(), cfg, polydag.Run{}))
	text := must.Get(json.Marshal(res))
	read := must.Get(polydag.ReadResult(bytes.NewReader(text)))
	learn := must.Get(confidence.NewRelearner(read))
	again := must.Get(learn.Learn(context.Background(), polydag.Draw{}, func() (*polydag.Table, error) { return k.table, nil }))
	if !again.Graph.Equal(res.Graph) || res.Model != score.LinearEffects {
		t.Errorf("%v, then %v", res.Graph.Edges(), again.Graph.Edges())
	}
}

// TestStoredGraphsAreThoseLearnedAgain checks that effects from the stored graphs of bootstrap samples are those from graphs that are learned
// anew, also with another seed, and that samples without a stored graph are learned.
func TestStoredGraphsAreThoseLearnedAgain(t *testing.T) {
	ctx := context.Background()
	for _, k := range []trial{linearTrial(t, 4, false, 300, 0), linearTrial(t, 5, true, 200, 0)} {
		cfg := polydag.DefaultConfig()
		cfg.Method = k.method
		s := confidence.DefaultSettings()
		s.Replicates = 20
		res := must.Get(confidence.Learn(ctx, k.table, cfg, s, polydag.Run{}))
		bare := *res
		own := *res.Confidence
		own.Graphs, bare.Confidence = nil, &own
		broken := own
		broken.Graphs = &trust.DrawnGraphs{In: slices.Repeat([]string{""}, 20)}
		for _, seed := range []uint64{cfg.Seed, 9} {
			q := NewQuestion(k.of, k.on)
			q.Replicates, q.Seed = 20, seed
			answer := func(r polydag.Result) string {
				return string(must.Get(json.Marshal(must.Get(Ask(ctx, &r, k.table, q)))))
			}
			want := answer(bare)
			if got := answer(*res); got != want {
				t.Errorf("seed %d: stored graphs give\n%s\nthose learned again\n%s", seed, got, want)
			}
			other := *res
			other.Confidence = &broken
			if got := answer(other); got != want {
				t.Errorf("seed %d: without stored graphs\n%s\nwant\n%s", seed, got, want)
			}
		}
	}
}
