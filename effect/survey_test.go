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
	"github.com/polydag/polydag/effect/internal/eliminate"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// surveyed are small tables of each model over a graph with a path of three edges, and their results. The direction of the first edge is open.
func surveyed(t *testing.T, model score.Effects) (*polydag.Result, *polydag.Table) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	x := newDense(300, 4)
	var levels []int
	switch model {
	case score.TableEffects:
		levels = []int{2, 3, 2, 3}
	case score.MixedEffects:
		levels = []int{3, 0, 2, 0}
	}
	for i := range x.Rows {
		row := x.Row(i)
		row[0] = rng.NormFloat64()
		row[1] = row[0] + rng.NormFloat64()
		row[2] = row[1]*row[1]/3 + rng.NormFloat64()
		row[3] = row[2] - row[0] + rng.NormFloat64()
		for j, n := range levels {
			if n > 0 {
				row[j] = math.Floor(float64(n) / (1 + math.Exp(-row[j])))
			}
		}
	}
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}}))
	table := tableOf(t, letters(4), levels, x)
	res := known(t, table, g, model)
	res.Edges[0].Compelled = false
	return res, table
}

// TestAskAll checks that the survey gives the same figures, intervals, ranges over a class and distributions as
// single questions.
func TestAskAll(t *testing.T) {
	for _, model := range []score.Effects{score.TableEffects, score.MixedEffects, score.SmoothEffects} {
		t.Run(string(model), func(t *testing.T) {
			res, table := surveyed(t, model)
			set := DefaultSurvey()
			set.Replicates = 19
			got := must.Get(AskAll(context.Background(), res, table, set))
			if got.Pairs != 6 || len(got.Answers) != 6 {
				t.Fatalf("%d pairs and %d answers, want 6 of both", got.Pairs, len(got.Answers))
			}
			open := 0
			for _, a := range got.Answers {
				var do []string
				for _, d := range a.Distributions {
					do = append(do, d.Do)
				}
				if len(do) < 2 {
					t.Fatalf("%s is set to %q only", a.Of, do)
				}
				want := ask(t, res, table, a.Of, a.On, func(q *Question) { q.Replicates, q.Do = 19, do })
				if a.Identification == Open {
					open++
				}
				if a.Identification != want.Identification || a.Contrast != want.Contrast || a.Rows != want.Rows {
					t.Errorf("%s on %s is %v, %v, of %d rows; want %v, %v, %d", a.Of, a.On, a.Identification, a.Contrast, a.Rows, want.Identification, want.Contrast, want.Rows)
				}
				if (a.Class == nil) != (want.Class == nil) || a.Class != nil && !alike(a.Class.High, want.Class.High) {
					t.Errorf("%s on %s: another range over the class", a.Of, a.On)
				}
				for o := range want.Effects { // a survey has none of these
					for i := range want.Effects[o].Through {
						want.Effects[o].Through[i].Low, want.Effects[o].Through[i].High = nil, nil
					}
				}
				if f, w := flatten(a), flatten(want); !closely(f, w) {
					t.Errorf("%s on %s:\n%v, want\n%v", a.Of, a.On, f, w)
				}
			}
			if open == 0 {
				t.Error("no effect is open: the graph leaves a direction open at x0 and x1")
			}
		})
	}
}

// flatten lists the figures of an answer.
func flatten(a *Answer) (out []float64) {
	a.each(func(x *float64) { out = append(out, *x) })
	return out
}

// closely reports whether two lists agree to five digits.
func closely(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-5*math.Abs(b[k])+1e-9 {
			return false
		}
	}
	return true
}

