package polydag

import (
	"errors"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/must"
)

// TestLagsWithinLimits checks both sides of the limits of lagged columns: their number, the memory of a preparation, and the memory of
// the work.
func TestLagsWithinLimits(t *testing.T) {
	const d, lags = 100, 79
	base := &Table{Moments: dataset.NewMoments(make([]string, d))}
	base.Moments.N = 1000
	need := 8*int64(d)*d + dataset.AccumulatorBytes(d*(lags+1))
	p := DefaultPreparation()
	p.MaxColumns, p.MaxMemory = d*(lags+1), need
	must.Succeed(t, fitsLags(t.Context(), base, lags, false, p))
	if err := fitsLags(t.Context(), base, lags+1, false, p); !errors.Is(err, dataset.ErrTooWide) {
		t.Errorf("too many columns: %v", err)
	}
	p.MaxMemory--
	if err := fitsLags(t.Context(), base, lags, false, p); !errors.Is(err, memory.ErrLimit) {
		t.Errorf("too much memory: %v", err)
	}
	p.MaxMemory = 0
	must.Succeed(t, fitsLags(memory.New(need).Context(t.Context()), base, lags, false, p))
	if err := fitsLags(memory.New(need-1).Context(t.Context()), base, lags, false, p); !errors.Is(err, memory.ErrLimit) {
		t.Errorf("more than the account has: %v", err)
	}
	p.MaxMemory = need
	if err := fitsLags(t.Context(), base, lags, true, p); !errors.Is(err, memory.ErrLimit) {
		t.Errorf("choosing the lags takes more: %v", err)
	}
}
