package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// impulseTable draws a process and learns from it.
func impulseTable(t *testing.T, seed uint64, n int) (*sim.Process, *polydag.Table, *polydag.Result) {
	t.Helper()
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 4, seed
	p := must.Get(sim.NewProcess(cfg))
	var columns polydag.Columns
	for j := range cfg.Nodes {
		columns = append(columns, polydag.Column{Name: fmt.Sprintf("x%d", j)})
	}
	_ = p.Sample(n, func(_ int, row []float64) error {
		for j, x := range row {
			columns[j].Numbers = append(columns[j].Numbers, x)
		}
		return nil
	})
	prep := polydag.DefaultPreparation()
	prep.Time = dataset.TimeSettings{Column: ".", Lags: 2}
	table := must.Get(polydag.Prepare(context.Background(), columns, prep))
	res := must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
	return p, table, res
}

// shocked simulates a process without noise after a change of one column by 1.
func shocked(p *sim.Process, a, b, horizon int) []float64 {
	x := map[[2]int]float64{}
	var value func(t, v int) float64
	value = func(t, v int) float64 {
		if t < 0 {
			return 0
		}
		if t == 0 && v == a {
			return 1
		}
		if y, ok := x[[2]int{t, v}]; ok {
			return y
		}
		sum := 0.0
		for _, e := range p.Edges() {
			if e.To == v {
				sum += e.Weight * value(t-e.Lag, e.From)
			}
		}
		x[[2]int{t, v}] = sum
		return sum
	}
	out := make([]float64, horizon+1)
	for t := range out {
		out[t] = value(t, b)
	}
	return out
}

// TestImpulseResponses compares the responses of learned graphs with those of the true process, and counts how often intervals cover.
func TestImpulseResponses(t *testing.T) {
	covered, all := 0, 0
	for seed := range uint64(4) {
		p, table, res := impulseTable(t, seed+1, 1000)
		asked := 0
		for a := range 4 {
			for b := range 4 {
				want := shocked(p, a, b, 6)
				if a == b || math.Abs(want[1])+math.Abs(want[2]) < 0.05 || asked == 3 {
					continue
				}
				asked++
				q := NewQuestion(fmt.Sprintf("x%d", a), fmt.Sprintf("x%d", b))
				q.Horizon, q.Replicates, q.Threads, q.GivenGraph = 6, 40, 2, seed > 0
				got := must.Get(Ask(context.Background(), res, table, q))
				if len(got.Impulse) != 7 || got.Interval == nil || got.Interval.Replicates != 40 || got.Interval.Failed != 0 {
					t.Fatalf("%+v", got)
				}
				for h, r := range got.Impulse {
					if !(math.Abs(r.Value-want[h]) <= 0.12) {
						t.Errorf("seed %d, x%d on x%d after %d steps: %.3f, want %.3f", seed, a, b, h, r.Value, want[h])
					}
					if *r.Low < *r.High {
						if all++; *r.Low <= want[h] && want[h] <= *r.High {
							covered++
						}
					}
				}
			}
		}
	}
	if share := float64(covered) / float64(all); all < 40 || share < 0.7 || share > 0.99 {
		t.Errorf("the intervals cover %d of %d responses", covered, all)
	}
}