// TestSurveyBounds checks that within the limits the nearest pairs stay, and that intervals are omitted if they
// would take too long.
func TestSurveyBounds(t *testing.T) {
	for _, model := range []score.Effects{score.TableEffects, score.SmoothEffects} {
		t.Run(string(model), func(t *testing.T) {
			res, table := surveyed(t, model)
			whole := surveyOf(t, res, table, 4)
			set := DefaultSurvey()
			set.MostPairs = 4
			// All four pairs need half of the work, and the rest is not enough for leastReplicates of any of
			// them.
			set.MostWork = 2.2 * whole.spent
			got, err := AskAll(context.Background(), res, table, set)
			must.Succeed(t, err)
			if got.Pairs != 6 || len(got.Answers) != 4 {
				t.Fatalf("%d pairs and %d answers, want 6 and 4", got.Pairs, len(got.Answers))
			}
			for _, a := range got.Answers {
				if !hasEdge(res, a.Of, a.On) {
					t.Errorf("%s on %s is there, which is no edge, before all edges are", a.Of, a.On)
				}
				if a.Interval != nil || a.Effects[0].Total.Low != nil {
					t.Errorf("%s on %s has an interval from too few tables", a.Of, a.On)
				}
			}
			// Enough for leastReplicates of the nearest pair alone, which pays for all about x0.
			whole.MostWork = whole.spent + leastReplicates*(whole.refit()+1.01*whole.asks[0].work)
			whole.settle()
			for _, k := range whole.asks {
				if k.sure != (k.Of == "x0") || whole.Replicates != leastReplicates {
					t.Errorf("%s on %s has an interval: %t, from %d replicates", k.Of, k.On, k.sure, whole.Replicates)
				}
			}
			got.Answers = nil
			for set.MostWork = surveyOf(t, res, table, 1).spent; len(got.Answers) == 0; set.MostWork *= 1.2 {
				got = must.Get(AskAll(context.Background(), res, table, set))
			}
			if a := got.Answers[0]; len(got.Answers) > 2 || !hasEdge(res, a.Of, a.On) {
				t.Errorf("%d answers, of %s on %s first; want those that the work is enough for", len(got.Answers), a.Of, a.On)
			}
			set.MostWork = 1
			if got, err = AskAll(context.Background(), res, table, set); err != nil || got.Pairs != 6 || len(got.Answers) != 0 {
				t.Errorf("%d answers, %v; want none", len(got.Answers), err)
			}
			set.MostValues = 4*300 - 1
			if _, err := AskAll(context.Background(), res, table, set); !errors.Is(err, ErrTooWide) {
				t.Errorf("a table with more values than may be held is answered: %v", err)
			} else if strings.Contains(err.Error(), "the setting rows") { // fewer rows are another table than the result is of
				t.Errorf("fewer rows are no way out: %v", err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := AskAll(ctx, res, table, DefaultSurvey()); !errors.Is(err, context.Canceled) {
				t.Errorf("after the end of its context: %v", err)
			}
			res.Kind = graph.KindPAG
			if _, err := AskAll(context.Background(), res, table, set); !errors.Is(err, ErrNotIdentified) {
				t.Errorf("a PAG is answered: %v", err)
			}
		})
	}
}

// surveyOf returns a survey of the given number of pairs with enough work, before any question.
func surveyOf(t *testing.T, res *polydag.Result, table *polydag.Table, pairs int) *surveyor {
	t.Helper()
	v := &surveyor{SurveySettings: DefaultSurvey(), res: res, table: table}
	v.MostPairs = pairs
	must.Succeed(t, v.prepare(context.Background()))
	if len(v.asks) != pairs || v.spent <= 0 {
		t.Fatalf("%d questions, which cost %g", len(v.asks), v.spent)
	}
	return v
}

// TestSurveyLeavesPartsOut checks that effects through mediators are omitted if they take too long, and that
// the answer names the columns.
func TestSurveyLeavesPartsOut(t *testing.T) {
	res, table := surveyed(t, score.TableEffects)
	all := surveyOf(t, res, table, 6)
	set := DefaultSurvey()
	set.Replicates, set.MostWork = 0, 2.2*all.spent
	few := must.Get(AskAll(context.Background(), res, table, set))
	set.MostWork = 100 * all.spent
	many := must.Get(AskAll(context.Background(), res, table, set))
	left := 0
	for i, a := range few.Answers {
		b := many.Answers[i]
		left += len(a.Between)
		if len(b.Between) > 0 || len(a.Between)+len(a.Effects[0].Through) != len(b.Effects[0].Through) {
			t.Errorf("%s on %s: %v are left out of %v, and %v where there is time", a.Of, a.On, a.Between, b.Effects[0].Through, b.Between)
		}
	}
	if left == 0 {
		t.Error("nothing was left out: the test tells nothing")
	}
}

// TestPartsBeyondTheBound checks that a pair with too expensive shares costs only its planning, and that no
// single plan exceeds the limit.
func TestPartsBeyondTheBound(t *testing.T) {
	res, table := surveyed(t, score.TableEffects)
	v := surveyOf(t, res, table, 6)
	must.Succeed(t, v.estimate(context.Background()))
	i := slices.IndexFunc(v.asks, func(k *asked) bool { return len(k.between()) > 0 })
	k := v.asks[i]
	q := &k.study
	n, target := v.model.(*discrete).between(q.a, q.b, k.between()[0], q.x0, q.x1)
	plan, up := planned(n), eliminate.NewPlan(n, target).Up
	for _, c := range []struct{ most, want float64 }{{plan - 1, 0}, {plan + up - 1, plan}} {
		k.answer.Between = nil
		if got := v.part(k, c.most); got != c.want || len(k.answer.Between) != len(k.between()) {
			t.Errorf("where %g is the most, %g of work is done and %v are left out; want %g, and all", c.most, got, k.answer.Between, c.want)
		}
	}
	k.answer.Between = nil
	if got := v.part(k, 1e9); got < plan+up || k.answer.Between != nil {
		t.Errorf("%g of work is done and %v are left out, want at least %g and none", got, k.answer.Between, plan+up)
	}
}

// TestSurveyThreads checks that threads do not change the result, and that reported work increases up to the
// plan.
func TestSurveyThreads(t *testing.T) {
	for _, model := range []score.Effects{score.TableEffects, score.MixedEffects} {
		res, table := surveyed(t, model)
		var first []byte
		for _, threads := range []int{1, 2, 7} {
			set := DefaultSurvey()
			set.Threads, set.Replicates = threads, leastReplicates
			last, of := 0.0, 0.0
			set.Observe = func(done, all float64) {
				if done < last || done > all {
					t.Errorf("%g of %g is done, after %g", done, all, last)
				}
				last, of = done, all
			}
			got := must.Get(AskAll(context.Background(), res, table, set))
			blob := must.Get(json.Marshal(got))
			if first == nil {
				first = blob
			}
			if !bytes.Equal(blob, first) {
				t.Errorf("%s: %d threads give other answers", model, threads)
			}
			if last != of || of == 0 {
				t.Errorf("%g of %g is done at the end", last, of)
			}
		}
	}
}

// TestSurveyLeavesOutWhatFails checks that a pair without an answer, here because a column has no fit, is
// omitted and the others stay.
func TestSurveyLeavesOutWhatFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	x := newDense(60, 4)
	for i := range x.Rows {
		row := x.Row(i)
		row[0], row[1] = math.Floor(2*rng.Float64()), rng.NormFloat64()
		row[2] = row[1] + rng.NormFloat64()
		row[3] = math.Floor(2 * rng.Float64())
	}
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}))
	table := tableOf(t, letters(4), []int{2, 0, 0, 2}, x)
	v := &surveyor{SurveySettings: DefaultSurvey(), res: known(t, table, g, score.MixedEffects), table: table}
	must.Succeed(t, v.prepare(context.Background()))
	fails := errors.New("no fit")
	good := must.Get(v.source.newFit(g))
	failing := func(which func(c int) bool) fitted {
		m := must.Get(newAdditive(g, v.source.data, func(c int) (mechanism.Function, error) {
			if which(c) {
				return nil, fails
			}
			return good.(*additive).fits[c]()
		}, 1, 0))
		return m
	}
	all := slices.Clone(v.asks)
	v.model = failing(func(c int) bool { return c == 3 })
	must.Succeed(t, v.figures(context.Background()))
	if len(v.asks) != 3 {
		t.Errorf("%d of %d questions are left; want those of x1 and x2 alone, 3", len(v.asks), len(all))
	}
	v.model = failing(func(int) bool { return true })
	if err := v.figures(context.Background()); !errors.Is(err, fails) {
		t.Errorf("nothing can be told, and the survey says %v", err)
	}
}

func hasEdge(res *polydag.Result, from, to string) bool {
	for _, e := range res.Edges {
		if e.From == from && e.To == to {
			return true
		}
	}
	return false
}

// TestSurveyWithoutEdges checks that a graph without edges has no answers and no error.
func TestSurveyWithoutEdges(t *testing.T) {
	_, table := surveyed(t, score.MixedEffects)
	g := must.Get(graph.FromEdges(4, nil))
	v, err := AskAll(context.Background(), known(t, table, g, score.MixedEffects), table, DefaultSurvey())
	if err != nil || len(v.Answers) != 0 {
		t.Errorf("%v, %v", v, err)
	}
}
