package confidence_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
)

// counting does walks as another process would, from encoded chains and the table. It stops after a number of
// walks.
type counting struct {
	t     *testing.T
	table *polydag.Table
	made  *confidence.Sampler
	done  int
	stop  int
	end   func()
}

func (c *counting) Walk(ctx context.Context, of *confidence.Chains, walks []confidence.Walk, each func(i int, outcome []byte) error) error {
	text, err := json.Marshal(of)
	if err != nil {
		c.t.Fatal(err)
	}
	var own confidence.Chains
	if err := json.Unmarshal(text, &own); err != nil {
		c.t.Fatal(err)
	}
	if c.made == nil {
		if c.made, err = own.Sampler(ctx, c.table); err != nil {
			return err
		}
	}
	for i, w := range walks {
		if c.done == c.stop {
			c.end()
			return ctx.Err()
		}
		out, err := c.made.Walk(ctx, w)
		if err != nil {
			return err
		}
		c.done++
		if err := each(i, out); err != nil {
			return err
		}
	}
	return nil
}

// TestChainsGoOn checks that remote chains give the bytes of local ones. So does a run that is stopped in the
// second round and resumed, without repeating a walk.
func TestChainsGoOn(t *testing.T) {
	for _, levels := range []bool{false, true} {
		table := chainTable(t, 13, 600, levels, inOrder)
		cfg, s := polydag.DefaultConfig(), confidence.DefaultPosterior()
		s.Samples, s.Rounds = 8, 1 // too few to agree
		want := must.Get(confidence.Posterior(t.Context(), table, cfg, s, polydag.Run{}))
		kept, before := &store{}, 0
		if !levels { // once is enough
			ctx, cancel := context.WithCancelCause(t.Context())
			first := &counting{t: t, table: table, stop: 6, end: func() { cancel(errors.New("enough")) }}
			res, err := confidence.PosteriorWith(ctx, table, cfg, s, polydag.Run{Store: kept}, first)
			if !errors.Is(err, context.Canceled) || res.Status != method.Canceled {
				t.Fatalf("%v, %v", res, err)
			}
			before = first.done
		}
		by := &counting{t: t, table: table, stop: -1}
		got := must.Get(confidence.PosteriorWith(t.Context(), table, cfg, s, polydag.Run{Store: kept}, by))
		if text(t, got) != text(t, want) || before+by.done != 8 {
			t.Errorf("levels %v: chains elsewhere give other bytes, by %d and %d walks, want 8 together", levels, before, by.done)
		}
	}
}

// TestChainsRefused checks that chains of another table are refused.
func TestChainsRefused(t *testing.T) {
	table := chainTable(t, 13, 100, false, inOrder)
	plan := &confidence.Plan{Method: "order", Settings: json.RawMessage("{}")}
	for name, c := range map[string]confidence.Chains{
		"no plan":         {Odds: 1},
		"no odds":         {Plan: plan},
		"no such column":  {Plan: plan, Odds: 0.1, DAG: true, Edges: []graph.Edge{{From: 0, To: 13}}},
		"a cycle":         {Plan: plan, Odds: 0.1, DAG: true, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 0}}},
		"no such method":  {Plan: &confidence.Plan{Method: "dance"}, Odds: 0.1},
		"no likelihood":   {Plan: plan, Odds: 0.1, Model: "smooth"},
		"too many levels": {Plan: plan, Odds: 0.1, Model: "discrete"},
	} {
		if _, err := c.Sampler(t.Context(), table); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
