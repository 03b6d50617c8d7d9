package learntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/solve"
)

// memory keeps every state in memory.
type memory struct {
	states [][]byte
	err    error // the error of Save
}

func (m *memory) Save(state []byte) error {
	if m.err == nil {
		m.states = append(m.states, bytes.Clone(state))
	}
	return m.err
}

func (m *memory) Load() ([]byte, error) {
	if len(m.states) == 0 {
		return nil, nil
	}
	return m.states[len(m.states)-1], nil
}

// kept is a run with a store.
type kept polydag.Run

func (k kept) Learn(ctx context.Context, data *dataset.Moments, cfg polydag.Config) (*polydag.Result, error) {
	return polydag.BestSoFar(polydag.FromMoments(data).Learn(ctx, cfg, polydag.Run(k)))
}

// untimed returns the result as JSON without its timing, and W.
func untimed(t testing.TB, res *polydag.Result) string {
	t.Helper()
	c := *res
	c.Timing = polydag.Timing{}
	b := must.Get(json.Marshal(c))
	if res.W != nil {
		w := must.Get(json.Marshal(res.W.Data))
		b = append(b, w...)
	}
	return string(b)
}

// runCases are configurations that between them reach every stage.
func runCases(t testing.TB) map[string]struct {
	data *dataset.Moments
	cfg  polydag.Config
} {
	type run = struct {
		data *dataset.Moments
		cfg  polydag.Config
	}
	small := func(standardize bool) *dataset.Moments {
		m, x := sample(t, 6, 14, 150, func(c *sim.Settings) { c.Standardize = standardize })
		return moments(t, m.Names(), x)
	}
	raw, standardized := small(false), small(true)
	cfg := func(name string, change func(*polydag.Config), settings ...string) polydag.Config {
		c := polydag.DefaultConfig()
		c.Seed = 3
		c.Method = using(t, name, append([]string{"restarts=4", "stage-steps=5", "stages=8", "steps=60", "inner=10"}, settings...)...)
		if change != nil {
			change(&c)
		}
		return c
	}
	return map[string]run{
		"auto, equal wins":     {raw, cfg("auto", nil, "restarts=200")},
		"auto, unequal wins":   {standardized, cfg("auto", nil, "restarts=200")},
		"auto, as many as pay": {standardized, cfg("auto", nil, "restarts=auto")},
		"auto, knowledge": {standardized, cfg("auto", func(c *polydag.Config) {
			c.Knowledge = knowledge.Spec{Require: []string{raw.Names[0] + "->" + raw.Names[1]}, Forbid: []string{"*->" + raw.Names[0]}}
		}, "restarts=200")},
		"order":                {raw, cfg("order", func(c *polydag.Config) { c.CheckScale = polydag.CheckScaleAlways })},
		"polydag":              {raw, cfg("polydag", func(c *polydag.Config) { c.CheckScale = polydag.CheckScaleAlways })},
		"continuous":           {raw, cfg("continuous", nil)},
		"polydag-geo, float32": {raw, cfg("polydag-geo", nil, "precision=32")},
		"notears-exp, paper":   {standardized, cfg("notears-exp", nil, "schedule=paper")},
	}
}

// TestResumeFromAnyState checks that a run resumed from any state, on any number of threads, gives the bytes of
// an uninterrupted one.
func TestResumeFromAnyState(t *testing.T) {
	for name, c := range runCases(t) {
		t.Run(name, func(t *testing.T) {
			want := must.Get(polydag.FromMoments(c.data).Learn(context.Background(), c.cfg, polydag.Run{}))
			all := &memory{}
			got, err := kept{Store: all}.Learn(context.Background(), c.data, c.cfg)
			if err != nil || untimed(t, got) != untimed(t, want) {
				t.Fatalf("with a checkpoint the result differs (%v)", err)
			}
			n, tries := len(all.states), 16
			for i := range tries {
				at := (n - 1) * i / (tries - 1)
				if i%2 == 1 { // the searches come last and have few states
					at = max(0, n-1-2*i)
				}
				c.cfg.Threads = 1 + i%3
				got := must.Get(kept{Store: &memory{states: all.states[at : at+1]}, Every: time.Hour}.Learn(context.Background(), c.data, c.cfg))
				if untimed(t, got) != untimed(t, want) {
					t.Fatalf("taken up from state %d of %d, the result differs:\n%s\n%s", at, n, untimed(t, got), untimed(t, want))
				}
			}
			if n < 40 {
				t.Errorf("only %d states", n)
			}
			if len(want.Trace) == 0 {
				t.Error("no trace")
			}
		})
	}
}

