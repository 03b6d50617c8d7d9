package confidence

import (
	"context"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// A nil table, a table without moments and a nil context are errors, as they are for the functions of package polydag.
func TestNilArguments(t *testing.T) {
	good := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 5}, {3, 5}, {4, 9}, {6, 8}, {7, 15}}))
	var none context.Context
	for name, give := range map[string]struct {
		ctx   context.Context
		table *polydag.Table
	}{"nil table": {t.Context(), nil}, "zero table": {t.Context(), new(polydag.Table)}, "nil context": {none, good}} {
		_, learned := Learn(give.ctx, give.table, polydag.DefaultConfig(), DefaultSettings(), polydag.Run{})
		_, sampled := Posterior(give.ctx, give.table, polydag.DefaultConfig(), DefaultPosterior(), polydag.Run{})
		if !errors.Is(learned, polydag.ErrNil) || !errors.Is(sampled, polydag.ErrNil) {
			t.Errorf("%s: Learn: %v, Posterior: %v; want ErrNil", name, learned, sampled)
		}
	}
}

// Settings without a resampling are the defaults with the fields that are set.
func TestEmptySettingsAreDefaults(t *testing.T) {
	good := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 5}, {3, 5}, {4, 9}, {6, 8}, {7, 15}}))
	res := must.Get(Learn(t.Context(), good, polydag.Config{}, Settings{Replicates: 7}, polydag.Run{}))
	if c := res.Confidence; c.Replicates+len(c.Failed) != 7 || c.Resampling != polydag.Bootstrap {
		t.Errorf("%+v", c)
	}
}
