// Package stage runs the stages of a method: it reports progress, saves checkpoints so that an interrupted run can be resumed, and
// records the time of each stage. A method names its stages and runs each one with Do:
//
//	found, err := stage.Do(ctx, run, "order", func(at stage.Point) (*search.Result, bool, error) {
//		s.Pause, s.Resume = at.Pause, at.Resume
//		found, err := search.Search(ctx, problem, s, nil)
//		return found, err == nil && found.Status != search.Stopped, err
//	})
//
// Stages run one after the other, and each is a function of the data, the settings and the stages before it. So the results of the
// finished stages and the state of the present one are enough to resume a run.
//
// Experimental: the API of this package may change before 1.0.
package stage
