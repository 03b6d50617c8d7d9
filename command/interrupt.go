package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// errInterrupted is the cause of a context that was ended by a signal.
var errInterrupted = errors.New("interrupted")

// grace is the time that a command has to end after the first signal. Then a command with nothing to save is
// abandoned, because it may be in a blocking system call or in a long computation.
const grace = 250 * time.Millisecond

// main runs one command line until it ends or a signal ends it.
func (a *app) main(ctx context.Context, args []string) int {
	signals := make(chan os.Signal, 2)
	defer notify(signals)()
	return a.until(ctx, args, signals)
}

// until runs one command line. The first signal ends its context, and the command ends at once or after it
// wrote its best result so far. A second signal within repeatTime is ignored as a repetition. A later one ends
// the command immediately. No signal leaves a temporary file.
func (a *app) until(ctx context.Context, args []string, signals <-chan os.Signal) int {
	watch, unwatch := context.WithCancel(ctx)
	defer unwatch()
	orphan := orphaned(watch, a.environ)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- a.run(ctx, args) }()
	select {
	case code := <-done:
		return code
	case <-orphan:
		return a.abandon(args, "the process that started this command has ended")
	case used := <-a.exceeded:
		return a.fail(args, a.account.Exceeded(used))
	case <-signals:
	}
	first := time.Now()
	cancel(errInterrupted)
	patience, repeats := time.After(grace), a.repeatTime > 0
	for {
		select {
		case code := <-done:
			return code
		case <-signals:
			if !repeats {
				return a.abandon(args, "interrupted twice")
			}
		case <-orphan:
			return a.abandon(args, "the process that started this command has ended")
		case used := <-a.exceeded:
			return a.fail(args, a.account.Exceeded(used))
		case <-patience:
			if !a.saving.Load() {
				return a.abandon(args, "interrupted")
			}
			if left := a.repeatTime - time.Since(first); left > 0 {
				patience = time.After(left)
				continue
			}
			repeats = false
			a.remark(args, "interrupted; the best result so far is being written; a second signal ends the command without it")
		}
	}
}

// abandon stops waiting for the command, removes its unfinished files and prints a message.
func (a *app) abandon(args []string, how string) int {
	a.left.discard()
	return a.fail(args, a.interruption(how))
}

// fail removes the unfinished files of a command that still runs, and prints the error that ends it.
func (a *app) fail(args []string, err error) int {
	a.left.discard()
	code := exitCode(err)
	a.report(a.current(), args, err, code)
	return code
}

// interruption is the error of a command that a signal ended without a result.
type interruption struct{ text string }

func (e interruption) Error() string { return e.text }
func (e interruption) Unwrap() error { return errInterrupted }

// interruption returns the error of an interrupted command, with what it wrote before the signal. Records of a
// study are saved one by one, so an interrupted study counts as stopped early.
func (a *app) interruption(how string) error {
	if kept := a.kept.Load(); kept != nil {
		return unconverged{how + "; " + *kept}
	}
	files, partial := a.left.outcome()
	what := "nothing was written"
	switch {
	case len(files) > 0 && partial:
		what = fmt.Sprintf("%s written before, standard output not whole", strings.Join(files, ", "))
	case len(files) > 0:
		what = fmt.Sprintf("only %s written before", strings.Join(files, ", "))
	case partial:
		what = "what went to standard output is not whole"
	}
	return interruption{how + "; " + what}
}

// explained replaces the errors that packages return after their context has ended by one message for the user.
func (a *app) explained(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errInterrupted) || errors.As(err, new(unconverged)) || errors.As(err, new(interruption)) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted) {
		return a.interruption("interrupted")
	}
	return err
}
