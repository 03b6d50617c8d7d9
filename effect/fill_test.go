package effect

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// pair returns figures with a total and a direct effect.
func pair(total, direct float64) *figures {
	return &figures{total: []float64{total}, direct: []float64{direct}, ratio: 1}
}

// Intervals cover a class if no end is inside of its range.
func TestIntervalsThatCoverTheClass(t *testing.T) {
	k := &asked{extent: ends{pair(1, 2), pair(3, 4)}}
	for _, c := range []struct {
		ends
		want bool
	}{
		{ends{pair(1, 2), pair(3, 4)}, true},
		{ends{pair(0, 0), pair(5, 5)}, true},
		{ends{pair(1.1, 2), pair(3, 4)}, false},
		{ends{pair(1, 2.1), pair(3, 4)}, false},
		{ends{pair(1, 2), pair(2.9, 4)}, false},
		{ends{pair(1, 2), pair(3, 3.9)}, false},
	} {
		if got := k.covered(c.ends); got != c.want {
			t.Errorf("%v to %v: %v", c.low.flat(), c.high.flat(), got)
		}
	}
	all := ends{pair(0, 2), pair(1, 3)}.joined(ends{pair(-1, 2.5), pair(0.5, 2.6)}, ends{pair(0.5, 2.2), pair(4, 5)})
	if !slices.Equal(all.low.flat(), []float64{-1, 2, 1}) || !slices.Equal(all.high.flat(), []float64{4, 5, 1}) {
		t.Errorf("joined %v to %v", all.low.flat(), all.high.flat())
	}
}

// estimated runs the steps of a question up to its estimate.
func estimated(t *testing.T, k trial, replicates int) *asked {
	t.Helper()
	q := NewQuestion(k.of, k.on)
	q.Threads, q.Replicates, q.Start, q.End = 1, replicates, k.start, k.end
	a := &asked{Question: q, res: known(t, k.table, k.truth, k.model), table: k.table, answer: &Answer{Model: k.model}}
	for _, step := range []func(context.Context) error{a.resolve, a.read, a.choose, a.estimate} {
		must.Succeed(t, step(t.Context()))
	}
	return a
}

// Widened intervals cover the given ones, the estimate and the interval given the graph, under linear and other models.
func TestWidenedIntervals(t *testing.T) {
	for _, k := range []trial{linearTrial(t, 5, true, 300, 0), levelsTrial(t, 5, 300, 0)} {
		a := estimated(t, k, 19)
		shift := func(by float64) *figures {
			list := a.extent.low.flat()
			for i := range list {
				list[i] += by
			}
			return a.extent.low.unflat(list)
		}
		e, err := a.widened(t.Context(), ends{shift(5), shift(6)})
		must.Succeed(t, err)
		total := a.extent.low.total[0]
		if low, high := e.low.total[0], e.high.total[0]; !(low < total-0.01) || high != total+6 {
			t.Errorf("%s: %v to %v, want less than %v to %v", k.model, low, high, total, total+6)
		}
		if e, err = a.widened(t.Context(), ends{shift(-6), shift(-5)}); err != nil || !(e.high.total[0] > total+0.01) || e.low.total[0] != total-6 {
			t.Errorf("%s: %v to %v, want %v to more than %v; %v", k.model, e.low.total[0], e.high.total[0], total-6, total, err)
		}
	}
}

