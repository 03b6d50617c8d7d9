package continuous

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// TestDeterminedColumns checks that a column takes no further parent once at most 2·Determined of its variance is unexplained, and that it does
// with more.
func TestDeterminedColumns(t *testing.T) {
	for times, gains := range map[float64]bool{1.8: false, 2.2: true, 4: true} {
		// Column 1 is column 0 plus a small part of column 2.
		part2 := times * chol.Determined / (1 - times*chol.Determined)
		r := matrix.New[float64](3, 3)
		for i := range 3 {
			r.Set(i, i, 1)
		}
		with := func(i, j int, c float64) { r.Set(i, j, c); r.Set(j, i, c) }
		with(0, 1, 1/math.Sqrt(1+part2))
		with(1, 2, math.Sqrt(part2/(1+part2)))
		f := newFits(r, 100, 5)
		got := f.on(1, []int{0})
		if !(math.Abs(got.left/chol.Determined-times) < 0.01) {
			t.Fatalf("%v unexplained, want %v", got.left, times*chol.Determined)
		}
		want := 0.0
		if gains {
			want = 100*math.Log(times) - 5
		}
		if by := got.of(2); !(math.Abs(by-want) <= 1) {
			t.Errorf("%v times the share of a determined column: the parent gains %v, want %v", times, by, want)
		}
	}
}

// TestMostParents checks the largest number of parents: all other columns, half of the rows less two, and at least one. Under equal variances
// it is also twice the largest number in the graph plus eight, and at least twelve.
func TestMostParents(t *testing.T) {
	for _, c := range []struct{ columns, rows, want int }{{10, 100, 9}, {10, 20, 9}, {10, 19, 8}, {10, 12, 5}, {10, 3, 1}, {10, 5, 1}, {10, 6, 2}} {
		if got := newFits(unitMatrix(c.columns), c.rows, 5).most; got != c.want {
			t.Errorf("%d rows of %d columns: at most %d parents, want %d", c.rows, c.columns, got, c.want)
		}
	}
	for _, c := range []struct{ columns, parents, want int }{{40, 0, 12}, {40, 2, 12}, {40, 3, 14}, {40, 10, 28}, {10, 3, 9}} {
		order, parents := make([]int, c.columns), make([][]int, c.columns)
		for v := range order {
			order[v] = v
		}
		for p := range c.parents {
			parents[c.columns-2] = append(parents[c.columns-2], p)
		}
		parents[c.columns-1] = nil
		s := newSwaps(newFits(unitMatrix(c.columns), 1000, 5), order, parents)
		s.assumeEqual(slices.Repeat([]float64{1}, c.columns))
		if s.most != c.want {
			t.Errorf("%d columns, up to %d parents: at most %d under equal variances, want %d", c.columns, c.parents, s.most, c.want)
		}
	}
}

func unitMatrix(d int) *matrix.Dense[float64] {
	r := matrix.New[float64](d, d)
	for i := range d {
		r.Set(i, i, 1)
	}
	return r
}

// chained returns the moments of n rows in which each column is the one before it plus noise with the given standard deviation.
func chained(t *testing.T, n int, noise ...float64) *dataset.Moments {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	x := matrix.New[float64](n, len(noise))
	names := make([]string, len(noise))
	for j, sd := range noise {
		names[j] = string(rune('a' + j))
		for i := range n {
			v := sd * rng.NormFloat64()
			if j > 0 {
				v += x.At(i, j-1)
			}
			x.Set(i, j, v)
		}
	}
	return inputtest.Moments(t, names, x)
}

// TestRequestedVariances checks that a requested model of the variances is not compared with the other, and that auto compares both and states
// the margin.
func TestRequestedVariances(t *testing.T) {
	for _, c := range []struct {
		what     string
		noise    []float64
		variance Variance
		want     Variance
		scores   int
	}{
		{"equal noise", []float64{1, 1, 1, 1}, Auto, Equal, 2},
		{"equal noise, unequal is requested", []float64{1, 1, 1, 1}, Unequal, Unequal, 0},
		{"unequal noise", []float64{1, 1.5, 1, 1.5}, Auto, Unequal, 2},
		{"unequal noise, equal is requested", []float64{1, 1.5, 1, 1.5}, Equal, Equal, 0},
		{"very unequal noise", []float64{1, 9, 0.1, 9}, Auto, Unequal, 1},
	} {
		m := New()
		m.Variance = c.variance
		data := chained(t, 500, c.noise...)
		a := learned(t, m, data)
		got := a.Choices[0]
		if got.Chosen != string(c.want) || got.Requested != string(c.variance) || len(got.Scores) != c.scores || a.Identified != (c.want == Equal) {
			t.Errorf("%s: %+v, want %s and %d scores", c.what, got, c.want, c.scores)
		}
		if c.scores == 2 {
			margin := math.Abs(got.Scores["equal"] - got.Scores["unequal"])
			if got.Margin == nil || math.Abs(*got.Margin-margin) > 1e-9 || got.Reason != "" || a.Score != got.Scores[got.Chosen] {
				t.Errorf("%s: %+v, want the margin %v and the score of the choice", c.what, got, margin)
			}
		}
		names := []string{}
		for _, s := range a.Stages {
			names = append(names, s.Name)
		}
		if equal := slices.Contains(names, "continuous-swaps-equal"); equal != (c.scores == 2 || c.variance == Equal) {
			t.Errorf("%s: stages %v", c.what, names)
		}
	}
}

