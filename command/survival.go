package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/solve"
)

// survival are the flags for checkpoints and deadlines.
type survival struct {
	dir      string
	every    time.Duration
	resume   bool
	deadline time.Duration
}

var errDeadline = errors.New("deadline reached (--deadline)")

func newSurvival(f *pflag.FlagSet) *survival {
	s := &survival{}
	f.StringVar(&s.dir, "checkpoint", "", "directory for checkpoints, saved regularly and when the run stops")
	f.DurationVar(&s.every, "checkpoint-every", polydag.SaveEvery, "minimum time between two checkpoints")
	f.BoolVar(&s.resume, "resume", false, "resume from the checkpoint; the result is the same as without the interruption")
	f.DurationVar(&s.deadline, "deadline", 0, "stop after this time, such as 10m, with the best result so far and exit code 3 (default: no limit)")
	return s
}

func (s *survival) check() error {
	switch {
	case s.resume && s.dir == "":
		return usagef("--resume needs --checkpoint DIR, the folder with the checkpoint")
	case s.every < 0:
		return usagef("--set checkpoint-every=%v: want a time such as 5s, or 0 to save whenever possible", s.every)
	case s.deadline < 0:
		return usagef("--deadline %v: want a time such as 90s or 10m", s.deadline)
	}
	return nil
}

// limit sets the deadline, counted from now and including the time to read the table.
func (s *survival) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.deadline == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.deadline, errDeadline)
}

// runState is the open checkpoint folder, or nil.
type runState struct {
	dir  *checkpoint.Dir
	done bool

	finished func()
}

// open locks the folder. With --resume it uses an existing state; without it, an existing state is an error.
func (s *survival) open(a *app) (*runState, error) {
	if s.dir == "" {
		return nil, nil
	}
	dir, err := checkpoint.Open(s.dir)
	if err != nil {
		return nil, cannotKeep(s.dir, err)
	}
	state, err := dir.Load()
	switch {
	case err != nil:
	case state != nil && !s.resume:
		err = fmt.Errorf("%s already contains a checkpoint; continue with --resume, choose another folder, or delete it", s.dir)
	case state == nil && s.resume:
		a.screen.note(fmt.Sprintf("no checkpoint in %s: the run starts from the beginning", s.dir))
	case state != nil:
		a.screen.note("resuming from the checkpoint in " + s.dir)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &runState{dir: dir, finished: a.left.add(dir.Discard)}, nil
}

// cannotKeep describes a problem with the folder and its remedy, if err is about the folder.
func cannotKeep(dir string, err error) error {
	var place *fs.PathError
	if !errors.As(err, &place) {
		return err
	}
	return fmt.Errorf("cannot save the checkpoint in %s: %w; %s", dir, place.Err, remedyOf(err, "check the folder of --checkpoint and its permissions"))
}

// attach makes the run save its state. A repeated error is reported once.
func (r *runState) attach(run *polydag.Run, bar *progress, screen *console) {
	if r == nil {
		return
	}
	run.Store = r.dir
	said := ""
	run.SaveFailed = func(err error) {
		if text := cannotKeep(r.dir.Path(), err).Error(); text != said {
			said = text
			bar.clear()
			screen.warn(text + "; the run continues and tries again")
		}
	}
}

// fault adds the folder to an error about the checkpoint.
func (r *runState) fault(err error) error {
	if r == nil || !errors.Is(err, polydag.ErrCheckpoint) {
		return err
	}
	return cannotKeep(r.dir.Path(), err)
}

// kept reports whether there is a state to resume.
func (r *runState) kept() bool { return r != nil && !r.done }

// finish removes the state of a finished run, whose result is written.
func (r *runState) finish(res *polydag.Result) error {
	if r == nil || res.Status == solve.Canceled {
		return nil
	}
	r.done = true
	return r.dir.Clear()
}

func (r *runState) close() {
	if r != nil {
		r.finished()
		r.dir.Close()
	}
}