// TestImpulseQuestions checks answers without a table and questions that a result with lags cannot answer.
func TestImpulseQuestions(t *testing.T) {
	_, _, res := impulseTable(t, 3, 400)
	q := NewQuestion("x0", "x1")
	got, err := Ask(context.Background(), res, nil, q)
	if err != nil || len(got.Impulse) != 11 || got.Interval != nil || got.TimeStep != "1 row" {
		t.Fatalf("%+v, %v", got, err)
	}
	var b strings.Builder
	if err := got.WriteText(&b); err != nil || !strings.Contains(b.String(), "that lasts one step (1 row)") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, change := range []func(*Question){
		func(q *Question) { q.Do = []string{"1"} },
		func(q *Question) { q.Horizon = -1 },
		func(q *Question) { q.Horizon = 1001 },
		func(q *Question) { q.On = "y" },
	} {
		bad := q
		change(&bad)
		if _, err := Ask(context.Background(), res, nil, bad); !errors.Is(err, ErrQuestion) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	long := q
	long.Horizon = 1000
	if got, err := Ask(context.Background(), res, nil, long); err != nil || len(got.Impulse) != 1001 {
		t.Errorf("1000 steps: %v", err)
	}
	twice := q
	twice.Start, twice.End = "1", "3"
	double, err := Ask(context.Background(), res, nil, twice)
	if err != nil || double.Contrast.Unit || double.Contrast.Start != "1" || double.Contrast.End != "3" {
		t.Fatalf("%+v, %v", double, err)
	}
	for h, r := range double.Impulse {
		if want := 2 * got.Impulse[h].Value; !(math.Abs(r.Value-want) <= 1e-12) {
			t.Errorf("step %d: %v for two units, want %v", h, r.Value, want)
		}
	}
	for _, ends := range [][2]string{{"1", "1"}, {"a", "2"}, {"1", "Inf"}} {
		twice.Start, twice.End = ends[0], ends[1]
		if _, err := Ask(context.Background(), res, nil, twice); !errors.Is(err, ErrQuestion) {
			t.Errorf("%v: %v", ends, err)
		}
	}
	other := *res
	other.Model = "smooth"
	if _, err := Ask(context.Background(), &other, nil, q); !errors.Is(err, ErrNeedsTable) {
		t.Errorf("curves: %v", err)
	}
	other = *res
	other.Kind = graph.KindCPDAG
	if _, err := Ask(context.Background(), &other, nil, q); !errors.Is(err, ErrQuestion) {
		t.Errorf("an equivalence class: %v", err)
	}
}

// TestImpulsesDependOnUnstatedEdges checks that an answer names the undirected and weak edges on its paths: a → b → c at one time, and
// c(t-1) → c, which is weak.
func TestImpulsesDependOnUnstatedEdges(t *testing.T) {
	edge := func(from, to string, lag int, verdict polydag.Verdict) polydag.Edge {
		e := polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->", Lag: lag, Weight: 0.5}
		e.Verdict, e.PAdjacent, e.PDirection = verdict, 0.9, 0.6
		return e
	}
	g := graph.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	res := &polydag.Result{
		Names: []string{"a", "b", "c"}, Kind: graph.KindDAG, Graph: g, Marked: g.Mixed(), Model: "linear", Time: &polydag.TimeSeries{Column: ".", Lags: 1, Step: "1 row"},
		Edges:  []polydag.Edge{edge("a", "b", 0, polydag.Directed), edge("b", "c", 0, polydag.Undirected)},
		Lagged: []polydag.Edge{edge("c", "c", 1, polydag.Weak), edge("a", "a", 1, polydag.Directed)},
	}
	for _, c := range []struct {
		of, on       string
		horizon      int
		says         Identification
		depends, not string
	}{
		{"a", "b", 3, Identified, "", ""}, {"a", "c", 0, Identified, "b → c 0.54", ""}, {"a", "c", 1, Identified, "b → c 0.54, c(t-1) → c 0.90", ""},
		{"c", "b", 3, None, "", "c → b 0.36"}, {"c", "a", 3, None, "", ""}, {"b", "a", 3, None, "", ""},
		{"a", "a", 1, Identified, "", ""}, {"a", "a", 0, None, "", ""}, {"b", "b", 3, None, "", ""}, {"c", "c", 2, Identified, "b → c 0.54, c(t-1) → c 0.90", ""},
	} {
		q := NewQuestion(c.of, c.on)
		q.Horizon = c.horizon
		got := must.Get(Ask(t.Context(), res, nil, q))
		if got.Identification != c.says || list(got.DependsOn) != c.depends || list(got.Reversed) != c.not {
			t.Errorf("%+v: %s, depends on %v, reversed %v", c, got.Identification, got.DependsOn, got.Reversed)
		}
	}
}

// TestSurveyOfImpulses compares the responses of a survey with those of single questions.
func TestSurveyOfImpulses(t *testing.T) {
	_, table, res := impulseTable(t, 3, 300)
	set := DefaultSurvey()
	set.Replicates = 19
	for _, from := range []*polydag.Table{nil, table} {
		all := must.Get(AskAll(context.Background(), res, from, set))
		told := map[[2]string]*Answer{}
		for _, a := range all.Answers {
			told[[2]string{a.Of, a.On}] = a
		}
		if all.Pairs != len(told) || all.Pairs == 0 {
			t.Fatalf("%d pairs, %d answers", all.Pairs, len(told))
		}
		for _, of := range res.Names {
			for _, on := range res.Names {
				if of == on {
					continue
				}
				q := NewQuestion(of, on)
				q.GivenGraph, q.Replicates = true, set.Replicates
				one := must.Get(Ask(context.Background(), res, from, q))
				a := told[[2]string{of, on}]
				if (a == nil) != (one.Identification == None) {
					t.Fatalf("%s on %s: in the survey %t, asked alone %s", of, on, a != nil, one.Identification)
				}
				if a == nil {
					continue
				}
				one.each(func(x *float64) { *x = six(*x) })
				if got, want := fmt.Sprint(bounds(a)), fmt.Sprint(bounds(one)); got != want {
					t.Errorf("%s on %s: %s, want %s", of, on, got, want)
				}
			}
		}
	}
	set.MostPairs = 2
	if all, err := AskAll(context.Background(), res, nil, set); err != nil || len(all.Answers) != 2 || all.Pairs < 3 {
		t.Errorf("limited to two pairs: %+v, %v", all, err)
	}
	set.MostWork = 1
	if all, err := AskAll(context.Background(), res, table, set); err != nil || all.Answers[0].Interval != nil {
		t.Errorf("without work for bootstrap samples: %+v, %v", all, err)
	}
}

// bounds lists the numbers of the responses.
func bounds(a *Answer) (out []float64) {
	for _, r := range a.Impulse {
		out = append(out, r.Value)
		if r.Low != nil {
			out = append(out, *r.Low, *r.High)
		}
	}
	return out
}
