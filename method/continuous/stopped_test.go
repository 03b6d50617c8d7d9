package continuous

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// TestStoppedSwaps stops the swaps under each model of the variances: the answer says so, and no further stage begins.
func TestStoppedSwaps(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed, c.Standardize = 12, 3, 4, false })
	for _, stop := range []string{"continuous", "continuous-swaps", "continuous-swaps-equal", ""} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var names []string
		run, err := stage.New(stage.Key{}, stage.Settings{Observe: func(p stage.Progress) {
			name, _, _ := strings.Cut(p.Stage, ": ")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if name == stop {
				cancel(errors.New("enough"))
			}
		}})
		must.Succeed(t, err)
		a, err := New().Learn(ctx, &method.Input{Moments: data, Threads: 1, Seed: 1}, run)
		cancel(nil)
		must.Succeed(t, err)
		if last := names[len(names)-1]; (a.Status == method.Canceled) != (stop != "") || stop != "" && (last != stop || a.Cause == "") || a.Graph.N() != 12 {
			t.Errorf("stopped in %q: status %v because %q after the stages %v", stop, a.Status, a.Cause, names)
		}
	}
}
