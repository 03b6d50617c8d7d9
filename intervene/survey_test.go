package intervene

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
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
	g, err := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}})
	if err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, letters(4), levels, x)
	res := known(t, table, g, model)
	res.Edges[0].Compelled = false
	return res, table
}

// What is said of all pairs is what is said of each: the same figures, intervals, ranges over a class and distributions.
func TestAskAll(t *testing.T) {
	for _, model := range []score.Effects{score.LinearEffects, score.TableEffects, score.MixedEffects, score.SmoothEffects} {
		t.Run(string(model), func(t *testing.T) {
			res, table := surveyed(t, model)
			set := NewSurvey()
			set.Replicates = 19
			got, err := AskAll(context.Background(), res, table, set)
			if err != nil {
				t.Fatal(err)
			}
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
						if model != score.LinearEffects {
							want.Effects[o].Through[i].Low, want.Effects[o].Through[i].High = nil, nil
						}
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

// The bounds of a survey: the nearest pairs stay, and intervals go where they would take too much.
func TestSurveyBounds(t *testing.T) {
	res, table := surveyed(t, score.SmoothEffects)
	set := NewSurvey()
	set.MostPairs, set.MostWork = 4, 30000 // 1200 values are drawn for a replicate, and not enough is left for a pair with 19 of them
	got, err := AskAll(context.Background(), res, table, set)
	if err != nil {
		t.Fatal(err)
	}
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
	// Two graphs of the class of x0, and x2 with one: 12 figures each, of 300 rows.
	set.MostWork = 19 * (1200 + 300*12*2)
	if got, err = AskAll(context.Background(), res, table, set); err != nil {
		t.Fatal(err)
	}
	sure := 0
	for _, a := range got.Answers {
		if a.Interval != nil {
			sure++
		}
	}
	if sure != 1 || got.Answers[0].Interval == nil || got.Answers[0].Interval.Replicates != 19 {
		t.Errorf("%d effects have intervals, the first %v; want that one alone, from 19 tables", sure, got.Answers[0].Interval)
	}
	set.MostWork = 300 * 12 * 2
	if got, err = AskAll(context.Background(), res, table, set); err != nil || len(got.Answers) != 1 {
		t.Errorf("%d answers, %v; want the one that the work is enough for", len(got.Answers), err)
	}
	set.MostValues = 4*300 - 1
	if _, err := AskAll(context.Background(), res, table, set); !errors.Is(err, ErrTooWide) {
		t.Errorf("a table with more values than may be held is answered: %v", err)
	}
	res.Kind = graph.KindPAG
	if _, err := AskAll(context.Background(), res, table, set); !errors.Is(err, ErrNotIdentified) {
		t.Errorf("a PAG is answered: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res.Kind = graph.KindDAG
	if _, err := AskAll(ctx, res, table, NewSurvey()); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// A pair that cannot be told, here because one column has no fit, is left out, and the others stay.
func TestSurveyLeavesOutWhatFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	x := newDense(60, 4)
	for i := range x.Rows {
		row := x.Row(i)
		row[0], row[1] = math.Floor(2*rng.Float64()), rng.NormFloat64()
		row[2] = row[1] + rng.NormFloat64()
		row[3] = math.Floor(2 * rng.Float64())
	}
	g, err := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}})
	if err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, letters(4), []int{2, 0, 0, 2}, x)
	v := &surveyor{SurveySettings: NewSurvey(), res: known(t, table, g, score.MixedEffects), table: table}
	if err := v.prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	fails := errors.New("no fit")
	bad := &additive{g: g, order: []int{0, 1, 2, 3}, data: v.asks[0].source.data, rows: v.asks[0].source.data.untouched(), fits: map[int]mechanism{}, left: map[int][]float64{}}
	good, err := v.asks[0].source.newFit(g)
	if err != nil {
		t.Fatal(err)
	}
	bad.fit = func(c int) (mechanism, error) {
		if c == 3 {
			return nil, fails
		}
		return good.(*additive).fit(c)
	}
	v.asks[0].source.kept[g] = bad
	if err := v.estimate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(v.out.Answers) != 3 || len(v.asks) != 3 || len(v.sure) != 3 {
		t.Errorf("%d answers of %d questions, %d with intervals; want those of x1 and x2 alone, 3", len(v.out.Answers), len(v.asks), len(v.sure))
	}
	bad.fit = func(int) (mechanism, error) { return nil, fails }
	bad.fits, v.out.Answers = map[int]mechanism{}, nil
	if err := v.estimate(context.Background()); !errors.Is(err, fails) {
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
