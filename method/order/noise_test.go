package order

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// TestReversalsAreThoseOfTheAnswer checks that after the noise reversed edges, the losses of reversals are
// those of the final graph.
func TestReversalsAreThoseOfTheAnswer(t *testing.T) {
	changed, seen := 0, 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		const d, n = 6, 250
		drawn := &drawn{x: matrix.New[float64](n, d), of: make([]int, n), targets: [][]int{nil}, levels: make([]bool, d)}
		w := make([]float64, d*d)
		for k := range w {
			w[k] = float64(rng.IntN(3)-1) * (0.3 + rng.Float64())
		}
		for i := range n {
			for j := range d {
				x := math.Pow(2*rng.Float64()-1, 3)
				for p := range j {
					x += w[p*d+j] * drawn.x.At(i, p)
				}
				drawn.x.Set(i, j, x)
			}
		}
		in := drawn.input(t, false, func(int) bool { return true })
		in.Sample = &dataset.Sample{Columns: d, Values: drawn.x.Data}
		for i := range n {
			in.Sample.Index = append(in.Sample.Index, i)
		}
		m := New()
		m.Model, m.Variance = Linear, Unequal
		a, err := m.Learn(context.Background(), in, nil)
		must.Succeed(t, err)
		if !a.FreeNoise {
			continue
		}
		s := must.Get(score.NewGaussianLocal(in.Moments.Correlation(), n, a.Price))
		want := method.Reversals(t.Context(), a.Graph.Directed(), s.Evaluator(), true, search.Knowledge{}, nil)
		for _, e := range a.Edges {
			loss, ok := want[e.Edge]
			if ok != (e.Reversal != nil) || ok && math.Abs(*e.Reversal-loss) > 1e-9*(1+math.Abs(loss)) {
				t.Errorf("seed %d, edge %v: loss %v, want %v %v", seed, e.Edge, e.Reversal, loss, ok)
			}
			if ok {
				seen++
			}
		}
		if first := a.Stages[0].Graph; first != nil && !first.Equal(a.Graph.Directed()) {
			changed++
		}
	}
	if changed == 0 || seen == 0 {
		t.Errorf("the noise changed %d graphs, %d edges have a loss: the test is too narrow", changed, seen)
	}
}

// TestGainOfTheNoise checks a refinement against the score under Gaussian noise: the shape of the noise lowers the score by Gain, which
// is positive for noise far from Gaussian.
func TestGainOfTheNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const n = 300
	x := matrix.New[float64](n, 3)
	for i := range n {
		for v := range 3 {
			value := rng.ExpFloat64() - 1
			if v > 0 {
				value += 0.8 * x.At(i, v-1)
			}
			x.Set(i, v, value)
		}
	}
	m := inputtest.Moments(t, []string{"a", "b", "c"}, x)
	f, err := score.NewFreeNoise(m.Correlation(), n, 2, x.Data, 1)
	must.Succeed(t, err)
	parents := [][]int{nil, {0}, {1}}
	r := must.Get(refinementOf(f.Fit(), parents))
	gaussian := 0.0
	for v, p := range parents {
		gaussian += f.Gaussian().Fit().Score(v, p)
	}
	if r.Gain < 100 || math.Abs(r.Score+r.Gain-gaussian) > 1e-9*math.Abs(gaussian) {
		t.Errorf("score %v and gain %v, under Gaussian noise %v", r.Score, r.Gain, gaussian)
	}
	g := graph.FromParents(parents)
	if len(r.P) != g.NumEdges() {
		t.Errorf("%d p-values of %d edges", len(r.P), g.NumEdges())
	}
	gains := noiseGains(f.Fit(), 2, []int{0, 1})
	for i, rest := range [][]int{{1}, {0}} {
		if want := f.Fit().Score(2, rest) - f.Fit().Score(2, []int{0, 1}); gains[i] != want {
			t.Errorf("gain of parent %d: %v, want %v", i, gains[i], want)
		}
	}
	if !(gains[1] > 50 && gains[0] < 10) {
		t.Errorf("the cause gains %v, the other column %v", gains[1], gains[0])
	}
}

// TestRowsWithoutSample checks that a table with rows of which none were kept is learned without the shape of the noise.
func TestRowsWithoutSample(t *testing.T) {
	drawn := &drawn{x: matrix.New[float64](50, 2), of: make([]int, 50), targets: [][]int{nil}, levels: make([]bool, 2)}
	rng := rand.New(rand.NewPCG(1, 9))
	for i := range drawn.x.Data {
		drawn.x.Data[i] = rng.ExpFloat64()
	}
	in := drawn.input(t, false, func(int) bool { return true })
	in.Sample, in.Kinds = nil, nil
	m := New()
	m.Model, m.Variance = Linear, Unequal
	a, err := m.Learn(t.Context(), in, nil)
	if err != nil || a.FreeNoise {
		t.Fatal(a, err)
	}
}

