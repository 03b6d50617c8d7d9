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
)

// patience is how long a test waits for something that should come at once. It is long because the machine may be busy.
const patience = 2 * time.Minute

// A started polydag and what it says.
type started struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	done           chan struct{}
}

// start runs polydag in a folder. TestMain put the command on the path.
func start(t *testing.T, dir string, stdin io.Reader, args ...string) *started {
	t.Helper()
	s := &started{Cmd: exec.Command("polydag", args...), done: make(chan struct{})}
	s.Dir, s.Stdin, s.Stdout, s.Stderr = dir, stdin, &s.stdout, &s.stderr
	s.Env = append(os.Environ(), "TMPDIR="+dir)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.Cmd.Wait() // the state says how it ended
		close(s.done)
	}()
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// end waits for the end and returns the exit code, -1 after a signal.
func (s *started) end(t *testing.T) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.Process.Kill()
		t.Fatalf("polydag does not end: %s", s.stderr.String())
	}
	return s.ProcessState.ExitCode()
}

// appears waits for a file.
func appears(t *testing.T, path string, s *started) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-s.done:
			t.Fatalf("polydag ended before %s was there: %s", path, s.stderr.String())
		default:
		}
	}
	t.Fatalf("%s does not appear", path)
}

// simulated makes a folder with data.csv of so many columns.
func simulated(t *testing.T, columns string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := command(dir, "simulate", "--graph", "er", "--nodes", columns, "--degree", "3", "--samples", "400", "--seed", "9", "--output", "data.csv").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command("polydag", args...)
	c.Dir = dir
	return c
}

// endless learning: more steps than anyone waits for.
var endlessRun = []string{"learn", "data.csv", "--method", "polydag", "--stages", "60", "--stage-steps", "10000000", "--threads", "1", "--output", "result.json"}

// The first signal ends a run in order: exit code 3, and the best result so far is there, whole.
func TestSignalWritesTheBestSoFar(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "15")
			s := start(t, dir, nil, append(endlessRun, "--progress-file", "p.json", "--checkpoint", "state", "--report", "page.html")...)
			appears(t, filepath.Join(dir, "p.json"), s)
			s.Process.Signal(sig)
			if code := s.end(t); code != 3 {
				t.Fatalf("exit code %d, want 3: %s", code, s.stderr.String())
			}
			if want := "polydag: interrupted; the best result so far is written; the same command with --resume goes on\n"; !strings.HasSuffix(s.stderr.String(), want) {
				t.Errorf("it says %q, want %q", s.stderr.String(), want)
			}
			var res struct {
				Status, Cause string
				Certificate   struct{ DAG bool }
			}
			b, err := os.ReadFile(filepath.Join(dir, "result.json"))
			if err == nil {
				err = json.Unmarshal(b, &res)
			}
			if err != nil || res.Status != "canceled" || !res.Certificate.DAG {
				t.Errorf("the result is %+v: %v", res, err)
			}
			if out, err := command(dir, "convert", "result.json", "graph.dot").CombinedOutput(); err != nil {
				t.Errorf("the result cannot be read: %v: %s", err, out)
			}
			if _, err := os.Stat(filepath.Join(dir, "page.html")); err != nil {
				t.Errorf("no page: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "p.json")); err == nil {
				t.Error("the progress of a run that is over is still there")
			}
			if !strings.Contains(s.stdout.String(), "DAG: yes") {
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
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			args := []string{"learn", "-", "--output", "result.json"}
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
				if err != nil {
					t.Fatal(err)
				}
				defer named.Close()
				io.WriteString(named, "a,b\n1,2\n")
			}
			time.Sleep(200 * time.Millisecond) // into the read; a signal before it would end the command as well
			s.Process.Signal(syscall.SIGTERM)
			code := s.end(t)
			if code == -1 {
				t.Skip("the signal came before the command was ready for it")
			}
			if code != 1 || !strings.Contains(s.stderr.String(), "was being read; nothing is written") {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
			left, err := os.ReadDir(dir)
			for _, e := range left {
				if e.Name() != "pipe" {
					t.Errorf("left behind: %s", e.Name())
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The second signal ends the command at once, whatever holds it.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	s := start(t, dir, nil, "learn", pipe)
	time.Sleep(200 * time.Millisecond)
	s.Process.Signal(syscall.SIGINT)
	time.Sleep(100 * time.Millisecond)
	s.Process.Signal(syscall.SIGINT)
	if code := s.end(t); code != -1 && code != 1 {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if strings.Contains(s.stderr.String(), "panic") {
		t.Error(s.stderr.String())
	}
}

// A reader that goes away in the middle ends the command by SIGPIPE, without a word and without a file.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "15")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := command(dir, "learn", "data.csv", "--method", "order", "--quiet", "--output", "-")
	var errs bytes.Buffer
	c.Stdout, c.Stderr = w, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
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
	s := start(t, dir, nil, append(endlessRun, "--deadline", "700ms", "--quiet")...)
	if code := s.end(t); code == 1 && strings.Contains(s.stderr.String(), "was being read") {
		t.Skip("the machine is so slow that the read took all the time")
	} else if code != 3 || s.stderr.String() != "polydag: the time of --deadline is up; the best result so far is written\n" {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if out, err := command(dir, "convert", "result.json", "graph.dot").CombinedOutput(); err != nil {
		t.Errorf("the result cannot be read: %v: %s", err, out)
	}

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	s = start(t, dir, r, "learn", "-", "--deadline", "200ms", "--output", "no.json")
	if code := s.end(t); code != 1 || !strings.Contains(s.stderr.String(), "the time of --deadline is up while standard input was being read; nothing is written") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "no.json")); err == nil {
		t.Error("a result without data")
	}
}
