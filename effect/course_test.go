package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// learnSeries learns one lag from columns with a fixed model.
func learnSeries(t *testing.T, columns polydag.Columns, model string) (*polydag.Table, *polydag.Result) {
	t.Helper()
	prep := polydag.DefaultPreparation()
	prep.Time = dataset.TimeSettings{Column: ".", Lags: 1}
	table := must.Get(polydag.Prepare(context.Background(), columns, prep))
	cfg := polydag.DefaultConfig()
	settings := new(param.Set)
	cfg.Method.Params(settings)
	must.Succeed(t, settings.Set("model", model))
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	return table, res
}

// askSeries asks for the responses of y to x.
func askSeries(t *testing.T, res *polydag.Result, table *polydag.Table, change func(*Question)) *Answer {
	t.Helper()
	q := NewQuestion("x", "y")
	q.Horizon, q.Replicates, q.GivenGraph, q.Threads = 4, 0, true, 2
	change(&q)
	a := must.Get(Ask(context.Background(), res, table, q))
	return a
}

// A survey has the responses of single questions, if the work allows.
func TestSurveyOfCurves(t *testing.T) {
	table, res := learnSeries(t, bells(2, 300), "smooth")
	set := DefaultSurvey()
	set.Replicates, set.MostWork = leastReplicates, 1e13
	all, err := AskAll(t.Context(), res, table, set)
	if err != nil || all.Pairs != 1 || len(all.Answers) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	one := askSeries(t, res, table, func(q *Question) { q.Replicates, q.Horizon = leastReplicates, 10 })
	one.each(func(x *float64) { *x = six(*x) })
	if got, want := fmt.Sprint(bounds(all.Answers[0])), fmt.Sprint(bounds(one)); got != want {
		t.Errorf("in a survey %s, want %s", got, want)
	}
	set.MostWork = 6e7
	if all, err = AskAll(t.Context(), res, table, set); err != nil || all.Answers[0].Interval != nil {
		t.Errorf("without work for bootstrap samples: %+v, %v", all, err)
	}
	set.MostWork = 1e6
	if _, err = AskAll(t.Context(), res, table, set); !errors.Is(err, ErrTooWide) {
		t.Errorf("without work for paths: %v", err)
	}
}

// A simulation of a linear process has the responses of the closed form: the noise of both copies cancels.
func TestSimulatedLinearProcess(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 33))
	p := &process{order: []int{2, 0, 1}, into: [][]laggedWeight{
		{{2, 0, 0.7}, {0, 1, 0.5}}, {{0, 0, -0.4}, {1, 2, 0.3}, {2, 1, 0.2}}, {{2, 1, 0.6}, {1, 2, 0.5}},
	}}
	g := must.Get(p.unrolled(2))
	weight := map[graph.Edge]float64{}
	for v, into := range p.into {
		for _, e := range into {
			weight[graph.Edge{From: 3*e.lag + e.from, To: v}] = e.weight
		}
	}
	columns := make([][]float64, 9)
	for j := range columns {
		for range 50 {
			columns[j] = append(columns[j], rng.NormFloat64())
		}
	}
	net := mechanism.LinearNetwork(g, []float64{1, 2, 3, 0, 0, 0, 0, 0, 0}, []float64{1, 2, 3, 1, 1, 1, 1, 1, 1}, func(p, v int) float64 { return weight[graph.Edge{From: p, To: v}] })
	m := &simulated{net: net, rows: mechanism.New(columns, make([][]float64, 9)), first: []int{0, 1, 2, 3}, order: p.order, links: p, lags: 2, paths: 70, seed: 5, threads: 2}
	for a := range 3 {
		want, _ := p.respond(t.Context(), a, shock{x: [2]float64{-1, 2}}, 6)
		for _, changes := range []bool{false, true} {
			got := must.Get(m.respond(t.Context(), a, shock{[2]float64{-1, 2}, changes}, 6))
			for step := range want {
				for v := range want[step] {
					if !(math.Abs(got[step][v]-want[step][v]) <= 1e-9) {
						t.Errorf("column %d after %d steps: %v, want %v", v, step, got[step][v], want[step][v])
					}
				}
			}
		}
	}
}

// bells draws n points of the process of TestResponsesOfACurve.
func bells(seed uint64, n int) polydag.Columns {
	rng := rand.New(rand.NewPCG(seed, 33))
	columns := polydag.Columns{{Name: "x"}, {Name: "y"}}
	x, y := 0.0, 0.0
	for range n {
		x, y = 0.6*x+rng.NormFloat64(), 0.5*y+3*math.Exp(-x*x/2)+0.5*rng.NormFloat64()
		columns[0].Numbers, columns[1].Numbers = append(columns[0].Numbers, x), append(columns[1].Numbers, y)
	}
	return columns
}

