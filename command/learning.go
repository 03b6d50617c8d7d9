package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/solve"
)

// A learning is a run of polydag learn or polydag confidence: its flags, and what follows from them.
type learning struct {
	app      *app
	out      *outputs
	in       *reading
	sampling *resampling
	wings    *parts
	survival *survival

	cfg        polydag.Config
	confidence analysis.Confidence
	state      *runState // nil without --checkpoint
}

// read reads the table and adds the settings of the run.
func (l *learning) read(ctx context.Context, args []string) (*gathered, error) {
	data, err := l.in.gather(ctx, args)
	if err == nil {
		data.how.Config, data.how.Confidence = l.cfg, l.confidence
	}
	return data, err
}

// checkWings sets the settings of the run for the wings and reports the faults that they find.
func (l *learning) checkWings(ctx context.Context, args []string) error {
	t := &l.wings.task
	t.Config, t.Sampled, t.Samples = l.cfg, l.sampling.on(), l.confidence.Samples
	return l.wings.check(ctx, l.in, args)
}

// learn learns with progress and checkpoints. An error comes with a result if a solver failed.
func (l *learning) learn(ctx context.Context, data *gathered) (*polydag.Result, error) {
	screen := data.screen
	bar := screen.bar()
	live := newLive(l.app, l.out.progress, data.name, data.how.Config)
	var start time.Time
	res, err := l.wings.learn(ctx, data, func(ctx context.Context) (*polydag.Result, error) {
		run := polydag.Run{Observe: func(p polydag.Progress) { bar.observe(p); live.observe(ctx, p); l.app.at(ctx, "progress") }, Every: l.survival.every}
		l.state.attach(&run, bar, screen)
		start = time.Now()
		l.app.saving.Store(true)
		res, err := data.how.Learn(ctx, data.Table, run)
		bar.clear()
		live.end()
		return res, err
	})
	if res == nil {
		return nil, l.state.fault(err)
	}
	took := time.Since(start).Seconds()
	screen.detail(fmt.Sprintf("%s: %s in %.2f s", res.Status, plural(len(res.Edges), "edge"), took), "status", res.Status, "edges", len(res.Edges), "score", res.Score, "seconds", took)
	return res, err
}

// deliver writes the outputs and removes the checkpoint of a finished run. failed is the error that came with the result.
func (l *learning) deliver(ctx context.Context, data *gathered, res *polydag.Result, failed error) error {
	undrawn, err := l.out.deliver(ctx, l.app, res, data.Table, l.cfg.Threads, data.screen)
	switch {
	case err != nil && l.state.kept():
		return fmt.Errorf("%w\nthe checkpoint is kept: run the same command with --resume and another output file to continue", err)
	case err != nil:
		return err
	case failed != nil:
		return failed
	}
	return errors.Join(l.state.finish(res), finished(ctx, res, l.state, undrawn, l.out.written(data.screen)))
}

// longer says in brackets how to let a method run on.
func longer(res *polydag.Result) string {
	switch {
	case res.Settings.Get("schedule") != nil:
		return " (raise the setting steps, or use --set schedule=released)"
	case res.Settings.Get("max_steps") != nil:
		return " (raise the setting max-steps)"
	case res.Settings.Get("steps") != nil:
		return " (raise the setting steps)"
	}
	return ""
}

// finished returns the error that sets the exit code for a status. undrawn are the pictures that an interrupted
// run did not draw. written reports whether the result was written.
func finished(ctx context.Context, res *polydag.Result, state *runState, undrawn []string, written bool) error {
	rest := ""
	best, soFar := "the best result so far is written", "the result so far is written"
	if !written {
		best = "no result was written, since --quiet was given without --output"
		soFar = best
	}
	if len(undrawn) > 0 {
		rest = fmt.Sprintf(", without %s, which takes long to draw (polydag report and polydag draw create it from the result)", strings.Join(undrawn, ", "))
	}
	if state.kept() {
		rest += "; run the same command with --resume to continue"
	}
	switch res.Status {
	case solve.StepLimit:
		why := "stopped before it converged"
		if c := res.Continuous; c != nil {
			why = fmt.Sprintf("stopped after %d steps with h = %.3g, before it converged", c.Steps, c.H)
		}
		return unconverged{why + "; " + soFar + longer(res)}
	case solve.Canceled:
		if errors.Is(context.Cause(ctx), errDeadline) {
			return unconverged{"deadline reached (--deadline); " + best + rest}
		}
		return unconverged{"interrupted; " + best + rest}
	}
	return nil
}
