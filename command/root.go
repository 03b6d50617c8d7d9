package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/knowledge"
)

// These are the exit codes.
const (
	exitOK          = 0
	exitFailure     = 1 // bad data, unreadable file, solver failure, interrupted with nothing to write
	exitUsage       = 2 // unknown flag, bad value
	exitUnconverged = 3 // stopped before convergence; the best result so far is written
	exitRefuted     = 4 // polydag test: the table refutes the graph
)

// app holds the streams of one invocation and the state for signal handling.
type app struct {
	in       io.Reader
	out, err *visible.Writer
	methods  polydag.MethodList
	wings    []Wing
	other    func(*App) *cobra.Command   // makes the command of another program than polydag, or nil
	environ  []string                    // in the format of os.Environ
	sources  map[*cobra.Command]*sources // for the commands with --config

	typed   []string // the arguments of the command line
	screen  *console
	left    leftovers
	saving  atomic.Bool                   // there is a best result so far that must be written
	kept    atomic.Pointer[string]        // message for an interrupted command whose work so far is on disk
	command atomic.Pointer[cobra.Command] // the running command

	account  *memory.Account
	exceeded chan int64 // the size of a heap that is too large; nil in tests
	// repeatTime is the time during which further signals count as repetitions of the first. Tests set it.
	repeatTime time.Duration
	// reached is called at certain places of a command. Tests set it to interrupt a command there.
	reached func(ctx context.Context, place string)
}

func newApp(methods polydag.MethodList, in io.Reader, out, errw io.Writer, wings ...Wing) *app {
	w := visible.NewWriter(errw)
	return &app{methods: methods, wings: wings, in: in, out: visible.NewWriter(out), err: w, screen: &console{w: w}, environ: os.Environ(), repeatTime: repeatTime, account: memory.New(0)}
}

// at reports a place to the test hook.
func (a *app) at(ctx context.Context, place string) {
	if a.reached != nil {
		a.reached(ctx, place)
	}
}

// current returns the running command, or an empty one before any runs.
func (a *app) current() *cobra.Command {
	if c := a.command.Load(); c != nil {
		return c
	}
	return &cobra.Command{}
}

// usageError marks an error of the user: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// unconverged is the error of a run that ended early with its best result written.
type unconverged struct{ why string }

func (e unconverged) Error() string { return e.why }

// reserve returns memory that is never touched, so it costs addresses only. It counts in the heap, and a heap of at least 128 MB is
// collected less often: learning again from 200 samples of a small table takes a fifth less processor time. A process with a limit of
// addresses has none.
func reserve() []byte {
	if _, limited := memory.Addresses(); limited {
		return nil
	}
	return make([]byte, 64<<20)
}

// Run runs one command line of a program with these methods and wings, and returns the exit code. Ctrl-C, SIGTERM and SIGHUP end it; a run in progress
// writes its best result so far.
func Run(ctx context.Context, methods polydag.MethodList, args []string, in io.Reader, out, errw io.Writer, wings ...Wing) int {
	if err := methods.Validate(); err != nil {
		fmt.Fprintln(errw, prefix+err.Error())
		return exitFailure
	}
	unused := reserve()
	defer runtime.KeepAlive(unused)
	a := newApp(methods, in, out, errw, wings...)
	a.exceeded = make(chan int64, 1)
	return a.main(ctx, args)
}

// run runs one command line in a context.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	a.typed = args
	cmd, err := root, unknownCommand(root, args)
	plain := args
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		hideSettings(root)
	} else if err == nil {
		plain, err = settled(root, args)
	}
	if err == nil {
		root.SetArgs(plain)
		cmd, err = root.ExecuteContextC(ctx)
		err = a.explained(ctx, err)
	}
	code := exitCode(err)
	if code != exitOK {
		a.report(cmd, args, err, code)
	}
	return code
}

// UsageCodes are the codes of library errors that the command line causes, whatever the values of the table are: exit code 2.
var UsageCodes = []string{"edge-budget", "budget-environments", "variance-targets", "environments-unused", "ask-address", "unknown-column", "na-column", "twice", "effect-question", "time-column", "no-such-row"}

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	var early unconverged
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &early):
		return exitUnconverged
	case errors.Is(err, refutation{}):
		return exitRefuted
	case errors.As(err, &usage), errors.Is(err, polydag.ErrConfig), errors.Is(err, knowledge.ErrKnowledge), slices.Contains(UsageCodes, fault.Code(err)):
		return exitUsage
	}
	return exitFailure
}

