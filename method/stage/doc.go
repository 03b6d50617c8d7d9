// Package stage is what a method runs in: it is told how far the work is, keeps what is done so that a
// run that was killed can go on, and notes the time of each stage. A method names its stages and
// makes each one with Do:
//
//	found, err := stage.Do(ctx, run, "order", func(at stage.Point) (*search.Result, bool, error) {
//		s.Pause, s.Resume = at.Pause, at.Resume
//		found, err := search.Search(ctx, problem, s, nil)
//		return found, err == nil && found.Status != search.Stopped, err
//	})
//
// Stages run one after the other, and each is a function of the data, the settings and the stages before it. So
// the answers of the stages that are done and the state of the one under way are all that a run
// needs to be taken up again.
//
// Experimental: the API of this package may change before 1.0.
package stage