// With a known graph a complete table has intervals by formula, and an incomplete one those of bootstrap samples. There is no interval
// without a path.
func TestIntervalsOfALinearModel(t *testing.T) {
	for missing, want := range map[float64]IntervalMethod{0: ByFormula, 0.1: OverRows} {
		k := linearTrial(t, 2, true, 200, missing)
		a := ask(t, known(t, k.table, k.truth, k.model), k.table, k.of, k.on, func(q *Question) { q.Replicates = 9 })
		if a.Interval == nil || a.Interval.Method != want {
			t.Errorf("with %v missing: %+v", missing, a.Interval)
		}
	}
	incomplete := linearTrial(t, 2, true, 200, 0.1)
	if a := ask(t, known(t, incomplete.table, incomplete.truth, incomplete.model), incomplete.table, incomplete.of, incomplete.on, func(q *Question) { q.Replicates = 0 }); a.Interval == nil || a.Interval.Method != ByFormula {
		t.Errorf("with missing values and without bootstrap samples: %+v", a.Interval)
	}
	k := linearTrial(t, 2, true, 200, 0)
	res := known(t, k.table, k.truth, k.model)
	if a := ask(t, res, k.table, k.on, k.of, nil); a.Identification != None || a.Interval != nil || a.Effects[0].Total.Low != nil {
		t.Errorf("no path: %s, %+v", a.Identification, a.Interval)
	}
	says := func(a *Answer, text string) bool {
		return slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, text) })
	}
	for given, want := range map[bool]bool{true: false, false: true} {
		if a := ask(t, res, nil, k.of, k.on, func(q *Question) { q.GivenGraph = given }); says(a, "no table was given") != want {
			t.Errorf("graph given %v: notes %q", given, a.Notes)
		}
	}
	for compelled, want := range map[bool]bool{true: false, false: true} {
		g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
		res := known(t, tableOf(t, letters(3), nil, chain(200)), g, score.LinearEffects)
		for i := range res.Edges {
			res.Edges[i].Compelled = compelled
		}
		if a := ask(t, res, nil, "x1", "x2", func(q *Question) { q.Do = []string{"0"} }); says(a, "the distributions are those of the learned graph") != want {
			t.Errorf("compelled %v, %s: notes %q", compelled, a.Identification, a.Notes)
		}
	}
}

// The probabilities of three numeric categories have their own intervals, beside that of the mean.
func TestIntervalsOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	x, y := polydag.Column{Name: "x"}, polydag.Column{Name: "y"}
	for range 400 {
		a := float64(rng.IntN(2))
		x.Numbers, y.Numbers = append(x.Numbers, a), append(y.Numbers, 3+float64(rng.IntN(2))+a*float64(rng.IntN(2)))
	}
	table := must.Get(polydag.FromColumns(x, y))
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 0, To: 1}})
	a := ask(t, known(t, table, g, score.TableEffects), table, "x", "y", func(q *Question) { q.Replicates, q.Do = 19, []string{"1"} })
	d := a.Distributions[0]
	if d.Mean == nil || len(d.Levels) != 3 {
		t.Fatalf("%+v", d)
	}
	for _, q := range []Quantity{*d.Mean, d.Levels[0].Quantity, d.Levels[1].Quantity, d.Levels[2].Quantity} {
		if q.Low == nil || *q.Low > q.Value || *q.High < q.Value {
			t.Errorf("an interval does not contain its value: %+v", q)
		}
	}
}

// The E-value of an interval is that of the end nearer to 1, or 1 if the interval contains it.
func TestEValueOfAnInterval(t *testing.T) {
	for _, c := range []struct{ low, risk, high, near float64 }{{1.5, 2, 3, 1.5}, {0.4, 0.5, 0.8, 0.8}, {0.7, 1.5, 2, 1}} {
		k := &asked{risk: c.risk, answer: &Answer{Identification: Identified}}
		k.study = study{ratio: true, shown: outcomes{names: []string{"yes"}}, ends: ends{&figures{ratio: c.low}, &figures{ratio: c.high}}}
		k.ratio()
		s := k.answer.Sensitivity
		near(t, "E-value", *s.EValue, eValue(c.risk), 1e-12)
		near(t, "E-value of the interval", *s.EValueInterval, eValue(c.near), 1e-12)
	}
}

// TestAdviceOnSensitivity checks that the linear model, which takes no categories, is advised only for a table without them.
func TestAdviceOnSensitivity(t *testing.T) {
	for as, want := range map[kind.Kind]bool{kind.Categorical: false, kind.Count: true} {
		k := &asked{source: &source{data: &mechanism.Rows{}}, table: &polydag.Table{Kinds: []kind.Column{{Kind: as}}}, answer: &Answer{Identification: Identified}}
		k.ratio()
		if len(k.answer.Notes) != 1 || strings.Contains(k.answer.Notes[0], "learn with the linear model") != want {
			t.Errorf("%s: %q", as, k.answer.Notes)
		}
	}
}

// Samples without an estimate are counted in a note.
func TestFailedSamplesAreTold(t *testing.T) {
	k := &asked{answer: &Answer{}}
	if k.told(&Interval{Replicates: 10}); len(k.answer.Notes) != 0 {
		t.Errorf("notes %q", k.answer.Notes)
	}
	k.told(&Interval{Replicates: 8, Failed: 2})
	if len(k.answer.Notes) != 1 || !strings.HasPrefix(k.answer.Notes[0], "2 of 10 ") {
		t.Errorf("notes %q", k.answer.Notes)
	}
}
