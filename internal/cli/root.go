// Package cli is the polydag command: one file a subcommand, no mathematics.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/knowledge"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1 // bad data, unreadable file, solver failure
	exitUsage       = 2 // unknown flag, bad value
	exitUnconverged = 3 // stopped before it converged; the best result so far is written
)

// app holds the streams of one invocation.
type app struct {
	ctx      context.Context // ends at Ctrl-C
	in       io.Reader
	out, err io.Writer
}

// usageError marks an error as the caller's: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// unconverged is a run that ended early with its best result written.
type unconverged struct{ why string }

func (e unconverged) Error() string { return e.why }

// Main runs one command line and returns the exit code. Ctrl-C and SIGTERM end the
// context, so that a run in progress writes what it has.
func Main(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal ends the run in order, the second one at once
	a := &app{ctx: ctx, in: in, out: out, err: errw}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(errw, "polydag:", trimPrefix(err))
	var early unconverged
	var usage usageError
	switch {
	case errors.As(err, &early):
		return exitUnconverged
	case errors.As(err, &usage), errors.Is(err, polydag.ErrConfig), errors.Is(err, knowledge.ErrKnowledge):
		return exitUsage
	}
	return exitFailure
}

// trimPrefix avoids "polydag: polydag: …".
func trimPrefix(err error) string {
	const p = "polydag: "
	s := err.Error()
	if len(s) > len(p) && s[:len(p)] == p {
		s = s[len(p):]
	}
	return s
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "polydag",
		Short: "Learn which variables of a table drive which",
		Long: `polydag learns a directed acyclic graph from a table of observations and certifies that it is one.

Exit codes: 0 success, 1 failure, 2 usage, 3 stopped before it converged (the best result so far is written).`,
		Example: `  polydag demo
  polydag learn data.csv --output result.json`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; see polydag --help", args[0])
			}
			return cmd.Help()
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(a.learnCommand(), a.simulateCommand(), a.evaluateCommand(), a.benchCommand(), a.demoCommand(),
		a.datasetCommand(), a.explainCommand(), a.reproduceCommand(), a.versionCommand())
	return root
}

// exactArgs refuses any other number of arguments as a usage error, naming what is wanted.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s, got %d arguments; see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
