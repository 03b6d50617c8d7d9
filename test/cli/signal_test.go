//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// endless learning: more steps than anyone waits for.
var endlessRun = []string{"learn", "data.csv", "--method", "polydag", "--set", "stages=60", "--set", "stage-steps=10000000", "--threads", "1", "--output", "result.json"}

// The first signal ends a run in order: exit code 3, and the best result so far is there, whole.
func TestSignalWritesTheBestSoFar(t *testing.T) {
	defaultSignals(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "6")
			s := start(t, dir, nil, append(endlessRun, "--progress-file", "p.json", "--checkpoint", "state", "--report", "page.html", "--verbose")...)
			appears(t, filepath.Join(dir, "p.json"), s)
			s.Process.Signal(sig)
			if code := s.end(t); code != 3 {
				t.Fatalf("exit code %d, want 3: %s", code, s.stderr.String())
			}
			if want := "polydag: interrupted; the best result so far is written; run the same command with --resume to continue\n"; !strings.HasSuffix(s.stderr.String(), want) {
				t.Errorf("it says %q, want %q", s.stderr.String(), want)
			}
			var res struct {
				Status, Cause string
				Certificate   struct{ Holds bool }
			}
			b, err := os.ReadFile(filepath.Join(dir, "result.json"))
			if err == nil {
				err = json.Unmarshal(b, &res)
			}
			if err != nil || res.Status != "canceled" || !res.Certificate.Holds {
				t.Errorf("the result is %+v: %v", res, err)
			}
			if out, err := program(dir, "convert", "result.json", "graph.dot").CombinedOutput(); err != nil {
				t.Errorf("the result cannot be read: %v: %s", err, out)
			}
			if _, err := os.Stat(filepath.Join(dir, "page.html")); err != nil {
				t.Errorf("no page: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "p.json")); err == nil {
				t.Error("the progress of a run that is over is still there")
			}
			// A signal may come before the first edge.
			if out := s.stdout.String(); !strings.Contains(out, "Stopped early (canceled): ") || !strings.Contains(out, "found so far.") || !strings.Contains(out, "acyclicity certificate ") {
				t.Errorf("standard output has %q", s.stdout.String())
			}
		})
	}
}

// A signal while the table is being read ends the command soon, with exit code 1 since nothing is written, and leaves nothing.
func TestSignalWhileReading(t *testing.T) {
	for _, kind := range []string{"standard input", "a pipe with a name", "a pipe that nobody writes to"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r, w, err := os.Pipe()
			must.Succeed(t, err)
			defer r.Close()
			defer w.Close()
			args := []string{"learn", "-", "--output", "result.json", "--checkpoint", "state"}
			if kind != "standard input" {
				args[1] = filepath.Join(dir, "pipe")
				if err := syscall.Mkfifo(args[1], 0o600); err != nil {
					t.Skip("no named pipes here: ", err)
				}
			}
			s := start(t, dir, r, args...)
			switch kind {
			case "standard input":
				io.WriteString(w, "a,b\n1,2\n")
			case "a pipe with a name":
				named, err := os.OpenFile(args[1], os.O_WRONLY, 0) // waits for the reader
				must.Succeed(t, err)
				defer named.Close()
				io.WriteString(named, "a,b\n1,2\n")
			}
			appears(t, filepath.Join(dir, "state", "lock"), s) // the last thing before the read
			s.Process.Signal(syscall.SIGTERM)
			code := s.end(t)
			if code != 1 || !strings.Contains(s.stderr.String(), "was being read; nothing was written") {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
			left, err := os.ReadDir(dir)
			for _, e := range left {
				if e.Name() != "pipe" && e.Name() != "state" {
					t.Errorf("left behind: %s", e.Name())
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A reader that goes away in the middle ends the command by SIGPIPE, without a word and without a file.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "15")
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	c := program(dir, "learn", "data.csv", "--method", "order", "--quiet", "--output", "-")
	var errs bytes.Buffer
	c.Stdout, c.Stderr = w, &errs
	must.Succeed(t, c.Start())
	w.Close()
	r.Close()
	err = c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE || errs.Len() > 0 {
		t.Errorf("%v: %s", err, errs.String())
	}
}

// The time of --deadline ends a run as a signal does, and a read without a result.
func TestDeadline(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "15")
	for deadline := 500 * time.Millisecond; ; deadline *= 2 {
		s := start(t, dir, nil, append(endlessRun, "--deadline", deadline.String(), "--quiet")...)
		code := s.end(t)
		if code == 1 && strings.Contains(s.stderr.String(), "was being read") && deadline < patience {
			continue // the machine is so slow that the read took all the time
		}
		if code != 3 || s.stderr.String() != "polydag: deadline reached (--deadline); the best result so far is written\n" {
			t.Fatalf("exit code %d: %s", code, s.stderr.String())
		}
		break
	}
	if out, err := program(dir, "convert", "result.json", "graph.dot").CombinedOutput(); err != nil {
		t.Errorf("the result cannot be read: %v: %s", err, out)
	}

	r, w, err := os.Pipe()
	must.Succeed(t, err)
	defer r.Close()
	defer w.Close()
	s := start(t, dir, r, "learn", "-", "--deadline", "200ms", "--output", "no.json")
	if code := s.end(t); code != 1 || !strings.Contains(s.stderr.String(), "deadline reached (--deadline) while standard input was being read; nothing was written") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "no.json")); err == nil {
		t.Error("a result without data")
	}
}