// bellResponses returns the responses of y to x = 2 instead of 0 in the process of TestResponsesOfACurve.
func bellResponses(horizon int) []float64 {
	bell := func(c float64, k int) float64 {
		m, s := c, 0.0
		for range k {
			m, s = 0.6*m, 0.36*s+1
		}
		return 3 * math.Exp(-m*m/(2*(1+s))) / math.Sqrt(1+s)
	}
	out := make([]float64, horizon+1)
	for h := 1; h <= horizon; h++ {
		out[h] = 0.5*out[h-1] + bell(2, h-1) - bell(0, h-1)
	}
	return out
}

// x(t) = 0.6·x(t-1) + e and y(t) = 0.5·y(t-1) + 3·exp(-x(t-1)²/2) + e: after x = c, x is normal with mean m = 0.6^k·c and a variance s², and the
// mean of exp(-x²/2) is exp(-m²/(2·(1 + s²)))/√(1 + s²).
func TestResponsesOfACurve(t *testing.T) {
	table, res := learnSeries(t, bells(2, 3000), "smooth")
	a := askSeries(t, res, table, func(q *Question) { q.Start, q.End = "0", "2" })
	want := bellResponses(4)
	if a.Contrast.Unit || a.Contrast.Start != "0" || a.Contrast.End != "2" || len(a.Impulse) != 5 || a.Impulse[0].Value != 0 {
		t.Fatalf("%+v", a)
	}
	for _, r := range a.Impulse[1:] {
		if !(math.Abs(r.Value-want[r.Step]) <= 0.15) || r.Outcome != "" {
			t.Errorf("after %d steps: %.3f, want %.3f", r.Step, r.Value, want[r.Step])
		}
	}
	usual := askSeries(t, res, table, func(q *Question) { q.Replicates, q.Threads = 6, 1 })
	if !(math.Abs(usual.Contrast.Change-1) <= 0.05) || usual.Contrast.Unit || usual.Interval == nil || usual.Interval.Replicates != 6 || usual.Interval.Method != OverRows {
		t.Errorf("%+v, %+v", usual.Contrast, usual.Interval)
	}
	// By default x(t) changes from its value, which is normal with mean 0 and variance s² = 1/0.64, to one with another mean.
	mean := 0.0
	for _, r := range usual.Impulse[1:] {
		m := math.Pow(0.6, float64(r.Step-1)) * usual.Contrast.Change
		mean = 0.5*mean + 3*(math.Exp(-m*m/(2*(1+1/0.64)))-1)/math.Sqrt(1+1/0.64)
		if !(math.Abs(r.Value-mean) <= 0.06) {
			t.Errorf("after %d steps: %.3f, want %.3f", r.Step, r.Value, mean)
		}
		if !(*r.Low < *r.High) || r.Value < *r.Low-0.1 || r.Value > *r.High+0.1 {
			t.Errorf("step %d: %v in [%v, %v]", r.Step, r.Value, *r.Low, *r.High)
		}
	}
	again := askSeries(t, res, table, func(q *Question) { q.Replicates, q.Threads = 6, 3 })
	if fmt.Sprint(bounds(again)) != fmt.Sprint(bounds(usual)) {
		t.Error("three threads give other responses")
	}
	for horizon, want := range []Identification{None, Identified} { // y changes one step later
		if got := askSeries(t, res, table, func(q *Question) { q.Horizon = horizon }); got.Identification != want {
			t.Errorf("within %d steps: %s", horizon, got.Identification)
		}
	}
	if _, err := Ask(t.Context(), res, nil, NewQuestion("x", "y")); !errors.Is(err, ErrNeedsTable) {
		t.Errorf("without the rows: %v", err)
	}
	var text strings.Builder
	if err := usual.WriteText(&text); err != nil || !strings.Contains(text.String(), "(one standard deviation of its noise) that lasts one step") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// states draws n points of the process of TestResponsesOfACategory.
func states(seed uint64, n int) polydag.Columns {
	rng := rand.New(rand.NewPCG(seed, 33))
	columns := polydag.Columns{{Name: "x"}, {Name: "y"}}
	x := 0
	for range n {
		y := "low"
		if rng.Float64() < []float64{0.2, 0.8}[x] {
			y = "high"
		}
		if rng.Float64() < []float64{0.2, 0.9}[x] {
			x = 1
		} else {
			x = 0
		}
		columns[0].Text, columns[1].Text = append(columns[0].Text, []string{"no", "yes"}[x]), append(columns[1].Text, y)
	}
	return columns
}

// x stays 1 with probability 0.9 and becomes 1 with probability 0.2, and y is 1 with probability 0.8 or 0.2 one step later: the probability of
// y changes by 0.6·0.7^(h-1) after h steps.
func TestResponsesOfACategory(t *testing.T) {
	columns := states(3, 6000)
	for _, model := range []string{"discrete", "mixed"} {
		table, res := learnSeries(t, columns, model)
		a := askSeries(t, res, table, func(q *Question) { q.Start, q.End = "no", "yes" })
		if len(a.Impulse) != 5 || a.Impulse[0].Outcome == "" || a.Contrast.End != "yes" {
			t.Fatalf("%+v", a)
		}
		sign := map[string]float64{"high": 1, "low": -1}[a.Impulse[0].Outcome]
		for _, r := range a.Impulse[1:] {
			if want := sign * 0.6 * math.Pow(0.7, float64(r.Step-1)); !(math.Abs(r.Value-want) <= 0.04) {
				t.Errorf("%s: P(%s) after %d steps: %.3f, want %.3f", model, r.Outcome, r.Step, r.Value, want)
			}
		}
		usual := askSeries(t, res, table, func(*Question) {}) // by default the two categories are compared
		turn := map[string]float64{"no yes": 1, "yes no": -1}[usual.Contrast.Start+" "+usual.Contrast.End]
		for i, r := range usual.Impulse {
			if turn == 0 || !(math.Abs(r.Value-turn*a.Impulse[i].Value) <= 1e-9) {
				t.Errorf("%s: from %s to %s P(%s) changes by %v, want %v", model, usual.Contrast.Start, usual.Contrast.End, r.Outcome, r.Value, turn*a.Impulse[i].Value)
			}
		}
	}
}

// A path starts at a row: a number that follows at once keeps the noise of its row, so that its change is that of the mechanism.
func TestChangeAtOnce(t *testing.T) {
	p := &process{order: []int{0, 1}, into: [][]laggedWeight{nil, {{0, 0, 0}}}}
	g := must.Get(p.unrolled(1))
	net := mechanism.LinearNetwork(g, []float64{0, 5, 0, 0}, []float64{1, 1, 1, 1}, func(p, v int) float64 { return 2 })
	rows := mechanism.New([][]float64{{1, 4}, {100, 200}, {0, 7}, {0, 8}}, make([][]float64, 4))
	m := &simulated{net: net, rows: rows, first: []int{0, 1, 2}, order: p.order, links: p, lags: 1, paths: 2, seed: 1}
	// Row 1 has y - (5 + 2·4) = 187; with x = 10 and 11 y is 5 + 20 + 187 and 5 + 22 + 187. Changes of x = 4 by 0 and 1 keep and raise y.
	for by, want := range map[shock][2]float64{{x: [2]float64{10, 11}}: {212, 214}, {x: [2]float64{0, 1}, changes: true}: {200, 202}} {
		w := m.walk(0, by)
		w.path(1, [][]float64{make([]float64, 2)})
		if got := [2]float64{w.past[0][0][1], w.past[1][0][1]}; got != want {
			t.Errorf("%+v: %v, want %v", by, got, want)
		}
		if got := fmt.Sprint(w.past[0][1], w.past[1][1]); got != "[7 8] [7 8]" {
			t.Errorf("%+v: the values before are %s", by, got)
		}
	}
}

// A change arrives after the least sum of the lags of a path.
func TestArrivals(t *testing.T) {
	p := &process{order: []int{0, 1, 2, 3}, into: [][]laggedWeight{{{0, 1, 1}}, {{0, 3, 1}, {2, 0, 1}}, {{0, 2, 1}}, nil}}
	for v, want := range []int{0, 2, 2, never} {
		if got := p.arrivals(0)[v]; got != want {
			t.Errorf("column %d after %d steps, want %d", v, got, want)
		}
	}
	var got []string
	for _, pair := range p.reached(1) {
		got = append(got, fmt.Sprint(pair.From, pair.To))
	}
	if fmt.Sprint(got) != "[2 1]" {
		t.Errorf("within one step: %v", got)
	}
	if got := p.reached(2); len(got) != 3 {
		t.Errorf("within two steps: %v", got)
	}
}

// Lagged copies of a column have the levels of all copies: the first row has a level that no present value has, and the last row one that no
// lagged value has.
func TestLevelsOfLaggedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 33))
	columns := polydag.Columns{{Name: "x"}, {Name: "y"}}
	for i := range 400 {
		level := []string{"a", "b"}[rng.IntN(2)]
		switch i {
		case 0:
			level = "d"
		case 399:
			level = "c"
		}
		columns[0].Text = append(columns[0].Text, level)
		columns[1].Text = append(columns[1].Text, []string{"u", "v"}[rng.IntN(2)])
	}
	table, res := learnSeries(t, columns, "discrete")
	c := must.Get(newCourse(t.Context(), res, table, 1, 1))
	if len(c.rows.Levels[0]) != 4 || len(c.rows.Levels[2]) != 4 || len(c.rows.Levels[3]) != 2 || c.rows.Uncrossed {
		t.Errorf("%v", c.rows.Levels)
	}
	if fmt.Sprint(c.first) != "[0 4 6]" {
		t.Errorf("first figures %v", c.first)
	}
	if c.res.Model != score.TableEffects {
		t.Errorf("model %s", c.res.Model)
	}
	m := must.Get(c.fit(1))
	// Setting x from its second to its fourth level changes two probabilities of x itself.
	levels := c.rows.Levels[0]
	got, err := m.respond(t.Context(), 0, shock{x: [2]float64{levels[1], levels[3]}}, 0)
	if err != nil || fmt.Sprint(got[0]) != "[0 -1 0 1 0 0]" {
		t.Errorf("%v, %v", got, err)
	}
}

