// Package steps makes a sequence of steps as one stage of a run that can be resumed.
package steps

import (
	"context"

	"github.com/polydag/polydag/method/stage"
)

// A State is a sequence of steps that can be saved between two of them.
type State interface {
	// Done returns the number of steps made.
	Done() int
	// Advance makes one step. It makes none if the context ends.
	Advance(ctx context.Context) error
	// Values returns the score and the constraint of the last step, for the progress.
	Values() (score, h float64)
	Encode() []byte
	Decode([]byte) error
}

// Make makes the given number of steps, or fewer if the context ends, as one stage that can be resumed.
func Make(ctx context.Context, run *stage.Run, name string, steps int, s State) error {
	state, err := stage.Do(ctx, run, name, func(at stage.Point) ([]byte, bool, error) {
		if at.Resume != nil {
			if err := s.Decode(at.Resume); err != nil {
				return nil, false, err
			}
		}
		for s.Done() < steps && ctx.Err() == nil {
			if at.Pause != nil {
				at.Pause(s.Encode)
			}
			score, h := s.Values()
			run.Tell(stage.Progress{Stage: name, Kind: stage.Solve, Step: s.Done(), Steps: steps, Score: score, H: h})
			if err := s.Advance(ctx); err != nil {
				return nil, false, err
			}
		}
		if at.Pause != nil {
			at.Pause(s.Encode)
		}
		return s.Encode(), s.Done() == steps, nil
	})
	if err != nil {
		return err
	}
	return s.Decode(state)
}