// TestFactsOfTheNoise checks the gains of edges, in bits per row, the margin of the choice, and that losses of reversals are absent if only the
// graph is needed or equal variances identify the directions.
func TestFactsOfTheNoise(t *testing.T) {
	for _, c := range []struct {
		what     string
		variance Variance
		noise    Noise
		only     bool
		chosen   string // the noise; "" for no choice
		losses   bool
	}{
		{"all facts", Unequal, AutoNoise, false, "free", true},
		{"only the graph", Unequal, AutoNoise, true, "free", false},
		{"equal variances", Equal, FreeNoise, false, "free", false},
		{"equal variances, the noise is not requested", Equal, AutoNoise, false, "", false},
	} {
		in := table(t, 300, 3, func(rng *rand.Rand, x []float64) {
			x[0], x[1] = rng.ExpFloat64(), rng.ExpFloat64()
			x[2] = x[0] + x[1] + rng.ExpFloat64()
		})
		in.GraphOnly = c.only
		m := New()
		m.Model, m.Variance, m.Noise = Linear, c.variance, c.noise
		l := &searcher{Method: m, in: in}
		a, err := l.learn(t.Context())
		must.Succeed(t, err)
		choice := choiceOf(a, "noise")
		if (choice != nil) != (c.chosen != "") || choice != nil && choice.Chosen != c.chosen {
			t.Errorf("%s: %+v, want %q", c.what, choice, c.chosen)
		}
		if choice == nil {
			continue
		}
		if gaussian := choice.Scores["gaussian"]; choice.Margin == nil || math.Abs(*choice.Margin-(gaussian-a.Score)) > 1e-9 || *choice.Margin < 10 {
			t.Errorf("%s: margin %v of %v", c.what, choice.Margin, choice.Scores)
		}
		f, err := score.FreeNoiseOf(l.p, l.price, in.Sample.Values, in.SampleWeight())
		if err != nil || len(a.Edges) != 2 {
			t.Fatal(a.Edges, err)
		}
		for _, e := range a.Edges {
			want := (f.Fit().Score(2, []int{1 - e.From}) - f.Fit().Score(2, []int{0, 1})) / 300 / math.Log(4)
			if e.To != 2 || e.Gain == nil || math.Abs(*e.Gain-want) > 1e-9 || (e.Reversal != nil) != c.losses {
				t.Errorf("%s: %+v, want a gain of %v bits per row and a loss of the reversal: %v", c.what, e, want, c.losses)
			}
		}
	}
}

// TestNoChoiceOfTheNoise checks the reasons against a choice: too few rows, which only a request reports, no kinds of the columns, and a
// stopped run.
func TestNoChoiceOfTheNoise(t *testing.T) {
	skewed := func(rng *rand.Rand) (x, y float64) { x = rng.ExpFloat64(); return x, x + rng.ExpFloat64() }
	for _, c := range []struct {
		what   string
		noise  Noise
		rows   int
		change func(l *searcher)
		want   string // the reason
	}{
		{"few rows", AutoNoise, score.LeastNoiseRows - 1, func(*searcher) {}, ""},
		{"few rows, free noise is requested", FreeNoise, score.LeastNoiseRows - 1, func(*searcher) {}, score.ErrNoiseRows.Error()},
		{"no kinds", FreeNoise, 300, func(l *searcher) { l.in.Kinds, l.in.NoRows = nil, "only moments" }, "only moments"},
		{"a stopped run", FreeNoise, 300, func(l *searcher) { l.answer.Status = method.Canceled }, ""},
	} {
		m := New()
		m.Model, m.Variance, m.Noise = Linear, Unequal, c.noise
		l := &searcher{Method: m, in: sampled(t, c.rows, skewed)}
		must.Succeed(t, l.learnGaussian(t.Context()))
		c.change(l)
		must.Succeed(t, l.byNoise(t.Context()))
		got := choiceOf(&l.answer, "noise")
		if (got != nil) != (c.want != "") || got != nil && (got.Chosen != "gaussian" || !strings.Contains(got.Reason, c.want)) {
			t.Errorf("%s: %+v, want the reason %q", c.what, got, c.want)
		}
	}
}