// A search over more than 30 columns and lagged columns has no products, and neither have the mechanisms.
func TestManyColumnsHaveNoProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 33))
	for _, d := range []int{15, 16} {
		columns := make(polydag.Columns, d)
		for j := range columns {
			columns[j].Name = fmt.Sprint("x", j)
			for range 60 {
				columns[j].Text = append(columns[j].Text, []string{"u", "v"}[rng.IntN(2)])
			}
		}
		table, res := learnSeries(t, columns, "discrete")
		c := must.Get(newCourse(t.Context(), res, table, 1, 1))
		if c.rows.Uncrossed != (d == 16) {
			t.Errorf("%d columns: %v", d, c.rows.Uncrossed)
		}
	}
}

// A category that a change reaches one step later starts with the value of its row.
func TestStartOfACategory(t *testing.T) {
	p := &process{order: []int{0, 1}, into: [][]laggedWeight{nil, {{0, 1, 0}}}}
	two := []float64{0, 1}
	rows := mechanism.New([][]float64{{0, 1, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}}, [][]float64{two, two, two, two})
	m := must.Get(newSimulated(score.TableEffects, p, rows, []int{0, 2, 4}))
	m.paths = 4
	w := m.walk(0, shock{x: [2]float64{0, 1}})
	for i := range 4 {
		for m.seed = range 8 {
			if w.path(i, [][]float64{make([]float64, 4)}); w.past[0][0][1] != rows.Columns[1][i] {
				t.Errorf("row %d starts with %v", i, w.past[0][0][1])
			}
		}
	}
}