// TestResumeAgainAndAgain checks that a run interrupted repeatedly, at every second or third save, gives the
// same result.
func TestResumeAgainAndAgain(t *testing.T) {
	for name, c := range runCases(t) {
		t.Run(name, func(t *testing.T) {
			want := must.Get(polydag.FromMoments(c.data).Learn(context.Background(), c.cfg, polydag.Run{}))
			store := &memory{}
			for runs := 0; ; runs++ {
				ctx, cancel := context.WithCancel(context.Background())
				counted := &counting{Checkpoint: store, left: 2 + runs%2, then: cancel}
				if strings.HasPrefix(name, "auto") { // many steps
					counted.left = 6 + runs%3
				}
				got, err := kept{Store: counted}.Learn(ctx, c.data, c.cfg)
				cancel()
				must.Succeed(t, err)
				verify(t, got)
				if got.Status == solve.Canceled {
					if got.Cause != "interrupted" {
						t.Fatalf("interrupted: cause %q", got.Cause)
					}
					if runs > 5000 {
						t.Fatal("no end in sight")
					}
					continue
				}
				if untimed(t, got) != untimed(t, want) {
					t.Fatalf("after %d interruptions the result differs:\n%s\n%s", runs, untimed(t, got), untimed(t, want))
				}
				if runs < 5 {
					t.Errorf("only %d interruptions", runs)
				}
				return
			}
		})
	}
}

// counting calls then after some saves.
type counting struct {
	polydag.Checkpoint
	left int
	then func()
}

func (c *counting) Save(state []byte) error {
	if c.left--; c.left == 0 {
		c.then()
	}
	return c.Checkpoint.Save(state)
}

// TestResumeAfterTheEnd checks that a finished run leaves a state from which the result comes back at once.
func TestResumeAfterTheEnd(t *testing.T) {
	c := runCases(t)["auto, equal wins"]
	store := &memory{}
	want := must.Get(kept{Store: store}.Learn(context.Background(), c.data, c.cfg))
	steps := 0
	got, err := kept{Store: store, Observe: func(polydag.Progress) { steps++ }}.Learn(context.Background(), c.data, c.cfg)
	if err != nil || untimed(t, got) != untimed(t, want) || steps > 3 {
		t.Errorf("%d steps, error %v, the same: %v", steps, err, untimed(t, got) == untimed(t, want))
	}
}

func TestCheckpointOfAnotherRun(t *testing.T) {
	cases := runCases(t)
	c := cases["order"]
	store := &memory{}
	must.Get((kept{Store: store, Every: time.Hour}).Learn(context.Background(), c.data, c.cfg))
	for says, change := range map[string]func(*dataset.Moments, *polydag.Config){
		"other data":                     func(m *dataset.Moments, _ *polydag.Config) { m.Scatter[1] += 1e-9; m.Scatter[len(m.Names)] += 1e-9 },
		"seed is 3 there and 4 here":     func(_ *dataset.Moments, c *polydag.Config) { c.Seed = 4 },
		"restarts is 4 there and 5 here": func(_ *dataset.Moments, c *polydag.Config) { c.Method = using(t, "order", "restarts=5") },
		`method is "order" there`:        func(_ *dataset.Moments, c *polydag.Config) { c.Method = using(t, "auto", "restarts=4") },
		"standardize is false there":     func(_ *dataset.Moments, c *polydag.Config) { c.Standardize = true },
	} {
		data, cfg := *c.data, c.cfg
		data.Scatter = slices.Clone(data.Scatter)
		change(&data, &cfg)
		_, err := kept{Store: store}.Learn(context.Background(), &data, cfg)
		if !errors.Is(err, polydag.ErrCheckpoint) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error with %q", err, says)
		}
	}
	cfg := c.cfg
	cfg.Threads = 2 // without effect
	if _, err := (kept{Store: store}).Learn(context.Background(), c.data, cfg); err != nil {
		t.Error(err)
	}
	for _, state := range [][]byte{[]byte("x"), store.states[0][:100]} {
		if _, err := (kept{Store: &memory{states: [][]byte{state}}}).Learn(context.Background(), c.data, c.cfg); !errors.Is(err, polydag.ErrCheckpoint) {
			t.Errorf("a damaged state: %v", err)
		}
	}
}

// TestSaveFails checks that a place that cannot be written is known at once; one that fills up on the way does
// not end the run.
func TestSaveFails(t *testing.T) {
	c := runCases(t)["order"]
	full := errors.New("disk full")
	if _, err := (kept{Store: &memory{err: full}}).Learn(context.Background(), c.data, c.cfg); !errors.Is(err, full) || !errors.Is(err, polydag.ErrCheckpoint) {
		t.Errorf("first save: %v", err)
	}
	store := &memory{}
	counted := &counting{Checkpoint: store, left: 5, then: func() { store.err = full }}
	told := 0
	got, err := kept{Store: counted, SaveFailed: func(err error) {
		if told++; !errors.Is(err, full) {
			t.Error(err)
		}
	}}.Learn(context.Background(), c.data, c.cfg)
	if err != nil || told == 0 || !got.Status.Finished() {
		t.Errorf("told %d times, error %v", told, err)
	}
}