// unknownCommand refuses a first word that is not a command, even if --help follows. Otherwise cobra would
// print the help of another command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "__") {
		return nil
	}
	if cmd, _, err := root.Find(args); err == nil && cmd != root || args[0] == "help" || args[0] == "completion" {
		return nil
	}
	if at, err := os.Stat(args[0]); err == nil && !at.IsDir() {
		return usagef("%s is a file and no command; to learn from it: polydag learn %s", args[0], shellWord(args[0]))
	}
	var all []string
	for _, c := range root.Commands() {
		all = append(all, c.Name())
	}
	return usagef("unknown command %q%s", args[0], didYouMean(args[0], all))
}

func (a *app) root() *cobra.Command {
	if a.other != nil {
		return a.programRoot()
	}
	root := &cobra.Command{
		Use:   "polydag",
		Short: "Learn causal graphs from tables",
		Long: `polydag learns causal graphs from tables of data. Every directed acyclic graph that it returns has
an acyclicity certificate.

Exit codes:
  0  success
  1  failure: unusable data, unreadable file, or interrupted before there was a result
  2  usage error: unknown flag or bad value
  3  stopped before convergence; polydag writes the best result so far
  4  polydag test: the table refutes the graph

Ctrl-C, SIGTERM and SIGHUP stop a command. The exit code is 3 if there is a result to write and 1
otherwise. A second signal at least half a second later stops the command at once, with code 1.`,
		Example: `  polydag demo
  polydag learn data.csv --output result.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	a.equip(root)
	root.AddCommand(a.learnCommand(), a.confidenceCommand(), a.methodsCommand(), a.checkCommand(), a.momentsCommand(), a.countsCommand(), a.demoCommand(), a.convertCommand(pictureFormats()...), a.drawCommand(), a.reportCommand(),
		a.explainCommand(), a.questionsCommand(), a.testCommand(), a.whyCommand(), a.effectCommand(), a.driversCommand(), a.imputeCommand(), a.evaluateCommand(), a.describeCommand(), a.licensesCommand(), a.versionCommand())
	root.AddCommand(a.machineCommands()...)
	for _, w := range a.wings {
		if w.Commands != nil {
			root.AddCommand(w.Commands(&App{a, a.screen})...)
		}
	}
	addCompletion(root)
	completeFlags(root, choices(a.methods.All()))
	groupHelp(root)
	return root
}

// equip adds what the root command of every program has.
func (a *app) equip(root *cobra.Command) {
	root.Version, root.SilenceUsage, root.SilenceErrors = version(), true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.command.Store(cmd)
		a.at(cmd.Context(), "start")
		if cmd.Context().Err() != nil {
			return context.Cause(cmd.Context())
		}
		from, ok := a.sources[cmd]
		if !ok {
			from = &sources{from: map[string]string{}}
		}
		if err := from.apply(cmd, a.environ, a.everySetting); err != nil {
			return err
		}
		return errors.Join(a.screen.check(), a.limitMemory(cmd), countable(cmd.Flags()))
	}
	a.screen.bind(root.PersistentFlags())
	root.PersistentFlags().Var(new(bytesFlag), maxMemory, "memory limit, such as 2G; work that needs more is refused (default: the free memory)")
	addSet(root)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s; see %s --help", flagError(err), nearestFlag(cmd, err), cmd.CommandPath())
	})
}

// ordered returns the flags of a command, which its help lists in the order of their definition.
func ordered(cmd *cobra.Command) *pflag.FlagSet {
	cmd.Flags().SortFlags = false
	return cmd.Flags()
}

// addCompletion adds examples to cobra's completion commands.
func addCompletion(root *cobra.Command) {
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Example = "  polydag completion bash > polydag.bash"
		for _, shell := range c.Commands() {
			shell.Example = fmt.Sprintf("  polydag completion %s > polydag.%s", shell.Name(), shell.Name())
		}
	}
}

// wanted describes the valid values of flag types whose own errors use Go terms.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number", "float64Slice": "numbers with commas between them", "bool": "true or false",
	"duration": "a time such as 90s, 10m or 2h",
}

// flagError describes an invalid flag value in plain words.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name := invalid.GetFlag().Name
	why := invalid.Unwrap().Error()
	if want, ok := wanted[invalid.GetFlag().Value.Type()]; ok && (strings.HasPrefix(why, "strconv.") || strings.HasPrefix(why, "time: ")) {
		return fmt.Errorf("%s%q: want %s", valued(name), invalid.GetValue(), want)
	}
	return fmt.Errorf("%s: %w", spelled(name), invalid.Unwrap())
}

// exactArgs refuses any other number of arguments as a usage error that names the expected ones.
func exactArgs(n int, what string) cobra.PositionalArgs { return argsBetween(n, n, what) }

// argsBetween refuses fewer or more arguments as a usage error that names the expected ones.
func argsBetween(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("%s takes %s, got %d arguments; see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
