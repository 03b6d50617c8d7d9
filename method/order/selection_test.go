package order

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// TestStepUp checks the rule of Benjamini and Hochberg at a rate of 0.05 over all pairs, with a smallest p-value of at most 0.01 divided by
// the pairs, on both sides of each limit. Edges without a test do not count.
func TestStepUp(t *testing.T) {
	const pairs = 10
	for _, c := range []struct {
		name string
		ps   [][]float64
		want float64
	}{
		{"none", nil, 0},
		{"the smallest is at the level", [][]float64{{0.001}}, 0.001},
		{"the smallest is above the level", [][]float64{{0.0011}, {0.0011}}, 0},
		{"the second is at 2 · 0.05 / 10", [][]float64{{0.001}, {0.01}}, 0.01},
		{"the second is above", [][]float64{{0.001}, {0.0101}}, 0.001},
		{"the third accepts the second", [][]float64{{0.001, 0.0149}, {0.0148}}, 0.015},
		{"untested edges", [][]float64{{untested, 0.001}, {0.0101, untested}}, 0.001},
		{"only untested edges", [][]float64{{untested}}, 0},
	} {
		if got := stepUp(c.ps, pairs); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: level %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSelectionDropsOneParentAtATime checks that the parent with the largest p-value goes first and that the others are tested again without
// it, and that gains and prior costs decide where no test does.
func TestSelectionDropsOneParentAtATime(t *testing.T) {
	none := func(int, int) bool { return false }
	flat := func(gain float64) func([][]int, int) []float64 {
		return func(parents [][]int, v int) []float64 {
			out := make([]float64, len(parents[v]))
			for i, x := range parents[v] {
				out[i] = gain - float64(x)
			}
			return out
		}
	}
	// Parents 0 and 1 of column 3 are significant only without each other.
	p := func(x, v int, others []int) float64 {
		switch {
		case v == 3 && x == 0 && slices.Contains(others, 1):
			return 0.5
		case v == 3 && x == 1 && slices.Contains(others, 0):
			return 0.6
		}
		return 1e-9
	}
	all := [][]int{nil, nil, {0}, {0, 1}}
	for _, c := range []struct {
		name    string
		s       selection
		all     bool
		want    [][]int
		dropped int
	}{
		{"the larger p-value", selection{p: p, gains: flat(9), required: none, pairs: 6}, true, [][]int{nil, nil, {0}, {0}}, 1},
		{"a required edge", selection{p: p, gains: flat(9), required: func(x, v int) bool { return x == 1 && v == 3 }, pairs: 6}, true, [][]int{nil, nil, {0}, {1}}, 1},
		{"no test, all gain", selection{gains: flat(1.5), required: none, pairs: 6}, true, all, 0},
		{"no test, 1 → 3 loses", selection{gains: flat(0.5), required: none, pairs: 6}, true, [][]int{nil, nil, {0}, {0}}, 1},
		{"gains of columns that lost nothing", selection{gains: flat(0.5), required: none, pairs: 6}, false, all, 0},
		{"a prior cost above the gain", selection{gains: flat(1.5), required: none, pairs: 6, prior: func(x, v int) float64 {
			if v == 2 {
				return 1.6
			}
			return 0
		}}, true, [][]int{nil, nil, nil, {0, 1}}, 1},
		{"all lose and one is required", selection{gains: flat(-1), required: func(x, v int) bool { return x == 0 }, pairs: 6}, true, [][]int{nil, nil, {0}, {0}}, 1},
		// A prior cost of 2·ln(1e8) multiplies 1e-9 by 1e8.
		{"a prior cost multiplies the p-value", selection{p: p, gains: flat(99), required: none, pairs: 6, prior: func(x, v int) float64 {
			if v == 2 {
				return 2 * math.Log(1e8)
			}
			return 0
		}}, true, [][]int{nil, nil, nil, {0}}, 2},
		{"a prior cost multiplies it only once", selection{p: p, gains: flat(99), required: none, pairs: 6, prior: func(x, v int) float64 {
			if v == 2 {
				return 2 * math.Log(1e6)
			}
			return 0
		}}, true, [][]int{nil, nil, {0}, {0}}, 1},
	} {
		got, dropped := c.s.of(all, c.all)
		if dropped != c.dropped {
			t.Errorf("%s: %d edges are dropped, want %d", c.name, dropped, c.dropped)
		}
		for v := range got {
			if !slices.Equal(got[v], c.want[v]) {
				t.Errorf("%s: parents %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// chain returns a table in which each column is the one before it, times a weight, plus noise.
func chain(n, d int, weight float64) *drawn {
	rng := rand.New(rand.NewPCG(4, 4))
	out := &drawn{x: matrix.New[float64](n, d), of: make([]int, n), targets: [][]int{nil}, levels: make([]bool, d)}
	for i := range n {
		for j := range d {
			out.x.Set(i, j, rng.NormFloat64())
			if j > 0 {
				out.x.Set(i, j, out.x.At(i, j)+weight*out.x.At(i, j-1))
			}
		}
	}
	return out
}

// TestGainsAreDifferencesOfScores compares the gains under linear effects with the score of the whole graph with and without each edge, for
// both models of the variances, and with half of the rows.
func TestGainsAreDifferencesOfScores(t *testing.T) {
	in := chain(60, 4, 0.7).input(t, false, func(int) bool { return true })
	m := New()
	l := &searcher{Method: m, in: in, price: 5}
	l.p = l.problem()
	parents := [][]int{nil, {0}, {0, 1}, {1, 2}}
	for _, variance := range []search.Variance{search.Unequal, search.Equal} {
		s := l.settings()
		s.Variance = variance
		whole, _, err := search.Evaluate(l.p, s, parents)
		must.Succeed(t, err)
		for v, set := range parents {
			got := l.lines(t.Context(), variance).gains(parents, v)
			for i := range set {
				less := clone(parents)
				less[v] = slices.Delete(less[v], i, i+1)
				without, _, err := search.Evaluate(l.p, s, less)
				must.Succeed(t, err)
				want := of(without, variance) - of(whole, variance)
				if math.Abs(got[i]-want) > 1e-8 {
					t.Errorf("variances %v: gain of parent %d of %d is %v, want %v", variance, set[i], v, got[i], want)
				}
				in.PairShare = func(int, int) float64 { return 0.5 }
				if half := l.lines(t.Context(), variance).gains(parents, v)[i]; math.Abs(half-((want+5)/2-5)) > 1e-8 {
					t.Errorf("variances %v: gain of parent %d of %d in half of the rows is %v, want %v", variance, set[i], v, half, (want+5)/2-5)
				}
				in.PairShare = nil
			}
		}
	}
}

// TestPairsOfColumns checks that pairs of inputs are not counted.
func TestPairsOfColumns(t *testing.T) {
	in := chain(10, 5, 0).input(t, false, func(int) bool { return true })
	for _, c := range []struct {
		inputs []string
		want   int
	}{{nil, 10}, {[]string{"c0"}, 10}, {[]string{"c0", "c1"}, 9}, {[]string{"c0", "c1", "c4"}, 7}} {
		var err error
		if in.Knowledge, err = (knowledge.Spec{Inputs: c.inputs}).Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
		if got := (&searcher{Method: New(), in: in}).pairs(); got != c.want {
			t.Errorf("inputs %v: %d pairs, want %d", c.inputs, got, c.want)
		}
	}
}

// TestReasonsAgainstEqualVariances checks when equal variances are not tried, and that they are tried in the other cases.
func TestReasonsAgainstEqualVariances(t *testing.T) {
	all := func(int) bool { return true }
	wide := chain(200, 3, 0.8)
	for i := range 200 {
		wide.x.Set(i, 2, 30*wide.x.At(i, 2))
	}
	inputs := wide.input(t, false, all)
	var err error
	if inputs.Knowledge, err = (knowledge.Spec{Inputs: []string{"c0"}}).Resolve(inputs.Names()); err != nil {
		t.Fatal(err)
	}
	standard := chain(200, 3, 0.8)
	for j := range 3 {
		mean, square := 0.0, 0.0
		for i := range 200 {
			mean += standard.x.At(i, j) / 200
		}
		for i := range 200 {
			square += (standard.x.At(i, j) - mean) * (standard.x.At(i, j) - mean) / 200
		}
		for i := range 200 {
			standard.x.Set(i, j, (standard.x.At(i, j)-mean)/math.Sqrt(square))
		}
	}
	for _, c := range []struct {
		name     string
		in       *method.Input
		variance Variance
		chosen   Variance
		reason   string
		scores   int
	}{
		{"inputs", inputs, Auto, Unequal, "the model does not describe the variance of the inputs", 1},
		{"six rows of seven columns", chain(6, 7, 0.5).input(t, false, all), Auto, Unequal, "fewer rows than columns", 1},
		{"independent columns", chain(200, 3, 0).input(t, false, all), Auto, Unequal, "no edge has a direction that equal variances would identify", 1},
		{"standardized", standard.input(t, false, all), Auto, Unequal, "the columns are standardized, so equal noise variances are not meaningful", 1},
		{"equal variances", chain(400, 3, 0.8).input(t, false, all), Auto, Equal, "", 2},
		{"another unit", wide.input(t, false, all), Auto, Unequal, "", 2},
		{"unequal is requested", chain(400, 3, 0.8).input(t, false, all), Unequal, Unequal, "", 1},
		{"equal is requested", chain(400, 3, 0.8).input(t, false, all), Equal, Equal, "", 1},
	} {
		m := New()
		m.Model, m.Noise, m.Variance = Linear, GaussianNoise, c.variance
		a := must.Get(m.Learn(t.Context(), c.in, nil))
		i := slices.IndexFunc(a.Choices, func(c method.Choice) bool { return c.Setting == "variance" })
		got := a.Choices[i]
		if Variance(got.Chosen) != c.chosen || got.Reason != c.reason || len(got.Scores) != c.scores || a.Identified != (c.chosen == Equal) {
			t.Errorf("%s: %s because %q with the scores %v", c.name, got.Chosen, got.Reason, got.Scores)
		}
		if margin := got.Margin; c.scores == 2 && (margin == nil || math.Abs(*margin-math.Abs(got.Scores["equal"]-got.Scores["unequal"])) > 1e-9 || math.Abs(got.Scores[got.Chosen]-a.Score) > 1e-9) {
			t.Errorf("%s: margin %v of the scores %v, and the score %v", c.name, margin, got.Scores, a.Score)
		}
	}
}

// TestRoundsOfSearches checks both sides of the limits on rounds and on columns of an exhaustive search.
func TestRoundsOfSearches(t *testing.T) {
	most := basis.DefaultSettings().CrossedColumns
	for _, c := range [][3]int{{20 * most, most, 5}, {20*most - 1, most, 3}, {1 << 20, most + 1, 3}, {40, 2, 5}, {39, 2, 3}} {
		if got := smoothRounds(c[0], c[1]); got != c[2] {
			t.Errorf("%d rows of %d columns: %d rounds, want %d", c[0], c[1], got, c[2])
		}
	}
	for model, want := range map[Model]int{Smooth: 8, Flexible: 8, Discrete: 12, Mixed: 12, Linear: 12} {
		if got := exactColumns(model); got != want {
			t.Errorf("model %s: an exhaustive search up to %d columns, want %d", model, got, want)
		}
	}
	m := New()
	if got := m.rounds(); got != search.Auto {
		t.Errorf("%d rounds, want as many as help", got)
	}
	if m.Coarse = true; m.rounds() != 10 {
		t.Errorf("%d rounds for a bootstrap sample, want 10", m.rounds())
	}
}

// TestGapsOfPairs checks the penalty of a pair that is observed together in a share s of the rows, 1/s times that of a complete one, and that
// costs of edges add up.
func TestGapsOfPairs(t *testing.T) {
	in := chain(50, 3, 0.5).input(t, false, func(int) bool { return true })
	s := scores.Fixed(Mixed)
	at := must.Get(s.Of(t.Context(), in, Mixed))
	l := &searcher{Method: New(), in: in}
	if l.gaps(at) != nil {
		t.Error("a complete table has an additional penalty")
	}
	in.PairShare = func(i, j int) float64 {
		return []float64{0, 0.25, 0.5, 1}[i+j] // no common rows of 0 and 0, a quarter of 0 and 1
	}
	place := at.Place()
	price := at.Score.(interface{ PairPrice(x, v int) float64 }).PairPrice
	for pair, times := range map[[2]int]float64{{0, 1}: 3, {0, 2}: 1, {1, 2}: 0, {0, 0}: 49} {
		x, v := place[pair[0]], place[pair[1]]
		if got, want := l.gaps(at)(x, v), times*price(x, v); math.Abs(got-want) > 1e-9 {
			t.Errorf("pair %v: %v more, want %v", pair, got, want)
		}
	}
	at.Sample = true
	if l.gaps(at) != nil {
		t.Error("a sample has an additional penalty")
	}
	two := func(int, int) float64 { return 2 }
	three := func(int, int) float64 { return 3 }
	if plus(nil, nil) != nil || plus(two, nil)(0, 1) != 2 || plus(nil, three)(0, 1) != 3 || plus(two, three)(0, 1) != 5 {
		t.Error("costs of edges do not add up")
	}
}

// TestRequiredEdgesExceedTheBudget checks both sides of the limit.
func TestRequiredEdgesExceedTheBudget(t *testing.T) {
	in := chain(10, 3, 0.5).input(t, false, func(int) bool { return true })
	var err error
	if in.Knowledge, err = (knowledge.Spec{Require: []string{"c0->c1", "c1->c2"}}).Resolve(in.Names()); err != nil {
		t.Fatal(err)
	}
	for edges, want := range map[int]bool{0: true, 1: false, 2: true} {
		m := New()
		m.MaxEdges = edges
		err := m.affordable(in)
		if (err == nil) != want || err != nil && (!errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "2 edges are required, and at most 1 are allowed")) {
			t.Errorf("a budget of %d edges with two required ones: %v", edges, err)
		}
	}
}

// TestEvenRows checks that rows are spread evenly, with their environments, and that a bootstrap sample has each row once.
func TestEvenRows(t *testing.T) {
	own := chain(100, 2, 0)
	for i := range 100 {
		own.x.Set(i, 0, float64(i/2))
		own.x.Set(i, 1, 0)
		own.of[i] = i % 2
	}
	own.targets = [][]int{nil, {0}}
	in := own.input(t, true, func(int) bool { return true })
	l := &searcher{Method: New(), in: in}
	rows, of, err := l.evenRows(t.Context(), 1000)
	if err != nil || !slices.Equal(rows, own.x.Data) || !slices.Equal(of, own.of) {
		t.Errorf("%d of 100 rows with %d environments, %v", len(rows)/2, len(of), err)
	}
	if rows, of, _ = l.evenRows(t.Context(), 50); len(rows) > 100 || len(rows) < 60 || len(of) != len(rows)/2 || !slices.IsSorted(even(rows)) {
		t.Errorf("%d of at most 50 rows with %d environments: %v", len(rows)/2, len(of), even(rows))
	}
	in.Drawn = true
	if rows, of, _ = l.evenRows(t.Context(), 1000); len(rows) != 100 || len(of) != 50 || len(slices.Compact(even(rows))) != 50 {
		t.Errorf("%d different rows of a bootstrap sample, want 50", len(rows)/2)
	}
}

func even(rows []float64) (out []float64) {
	for i := 0; i < len(rows); i += 2 {
		out = append(out, rows[i])
	}
	return out
}

// TestCost compares the estimate of memory with its parts: five matrices and 9/8 of the cache, and the larger of the rows and the search of
// the noise.
func TestCost(t *testing.T) {
	m := New()
	m.Model = Linear
	const rows, columns = 2000, 50
	if rows <= dataset.WideRows(columns) {
		t.Fatal("the table counts as wide")
	}
	cache := float64(16<<20+50<<16) * 9 / 8
	m.Noise = GaussianNoise
	if got, want := m.Cost(rows, columns, 1), 5*50*50*8+int64(cache); got.Bytes != want || got.State != 50<<10 || got.Flops != 1e5*2500 {
		t.Errorf("%+v, want %d bytes", got, want)
	}
	plain := m.Cost(rows, columns, 1).Bytes
	m.Noise = AutoNoise
	if got := m.Cost(rows, columns, 1).Bytes - plain; got < 16*rows*columns {
		t.Errorf("the search of the noise needs %d bytes, want at least those of a sample and its columns", got)
	}
	if got := m.Cost(5, columns, 1).Bytes; got > plain {
		t.Errorf("five rows need %d bytes, and many rows without a search of the noise %d", got, plain)
	}
	m.Model = Discrete
	if got, want := m.Cost(rows, columns, 1).Bytes-plain, m.RowBytes(rows, columns); got != want {
		t.Errorf("the rows of the discrete model need %d bytes, want %d", got, want)
	}
}
