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
	"github.com/polydag/polydag/sim"
)

// impulseTable draws a process and learns from it.
func impulseTable(t *testing.T, seed uint64, n int) (*sim.Process, *polydag.Table, *polydag.Result) {
	t.Helper()
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 4, seed
	p, err := sim.NewProcess(cfg)
	if err != nil {
		t.Fatal(err)
	}
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
	table, err := polydag.Prepare(context.Background(), columns, prep)
	if err != nil {
		t.Fatal(err)
	}
	res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
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
				got, err := Ask(context.Background(), res, table, q)
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Impulse) != 7 || got.Interval == nil || got.Interval.Replicates != 40 {
					t.Fatalf("%+v", got)
				}
				for h, r := range got.Impulse {
					if math.Abs(r.Value-want[h]) > 0.12 {
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
		func(q *Question) { q.On = "y" },
	} {
		bad := q
		change(&bad)
		if _, err := Ask(context.Background(), res, nil, bad); !errors.Is(err, ErrQuestion) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	other := *res
	other.Model = "smooth"
	if _, err := Ask(context.Background(), &other, nil, q); !errors.Is(err, ErrQuestion) || !strings.Contains(err.Error(), "model=linear") {
		t.Errorf("curves: %v", err)
	}
}
