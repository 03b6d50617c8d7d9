package network

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// takenUp interrupts a training as prepare decides and resumes it.
func takenUp(t *testing.T, build func() *Training, prepare func(tr *Training, end func())) *Training {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first := build()
	prepare(first, cancel)
	var saved []byte
	first.Pause = func(state func() []byte) {
		if ctx.Err() != nil {
			saved = slices.Clone(state())
		}
	}
	if _, err := first.Run(ctx, nil); err != nil || saved == nil {
		t.Fatalf("%v, %d bytes were saved", err, len(saved))
	}
	again := build()
	must.Get(again.Run(context.Background(), saved))
	return again
}

// TestTakenUpFromEveryStep interrupts a training during each step, including the last of a pass, which the
// policy must see only once.
func TestTakenUpFromEveryStep(t *testing.T) {
	build := func() *Training {
		tr := linear(t)
		tr.Policy = plainPolicy{3}
		return tr
	}
	whole := build()
	must.Get(whole.Run(context.Background(), nil))
	for at := 1; at < whole.Step; at++ {
		again := takenUp(t, build, func(tr *Training, end func()) {
			tr.Prepare = func(step int) {
				if step == at {
					end()
				}
			}
		})
		if again.Step != whole.Step || !slices.Equal(again.Theta, whole.Theta) {
			t.Errorf("ended in step %d: %d steps in all, want %d; the same parameters: %v", at, again.Step, whole.Step, slices.Equal(again.Theta, whole.Theta))
		}
	}
}

// TestTakenUpAfterALoss loses what computes the loss while the training is ended: the step that was not taken is not counted.
func TestTakenUpAfterALoss(t *testing.T) {
	own := linear(t).Loss
	build := func() *Training {
		tr := linear(t)
		tr.Policy = plainPolicy{12}
		tr.Away = func(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error) {
			own.Load(theta)
			return own.Run(batch, grad, weight)
		}
		return tr
	}
	whole := build()
	must.Get(whole.Run(context.Background(), nil))
	again := takenUp(t, build, func(tr *Training, end func()) {
		inner, n := tr.Away, 0
		tr.Away = func(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error) {
			if n++; n == 7 {
				end()
				return 0, Away(errors.New("the device was lost"))
			}
			return inner(batch, grad, theta, weight)
		}
	})
	if again.Step != whole.Step || !slices.Equal(again.Theta, whole.Theta) {
		t.Errorf("%d steps, want %d; the same parameters: %v", again.Step, whole.Step, slices.Equal(again.Theta, whole.Theta))
	}
}

// TestTakenUpBeforeAStepThatIsUndone has a step that cannot be evaluated right after a resume. The policy must
// find the graph of h as without the interruption.
func TestTakenUpBeforeAStepThatIsUndone(t *testing.T) {
	build := func(seen *[]float64) *Training {
		tr := linear(t)
		tr.Policy = watched{plainPolicy{3}, tr.H.Out, seen}
		factor := tr.Loss.Input(1, 1)
		tr.Loss.Out = tr.Loss.Product(tr.Loss.Out, factor)
		tr.Prepare = func(step int) {
			if factor.Value.Data[0] = 1; step == 7 {
				factor.Value.Data[0] = math.NaN()
			}
		}
		return tr
	}
	var seen, again []float64
	tr := build(&seen)
	var saved []byte
	tr.Pause = func(state func() []byte) {
		if tr.Step == 6 && saved == nil {
			saved = slices.Clone(state())
		}
	}
	must.Get(tr.Run(context.Background(), nil))
	must.Get(build(&again).Run(context.Background(), saved))
	if seen[6] != again[0] || seen[6] == 0 {
		t.Errorf("the graph of h holds %v, want %v", again[0], seen[6])
	}
}