// TestDeficitOfEqualVariances checks the figure of the reason against equal variances: the logarithm of the mean residual variance, less the
// mean of the logarithms. The penalties of the two models are not part of it.
func TestDeficitOfEqualVariances(t *testing.T) {
	data := chained(t, 60, 1, 9, 0.1, 9)
	a := learned(t, New(), data)
	g, mean, logs := a.Graph.Directed(), 0.0, 0.0
	for v, sd := range data.Std() {
		left := sd * sd
		if parents := g.Parents(v); len(parents) > 0 {
			left *= must.Get(score.RegressOn(data, v, parents)).Residual
		}
		mean, logs = mean+left/4, logs+math.Log(left)/4
	}
	if got, want := a.Choices[0].Reason, fmt.Sprintf("worse by %.3g nats", math.Log(mean)-logs); !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSettings checks that the last weight of the constraint is at least the first, and the estimate of memory: five matrices of 64 bits,
// thirteen of the precision, and at most 32 bytes for each cached value.
func TestSettings(t *testing.T) {
	for last, ok := range map[string]bool{"0.5": false, "1": true, "2": true} {
		set := param.Of(New())
		for name, value := range map[string]string{"mu-first": "1", "mu-last": last} {
			must.Succeed(t, set.Set(name, value))
		}
		if err := set.Finish(); (err == nil) != ok {
			t.Errorf("weights from 1 to %s: %v, want no error: %v", last, err, ok)
		}
	}
	for _, c := range []struct {
		columns, bits int
		cache         int64
	}{{10, 32, 100 << 12}, {10, 64, 100 << 12}, {2000, 32, 32 * (2<<20 + 2000<<13)}} {
		m := New()
		m.Precision = c.bits
		d2 := int64(c.columns * c.columns)
		if got, want := m.Cost(1000, c.columns, 1).Bytes, 5*8*d2+13*int64(c.bits/8)*d2+c.cache; got != want {
			t.Errorf("%d columns with %d bits: %d bytes, want %d", c.columns, c.bits, got, want)
		}
	}
}

// TestEntriesOfTheRelaxation checks that entries within three steps of Adam are zero, and that the arithmetic has the requested precision.
func TestEntriesOfTheRelaxation(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 12, 3, 4 })
	for _, bits := range []int{32, 64} {
		m := New()
		m.Precision, m.Stages, m.StageSteps.Word, m.StageSteps.N = bits, 5, "", 20
		zero, more := 0, 0
		in := &method.Input{Moments: data, Threads: 1, Seed: 1}
		l := learnedRelaxation(t, m, in)
		for i, w := range l.W.Data {
			switch {
			case w == 0 && i%13 != 0:
				zero++
			case w != 0 && math.Abs(w) <= 3*m.Rate:
				t.Errorf("%d bits: an entry of %v, want more than %v or 0", bits, w, 3*m.Rate)
			case float64(float32(w)) != w:
				more++
			}
		}
		if zero == 0 || (more > 0) != (bits == 64) {
			t.Errorf("%d bits: %d zeros, %d entries with more than 32 bits", bits, zero, more)
		}
	}
}

func learnedRelaxation(t *testing.T, m *Method, in *method.Input) *relaxed {
	t.Helper()
	r := must.Get(m.relax(context.Background(), in, nil, stage.Point{}))
	return r
}

