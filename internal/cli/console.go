package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/pflag"
)

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
	f.BoolVarP(&c.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "say what is being done, to standard error")
	f.StringVar(&c.format, "log-format", "text", "how to say it: text, or json for one JSON object a line")
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
		c.log = slog.New(slog.NewJSONHandler(c.w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return nil
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
	fmt.Fprintln(c.w, word+message)
}

func (c *console) warn(message string, args ...any) { c.say(slog.LevelWarn, message, args...) }
func (c *console) note(message string, args ...any) { c.say(slog.LevelInfo, message, args...) }

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
