package heldout

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

func pathOf(t testing.TB, table *polydag.Table, s PathSettings, threads int) *Path {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads = threads
	p := must.Get(LearnPath(context.Background(), table, cfg, s, nil))
	return p
}

// fewValues returns the settings of a short path.
func fewValues(values ...float64) PathSettings {
	s := DefaultPathSettings()
	s.Values, s.Splits = values, 2
	return s
}

// TestPathOfEveryModel checks that a path has the setting of its model, the same bytes on any number of
// threads, and at each penalty the edges and score of learning with its flags.
func TestPathOfEveryModel(t *testing.T) {
	for model, table := range modelTables(t) {
		t.Run(model, func(t *testing.T) {
			s := fewValues(0.5, 3, 0.02) // not in order
			p := pathOf(t, table, s, 1)
			if string(p.Model) != model || p.Setting != SettingOf(p.Model) || p.Splits != 2 || p.Best == nil || p.Reason == "" || len(p.Points) != 3 {
				t.Fatalf("%+v", p)
			}
			one, _ := json.Marshal(p)
			if two, _ := json.Marshal(pathOf(t, table, s, 3)); string(one) != string(two) {
				t.Errorf("one thread:\n%s\nthree:\n%s", one, two)
			}
			last := -1.0
			for _, at := range p.Points {
				if *at.Value <= last {
					t.Errorf("%v after %v", *at.Value, last)
				}
				last = *at.Value
				cfg := polydag.DefaultConfig()
				set := param.Of(cfg.Method)
				for name, value := range map[string]string{"model": model, p.Setting: valueText(*at.Value)} {
					must.Succeed(t, set.Set(name, value))
				}
				must.Succeed(t, set.Finish())
				res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
				if len(res.Edges) != at.Edges || res.Score != at.Score {
					t.Errorf("%s %v: %d edges and a score of %v, learning has %d and %v", p.Setting, *at.Value, at.Edges, at.Score, len(res.Edges), res.Score)
				}
			}
			res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
			if err != nil || len(res.Edges) != p.Default.Edges || res.Score != p.Default.Score {
				t.Errorf("the default has %d edges and a score of %v, learning %d and %v, %v", p.Default.Edges, p.Default.Score, len(res.Edges), res.Score, err)
			}
		})
	}
}

// TestNoEdgesAreBehind checks that at a huge penalty there is no edge, halves agree, and held-out rows prefer a
// fair penalty.
func TestNoEdgesAreBehind(t *testing.T) {
	p := pathOf(t, modelTables(t)["linear"], fewValues(2, 1e6), 2)
	none := p.Points[1]
	if none.Edges != 0 || *none.Adjacency != 1 || none.Direction != nil || !(*none.Behind > *none.Error) || p.Recommended != nil && *p.Recommended != 2 {
		t.Errorf("%+v, recommended %v", none, p.Recommended)
	}
}

// TestStoppedPath checks that a stopped path has only the completed results.
func TestStoppedPath(t *testing.T) {
	table := modelTables(t)["linear"]
	cfg := polydag.DefaultConfig()
	for _, c := range []struct{ after, points, splits int }{{1, 0, 0}, {2, 1, 0}, {3, 2, 0}, {8, 2, 0}, {10, 2, 1}} {
		ctx, cancel := context.WithCancel(context.Background())
		p, err := LearnPath(ctx, table, cfg, fewValues(1, 2), func(p PathProgress) {
			if p.Of != 15 {
				t.Errorf("of %d runs, want 15", p.Of)
			}
			if p.Done == c.after {
				cancel()
			}
		})
		cancel()
		must.Succeed(t, err)
		if p.Status != method.Canceled || p.Cause == "" || len(p.Points) != c.points || p.Splits != c.splits || (p.Recommended != nil) != (c.splits > 0) {
			t.Errorf("after %d runs: %d prices, %d splits, %v, %q", c.after, len(p.Points), p.Splits, p.Status, p.Cause)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := LearnPath(ctx, table, cfg, fewValues(1, 2), nil); err == nil || p != nil {
		t.Errorf("a path that was stopped before it began: %v, %v", p, err)
	}
}

// TestRefused checks that unsupported tables give a named error.
func TestRefused(t *testing.T) {
	x := matrix.New[float64](40, 3)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/20))
		x.Set(i, 1, float64(i*7919%101))
		x.Set(i, 2, float64(i*104729%97))
	}
	environments := preparedRows(t, []string{"when", "a", "b"}, x, func(p *polydag.Preparation) { p.Environments = "when" })
	if _, err := LearnPath(context.Background(), environments, polydag.DefaultConfig(), fewValues(1, 2), nil); !errors.Is(err, ErrEnvironments) || !strings.Contains(err.Error(), "when") {
		t.Errorf("environments: %v", err)
	}
	for i := range x.Rows { // one row of another value: one half of every split has none
		x.Set(i, 0, 0)
	}
	x.Set(3, 0, 1)
	rare := preparedRows(t, []string{"rare", "a", "b"}, x, nil)
	if _, err := LearnPath(context.Background(), rare, polydag.DefaultConfig(), fewValues(1, 2), nil); !errors.Is(err, ErrHalves) || !strings.Contains(err.Error(), "rare") {
		t.Errorf("a column that no half can do without: %v", err)
	}
	if _, err := LearnPath(context.Background(), polydag.FromMoments(rare.Moments), polydag.DefaultConfig(), fewValues(1, 2), nil); !errors.Is(err, polydag.ErrNotResampled) {
		t.Errorf("moments: %v", err)
	}
	other := polydag.DefaultConfig()
	for _, m := range lab.All() {
		if param.Of(m).Lookup("model") == nil {
			other.Method = m
		}
	}
	if _, err := LearnPath(context.Background(), modelTables(t)["linear"], other, fewValues(1, 2), nil); !errors.Is(err, polydag.ErrConfig) {
		t.Errorf("a method without a price: %v", err)
	}
	bad := PathSettings{Values: []float64{-1, 2, 2}, Splits: 1}
	if err := bad.Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three faults: %v", err)
	}
}