// TestOrdersOfStates checks that a state whose order does not have every column once is an error, and that required edges point forwards.
func TestOrdersOfStates(t *testing.T) {
	f := newFits(unitMatrix(4), 100, 5)
	s := newSwaps(f, []int{2, 0, 3, 1}, make([][]int, 4))
	for _, c := range []struct {
		order []int
		ok    bool
	}{{[]int{2, 0, 3, 1}, true}, {[]int{2, 0, 2, 1}, false}, {[]int{2, 0, 1}, false}, {[]int{0, 1, 2}, false}} {
		s.order = c.order
		if _, err := decode(f, s.encode()); (err == nil) != c.ok {
			t.Errorf("order %v: %v, want no error: %v", c.order, err, c.ok)
		}
	}
	s.required[1] = []int{0, 3}
	for _, c := range []struct {
		order []int
		want  bool
	}{{[]int{2, 0, 3, 1}, true}, {[]int{0, 1, 3, 2}, false}, {[]int{1, 0, 3, 2}, false}, {[]int{3, 0, 1, 2}, true}} {
		if got := s.allowed(c.order); got != c.want {
			t.Errorf("order %v is allowed: %v, want %v", c.order, got, c.want)
		}
	}
}

// TestEqualVariancesMinimizeTheirScore compares the objective under equal variances with the score of the order search.
func TestEqualVariancesMinimizeTheirScore(t *testing.T) {
	data := chained(t, 400, 1, 1, 1, 1, 1)
	m := New()
	m.Variance = Equal
	a := learned(t, m, data)
	best := must.Get(search.Search(context.Background(), gaussian.Problem(data), func() search.Settings {
		s := m.Price.Apply(search.DefaultSettings())
		s.Variance = search.Equal
		return s
	}(), nil))
	if !(a.Score <= best.Scores.Equal+1e-6) {
		t.Errorf("the score is %v, the order search has %v", a.Score, best.Scores.Equal)
	}
}

// TestGainsOfAFullColumn checks that a column with the largest number of parents has no further gains, and one with fewer has.
func TestGainsOfAFullColumn(t *testing.T) {
	r := unitMatrix(4)
	for x := range 3 {
		r.Set(x, 3, 0.5)
		r.Set(3, x, 0.5)
	}
	for rows, want := range map[int][]int{100: {2, 1}, 6: {2, 0}} { // at most three parents, at most two
		f := newFits(r, rows, 0.1)
		for k, parents := range [][]int{{0}, {0, 1}} {
			if got := len(f.on(3, parents).gains); got != want[k] {
				t.Errorf("%d rows, parents %v: %d gains, want %d", rows, parents, got, want[k])
			}
		}
	}
}

// TestTurnKeepsKnowledge checks that a covered edge is reversed, unless it is required or its reverse is forbidden.
func TestTurnKeepsKnowledge(t *testing.T) {
	r := unitMatrix(2)
	r.Set(0, 1, 0.5)
	r.Set(1, 0, 0.5)
	for what, change := range map[string]func(f *fits){
		"free":      func(*fits) {},
		"another":   func(f *fits) { f.forbidden = []bool{false, true, false, false} },
		"forbidden": func(f *fits) { f.forbidden = []bool{false, false, true, false} },
		"required":  func(f *fits) { f.required[1] = []int{0} },
	} {
		f := newFits(r, 100, 5)
		change(f)
		reversed := false
		for seed := range uint64(10) {
			s := newSwaps(f, []int{0, 1}, [][]int{nil, {0}})
			s.turn(rand.New(rand.NewPCG(seed, 1)))
			reversed = reversed || len(s.now[0].parents) == 1
			if len(s.now[0].parents)+len(s.now[1].parents) != 1 {
				t.Fatalf("%s: parents %v and %v, want one edge", what, s.now[0].parents, s.now[1].parents)
			}
		}
		if want := what == "free" || what == "another"; reversed != want {
			t.Errorf("%s: the edge was reversed: %v, want %v", what, reversed, want)
		}
	}
}

// TestMoveBehindARequiredEffect: column 2 explains 0, which is required for 1. So 2 moves before 0, and 0 does not move behind 2 and 1.
func TestMoveBehindARequiredEffect(t *testing.T) {
	r := unitMatrix(3)
	r.Set(0, 2, 0.9)
	r.Set(2, 0, 0.9)
	f := newFits(r, 100, 5)
	f.required[1] = []int{0}
	m := newSwaps(f, []int{0, 1, 2}, [][]int{nil, {0}, nil}).best(0)
	must.Same(t, [2]int{m.v, m.to}, [2]int{2, 0}, "moved column and position")
}

// TestInUnits: a weight of standard deviations becomes one of the units of the effect per unit of the cause.
func TestInUnits(t *testing.T) {
	w := matrix.Of(2, 2, []float64{0, 0.5, 0.25, 0})
	must.Same(t, fmt.Sprint(inUnits(w, []float64{2, 10}).Data), "[0 2.5 0.05 0]", "weights")
}
