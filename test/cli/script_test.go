package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/rogpeppe/go-internal/testscript"

	cluster "github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
)

// holdEnv names the place where a polydag that tests start is held up: "write", or "progress ***" for the third time that it gets there, with
// " stuck" where it stays there. Only the polydag of the tests reads it.
const holdEnv = "TEST_HOLD_POLYDAG"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"polydag-hub": func() {
			os.Exit(cluster.Hub(context.Background(), server.Serve, lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
		},
		"polydag": func() {
			if place, held := os.LookupEnv(holdEnv); held {
				place, stuck := strings.CutSuffix(place, " stuck")
				n := 1
				if name, times, ok := strings.Cut(place, " "); ok {
					place, n = name, len(times)
				}
				os.Exit(command.MainHeld(context.Background(), lab.All, place, n, stuck, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
			}
			os.Exit(command.Run(context.Background(), lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
		},
	})
}

// Every script runs the real command in an empty folder and checks output, exit code and files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":        exitCode,
			"untimed":     untimed,
			"valuejson":   valueJSON,
			"tables":      tables,
			"learns":      learns,
			"checks":      checks,
			"jsonlog":     jsonLog,
			"methodsjson": methodsJSON,
			"replace":     replace,
		},
		Condition:           exists,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// exists reports [exists:PATH].
func exists(cond string) (bool, error) {
	path, ok := strings.CutPrefix(cond, "exists:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	_, err := os.Stat(path)
	return err == nil, nil
}

// exit CODE command…: runs the command and checks its exit code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE command …")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if e, ok := err.(interface{ ExitCode() int }); ok {
		code = itoa(e.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
	for _, word := range []string{"panic:", "goroutine ", "<nil>", "%!"} {
		if strings.Contains(ts.ReadFile("stderr"), word) {
			ts.Fatalf("standard error has %q", word)
		}
	}
}

// jsonlog: every line of standard error is a JSON object with a time, a level and a message, and there is at least one.
func jsonLog(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile("stderr")
	if text == "" {
		ts.Fatalf("standard error is empty")
	}
	for line := range strings.Lines(text) {
		var v struct {
			Time  time.Time
			Level slog.Level
			Msg   string
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.Time.IsZero() || v.Msg == "" {
			ts.Fatalf("not a line of a log: %s: %v", line, err)
		}
	}
}

// replace OLD NEW FILE: replaces a text in a file.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(ts.ReadFile(args[2]), args[0], args[1])), 0o644))
}

// methodsjson FILE: the file lists every method with all that a program needs to offer it.
func methodsJSON(ts *testscript.TestScript, neg bool, args []string) {
	var list []struct {
		Name, Title, About, Reference, Needs, Gives string
		Settings                                    []struct {
			Name, Help, Type, Want string
			Default                any
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	if len(list) != len(lab.All()) {
		ts.Fatalf("%d methods, want %d", len(list), len(lab.All()))
	}
	for i, m := range lab.All() {
		got, info := list[i], m.Info()
		if got.Name != info.Name || got.Title != info.Title || got.About != info.About || got.Reference != info.Reference || got.Gives != string(info.Gives) || got.Needs == "" {
			ts.Fatalf("method %d is %+v", i, got)
		}
		items := param.Of(m).Items()
		if len(got.Settings) != len(items) {
			ts.Fatalf("%s has %d settings, want %d", got.Name, len(got.Settings), len(items))
		}
		for k, it := range items {
			if s := got.Settings[k]; s.Name != it.Name || s.Help != it.Help || s.Default == nil || s.Type == "" || s.Want == "" {
				ts.Fatalf("%s: setting %+v", got.Name, s)
			}
		}
	}
}

func itoa(i int) string {
	b, _ := json.Marshal(i)
	return string(b)
}

// untimed IN OUT [unnamed or unjudged]: copies a result without its timing, and without which file it was, or that and what is
// said of the model's assumptions.
func untimed(ts *testscript.TestScript, neg bool, args []string) {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	if _, ok := v["timing"]; !ok {
		ts.Fatalf("%s has no timing", args[0])
	}
	delete(v, "timing")
	if table, ok := v["table"].(map[string]any); ok {
		delete(table, "reading") // the flags that were given
	}
	if len(args) > 2 && args[2] == "unjudged" {
		unjudged(v)
	}
	if len(args) > 2 {
		unnamed(v)
	}
	b, err := json.MarshalIndent(v, "", " ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o644))
}

// valuejson FILE key…: the file is JSON and has these keys at its top (a.b goes deeper).
func valueJSON(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	for _, path := range args[1:] {
		at := v
		for _, key := range splitDots(path) {
			m, ok := at.(map[string]any)
			if ok {
				at, ok = m[key]
			}
			if !ok {
				ts.Fatalf("%s lacks %s", args[0], path)
			}
		}
	}
}

func splitDots(s string) []string {
	var out []string
	start := 0
	for i := range len(s) {
		if s[i] == '.' {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