// Bootstrap samples that fail are left out; two must remain.
func TestRedrawn(t *testing.T) {
	table, res := learnSeries(t, bells(2, 50), "linear")
	c := must.Get(newCourse(t.Context(), res, table, 1, 1))
	for fails := range 4 {
		calls, failure := 0, errors.New("no")
		seen := map[string]bool{}
		got, err := redrawn(t.Context(), c.flat, 4, 1, 1, nil, func(_ context.Context, own *polydag.Table) (int, error) {
			seen[own.Fingerprint()] = true
			if calls++; calls <= fails {
				return 0, failure
			}
			return calls, nil
		})
		if calls != 4 || len(seen) != 4 {
			t.Errorf("%d calls with %d different samples", calls, len(seen))
		}
		if fails == 3 {
			if !errors.Is(err, failure) {
				t.Errorf("three of four fail: %v", err)
			}
		} else if err != nil || len(got) != 4-fails || got[0] != fails+1 {
			t.Errorf("%d of four fail: %v, %v", fails, got, err)
		}
	}
}

// The Monte Carlo error of a response is that of 10,000 paths: a tenth of the error with 100 paths.
func TestErrorOfASimulation(t *testing.T) {
	table, res := learnSeries(t, bells(2, 300), "smooth")
	const seeds = 60
	var answers, short [seeds]float64
	c := must.Get(newCourse(t.Context(), res, table, 1, 1))
	m := must.Get(c.simulated(c.links, c.rows))
	for k := range seeds {
		seed := uint64(k + 1)
		answers[k] = askSeries(t, res, table, func(q *Question) { q.Start, q.End, q.Horizon, q.Seed = "0", "2", 2, seed }).Impulse[2].Value
		m.paths, m.seed = 100, seed
		values := must.Get(m.respond(t.Context(), 0, shock{x: [2]float64{0, 2}}, 2))
		short[k] = values[2][1]
	}
	spread := func(x []float64) float64 {
		mean, squares := 0.0, 0.0
		for _, v := range x {
			mean += v / seeds
		}
		for _, v := range x {
			squares += (v - mean) * (v - mean) / (seeds - 1)
		}
		return math.Sqrt(squares)
	}
	if ratio := spread(short[:]) / spread(answers[:]); ratio < 8 || ratio > 12.5 { // its own standard error is 1.3
		t.Errorf("100 paths have %.1f times the error of an answer, want 10", ratio)
	}
}
