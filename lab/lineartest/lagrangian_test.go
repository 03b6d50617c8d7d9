package lineartest

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/notears"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// TestLargerRhoBeginsAnew checks that an inner problem with a larger ρ and the same multiplier starts where the
// previous one started, as in the published code. One with another multiplier starts where the previous one
// ended.
func TestLargerRhoBeginsAnew(t *testing.T) {
	_, data := table(t, 3, 10, 500, nil)
	var seen []stage.Progress
	run := must.Get(stage.New(stage.Key{}, stage.Settings{Observe: func(p stage.Progress) { seen = append(seen, p) }}))
	must.Get(notears.New().Learn(context.Background(), &method.Input{Moments: data, Threads: 1}, run))
	if len(seen) == 0 {
		t.Fatal("no progress was told")
	}
	anew, on, began := 0, 0, seen[0]
	for i, p := range seen[1:] {
		last := seen[i]
		if p.Step != last.Step { // within an inner problem
			continue
		}
		from, alpha := last, began.Alpha
		if p.Rho > last.Rho {
			anew, from = anew+1, began
		} else { // the method of multipliers: α grows by ρ·h
			on++
			alpha += last.Rho * last.H
		}
		if !(math.Abs(p.Alpha-alpha) <= 1e-9*(1+alpha)) {
			t.Errorf("step %d, ρ %g → %g, h = %g: α = %g, want %g", p.Step, last.Rho, p.Rho, last.H, p.Alpha, alpha)
		}
		if p.H != from.H {
			t.Errorf("step %d, ρ %g → %g: begins at h = %g, want %g", p.Step, last.Rho, p.Rho, p.H, from.H)
		}
		began = p
	}
	if anew == 0 || on == 0 {
		t.Errorf("ρ grew %d times and α %d times: the test has seen too little", anew, on)
	}
}
