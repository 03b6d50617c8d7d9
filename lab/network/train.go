package network

import (
	"context"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// A Trainer makes steps and knows when it has converged. Its state can be saved between two steps.
type Trainer interface {
	// Advance makes one step and reports whether the training has converged.
	Advance() (over bool)
	// Progress describes the last step; Step is the number of steps made.
	Progress() stage.Progress
	Encode() []byte
	Decode([]byte) error
}

// Train makes steps in a stage until the training has converged, the given number is reached, or the context ends.
func Train(ctx context.Context, run *stage.Run, at stage.Point, name string, steps int, t Trainer) (method.Status, error) {
	if at.Resume != nil {
		if err := t.Decode(at.Resume); err != nil {
			return method.Canceled, err
		}
	}
	for t.Progress().Step < steps {
		if at.Pause != nil {
			at.Pause(t.Encode)
		}
		if ctx.Err() != nil {
			return method.Canceled, nil
		}
		over := t.Advance()
		p := t.Progress()
		p.Stage, p.Kind, p.Steps = name, stage.Solve, steps
		run.Tell(p)
		if over {
			return method.Converged, nil
		}
	}
	return method.StepLimit, nil
}
