package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/report"
)

var plural = names.Count

// console is what a command says beside its result, on standard error: sentences and a progress line for a person, or
// with --log-format json one JSON object a line for a program.
type console struct {
	w       io.Writer
	format  string // text or json
	quiet   bool   // errors only
	verbose bool   // what is done, too
	log     *slog.Logger
}

// newConsole adds the flags that set how much is said.
func newConsole(f *pflag.FlagSet, w io.Writer) *console {
	c := &console{w: w}
	f.BoolVarP(&c.quiet, "quiet", "q", false, "print only errors")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "print more details")
	f.StringVar(&c.format, "log-format", "text", "format of messages: text, or json (one object per line)")
	return c
}

// check refuses what the flags cannot mean, and gets ready.
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

// report says why a command failed, in the form that its console has. The fault may lie in the flags, so that they are not all
// set: then the words of the command line and the environment count.
func (a *app) report(cmd *cobra.Command, args []string, err error, code int) {
	if a.logsJSON(cmd, args) {
		jsonLog(a.err).Error(worded(err), append([]any{"exit", code}, particulars(err)...)...)
		return
	}
	lines := strings.Split(prefix+strings.ReplaceAll(harmless(worded(err)), "\n", "\n"+strings.Repeat(" ", len(prefix))), "\n")
	for _, line := range lines {
		fmt.Fprintln(a.err, report.FoldLine(line, columns(a.err)))
	}
}

// prefix stands before an error, once: the lines of an error that has several stand under each other.
const prefix = "polydag: "

// remark says something of the running command from outside of it.
func (a *app) remark(args []string, message string) {
	if a.logsJSON(a.current(), args) {
		jsonLog(a.err).Warn(message)
		return
	}
	fmt.Fprintln(a.err, "polydag:", message)
}

// logsJSON reports whether the console of a command has one JSON object a line. A command that says nothing but its errors has no
// such flag and goes by the environment.
func (a *app) logsJSON(cmd *cobra.Command, args []string) bool {
	flag := cmd.Flags().Lookup("log-format")
	if flag == nil {
		return slices.Contains(a.environ, envPrefix+"LOG_FORMAT=json")
	}
	line := strings.Join(args, "=") + "="
	return flag.Value.String() == "json" ||
		!flag.Changed && (strings.Contains(line, "--log-format=json=") || slices.Contains(a.environ, envPrefix+"LOG_FORMAT=json"))
}

// harmless takes out what could steer a terminal: messages have names and cells of files in them.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// say passes on one message if it is wanted. args are pairs of a key and a value, as in slog; people read the message
// alone, which therefore says it all.
func (c *console) say(level slog.Level, message string, args ...any) {
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
	fmt.Fprintln(c.w, report.FoldLine(word+harmless(message), columns(c.w)))
}

func (c *console) warn(message string, args ...any) { c.say(slog.LevelWarn, message, args...) }
func (c *console) note(message string, args ...any) { c.say(slog.LevelInfo, message, args...) }

// line says what was done, for a person without a word before it.
func (c *console) line(message string, args ...any) {
	if c.log != nil || c.quiet {
		c.say(slog.LevelInfo, message, args...)
		return
	}
	fmt.Fprintln(c.w, report.FoldLine(harmless(message), columns(c.w)))
}

// detail is for --verbose and for programs.
func (c *console) detail(message string, args ...any) { c.say(slog.LevelDebug, message, args...) }

// bar starts a progress line.
func (c *console) bar() *progress {
	p := &progress{start: time.Now()}
	switch {
	case c.quiet:
	case c.log != nil:
		p.log = c.log
	case terminal(c.w):
		p.w = c.w
	}
	return p
}

// terminal reports whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
