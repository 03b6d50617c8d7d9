package timing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// TestInTurns checks that operations take turns, and the first one is the measure of the others.
func TestInTurns(t *testing.T) {
	var order []int
	op := func(k, calls int) Operation {
		return Single(func() error {
			if len(order) == 0 || order[len(order)-1] != k {
				order = append(order, k)
			}
			for range calls {
				time.Sleep(100 * time.Microsecond)
			}
			return nil
		})
	}
	got, err := InTurns(context.Background(), Plan{Rounds: 6, Least: 2, Limit: time.Hour, Slice: time.Microsecond}, []Operation{op(0, 1), op(1, 20)})
	must.Succeed(t, err)
	if got.Rounds != 6 || len(order) != 2*7 { // one round warms up
		t.Errorf("%d rounds, turns %v", got.Rounds, order)
	}
	if got.Ratios[0] != 1 || !(got.Ratios[1] > 1) || !(got.Seconds[1] >= 20*100e-6) {
		t.Errorf("%+v", got)
	}
	if up, down := got.Ratio(1, 0), got.Ratio(0, 1); up != got.Ratios[1] || !(down < 1) || got.Ratio(1, 1) != 1 {
		t.Errorf("ratios %v and %v, want those of the rounds", up, down)
	}
	// The limit ends it after the least.
	if got, err = InTurns(context.Background(), Plan{Rounds: 6, Least: 2, Slice: time.Microsecond}, []Operation{op(0, 1)}); err != nil || got.Rounds != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestInTurnsStops(t *testing.T) {
	fault := errors.New("h is infinite")
	calls := 0
	_, err := InTurns(context.Background(), Plan{Rounds: 3, Limit: time.Hour}, []Operation{Single(func() error {
		if calls++; calls == 3 {
			return fault
		}
		return nil
	})})
	if err != fault {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls = 0
	_, err = InTurns(ctx, Plan{Rounds: 3, Limit: time.Hour}, []Operation{Single(func() error { calls++; cancel(); return nil })})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
