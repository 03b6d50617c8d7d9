package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/report"
)

var plural = names.Count

// console writes the messages of a command to standard error: sentences and a progress line for a person. With
// --log-format json it writes one JSON object per line.
type console struct {
	w       *visible.Writer
	format  string // text or json
	quiet   bool   // print only errors
	verbose bool   // also print details
	log     *slog.Logger
}

// bind adds the flags for the amount of output.
func (c *console) bind(f *pflag.FlagSet) {
	f.BoolVarP(&c.quiet, "quiet", "q", false, "print only errors")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "print more details")
	f.StringVar(&c.format, "log-format", "text", "format of messages: text, or json (one object per line)")
}

// silent returns a console that prints nothing.
func silent() *console { return &console{w: visible.NewWriter(io.Discard), quiet: true} }

func (c *console) check() error {
	switch {
	case c.format != "text" && c.format != "json":
		return usagef("--log-format %q is unknown; choose text or json", c.format)
	case c.quiet && c.verbose:
		return usagef("--quiet and --verbose exclude each other")
	}
	if c.format == "json" {
		c.log = jsonLog(c.w)
	}
	return nil
}

func jsonLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// report prints why a command failed, in the format of its console. If the flags themselves are invalid, the
// command line and the environment determine the format.
func (a *app) report(cmd *cobra.Command, args []string, err error, code int) {
	if a.logsJSON(cmd, args) {
		jsonLog(a.err).Error(worded(err), append([]any{"exit", code}, particulars(err)...)...)
		return
	}
	lines := strings.Split(prefix+strings.ReplaceAll(worded(err), "\n", "\n"+strings.Repeat(" ", len(prefix))), "\n")
	for _, line := range lines {
		fmt.Fprintln(a.err, report.FoldLine(line, columns(a.err)))
	}
}

// prefix precedes an error, once even if the error has several lines.
const prefix = "polydag: "

// remark prints a message about the running command.
func (a *app) remark(args []string, message string) {
	if a.logsJSON(a.current(), args) {
		jsonLog(a.err).Warn(message)
		return
	}
	fmt.Fprintln(a.err, "polydag:", message)
}

// logsJSON reports whether the console writes JSON. The command line and the environment decide if it was not parsed.
func (a *app) logsJSON(cmd *cobra.Command, args []string) bool {
	flag := cmd.Root().PersistentFlags().Lookup("log-format")
	line := strings.Join(args, "=") + "="
	return a.screen.format == "json" ||
		(flag == nil || !flag.Changed) && (strings.Contains(line, "--log-format=json=") || slices.Contains(a.environ, envPrefix+"LOG_FORMAT=json"))
}

// print prints one message if its level is wanted. args are pairs of a key and a value, as in slog. In text mode
// only the message is printed, so it must be complete.
func (c *console) print(level slog.Level, message string, args ...any) {
	wanted := slog.LevelInfo
	switch {
	case c.quiet:
		wanted = slog.LevelError
	case c.verbose || c.log != nil:
		wanted = slog.LevelDebug
	}
	if level < wanted {
		return
	}
	if c.log != nil {
		c.log.Log(context.Background(), level, message, args...)
		return
	}
	word := map[slog.Level]string{slog.LevelWarn: "warning: ", slog.LevelInfo: "note: "}[level]
	fmt.Fprintln(c.w, report.FoldLine(word+visible.Name(message), columns(c.w)))
}

func (c *console) warn(message string, args ...any) { c.print(slog.LevelWarn, message, args...) }
func (c *console) note(message string, args ...any) { c.print(slog.LevelInfo, message, args...) }

// line prints what was done, without a prefix.
func (c *console) line(message string, args ...any) {
	if c.log != nil || c.quiet {
		c.print(slog.LevelInfo, message, args...)
		return
	}
	fmt.Fprintln(c.w, report.FoldLine(visible.Name(message), columns(c.w)))
}

// detail prints a message for --verbose and for JSON logs.
func (c *console) detail(message string, args ...any) { c.print(slog.LevelDebug, message, args...) }

func (c *console) bar() *progress {
	p := &progress{start: time.Now()}
	switch {
	case c.quiet:
	case c.log != nil:
		p.log = c.log
	case c.w.Terminal():
		p.w = c.w
	}
	return p
}
