package polydag_test

import (
	"context"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// No exported function of the package panics on a nil argument or on a table without moments.
func TestNilArguments(t *testing.T) {
	ctx, cfg := context.Background(), polydag.DefaultConfig()
	var none context.Context
	good := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 5}, {3, 5}, {4, 9}, {6, 8}, {7, 15}}))
	res := must.Get(good.Learn(ctx, cfg, polydag.Run{}))
	from := must.Get(good.Resampler(ctx, 1<<20))
	each := func(dataset.RowBatch) error { return nil }
	draw := polydag.Draw{Kind: polydag.Bootstrap}
	type call func() error
	calls := map[string]call{
		"Learn of nil moments": func() error { _, err := polydag.FromMoments(nil).Learn(ctx, cfg, polydag.Run{}); return err },
		"Learn, nil context":   func() error { _, err := polydag.FromMoments(good.Moments).Learn(none, cfg, polydag.Run{}); return err },
		"Prepare, nil context": func() error {
			_, err := polydag.Prepare(none, polydag.Columns{}, polydag.DefaultPreparation())
			return err
		},
		"Prepare, nil input":          func() error { _, err := polydag.Prepare(ctx, nil, polydag.DefaultPreparation()); return err },
		"ReadResult":                  func() error { _, err := polydag.ReadResult(nil); return err },
		"SetConfidence":               func() error { return new(polydag.Result).SetConfidence(nil) },
		"Posterior, nil result":       func() error { _, _, err := good.Posterior(ctx, cfg, nil); return err },
		"Refit, nil result":           func() error { _, err := good.Refit(ctx, cfg, nil, res.Graph); return err },
		"Refit, nil graph":            func() error { _, err := good.Refit(ctx, cfg, res, nil); return err },
		"Score, nil graph":            func() error { _, err := good.Score(ctx, cfg, nil); return err },
		"Table.EachRow, nil function": func() error { return good.EachRow(ctx, nil) },
		"Resampler.EachRow":           func() error { return from.EachRow(ctx, nil) },
		"Resampler.EachRow, context":  func() error { return from.EachRow(none, each) },
		"Resampler.Draw":              func() error { _, err := from.Draw(none, draw); return err },
		"Resampler.Times":             func() error { _, err := from.Times(none, draw); return err },
	}
	for name, table := range map[string]*polydag.Table{"nil table": nil, "zero table": {}, "table of nil moments": polydag.FromMoments(nil), "nil context": good} {
		use := ctx
		if table == good {
			use = none
		}
		calls["Table.Learn, "+name] = func() error { _, err := table.Learn(use, cfg, polydag.Run{}); return err }
		calls["Table.EachRow, "+name] = func() error { return table.EachRow(use, each) }
		calls["Table.Resampler, "+name] = func() error { _, err := table.Resampler(use, 0); return err }
		calls["Table.Like, "+name] = func() error { _, err := table.Like(use, dataset.RowBatch{}); return err }
		calls["Table.Score, "+name] = func() error { _, err := table.Score(use, cfg, graph.New(2)); return err }
		calls["Table.Refit, "+name] = func() error { _, err := table.Refit(use, cfg, res, graph.New(2)); return err }
		calls["Table.Posterior, "+name] = func() error { _, _, err := table.Posterior(use, cfg, res); return err }
	}
	for name, call := range calls {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: panic: %v", name, p)
				}
			}()
			if err := call(); !errors.Is(err, polydag.ErrNil) {
				t.Errorf("%s: %v, want ErrNil", name, err)
			}
		}()
	}
	// Functions that return no error have an answer for nil, too.
	var empty *polydag.Table
	if empty.Fingerprint() != "" || empty.Examine(cfg) != nil {
		t.Error("a table without moments has a fingerprint or findings")
	}
	good.Examine(polydag.Config{}) // without a method
	if (polydag.Config{Threads: 1}).Memory(10, 2) <= 0 || (polydag.Config{}).CheckpointMemory(10, 2) != 0 {
		t.Error("memory of a configuration without a method")
	}
	if err := empty.Overrule([]string{"a=count"}); !errors.Is(err, polydag.ErrNil) {
		t.Errorf("Overrule: %v", err)
	}
	if _, err := good.Refit(ctx, polydag.Config{}, res, res.Graph); err != nil {
		t.Errorf("Refit with the default method: %v", err)
	}
}
