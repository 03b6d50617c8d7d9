//go:build unix

package cli_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// patience is how long a test waits for something that should come at once. It is long because the machine may be busy.
const patience = 2 * time.Minute

// A started polydag and what it says.
type started struct {
	*exec.Cmd
	stdout, stderr lines
	done           chan struct{}
}

// start runs polydag in a folder. TestMain put the command on the path.
func start(t testing.TB, dir string, stdin io.Reader, args ...string) *started {
	t.Helper()
	return startWith(t, dir, stdin, nil, args...)
}

// startWith is start with more in the environment.
func startWith(t testing.TB, dir string, stdin io.Reader, env []string, args ...string) *started {
	t.Helper()
	return startProgram(t, dir, stdin, env, append([]string{"polydag"}, args...)...)
}

func startProgram(t testing.TB, dir string, stdin io.Reader, env []string, command ...string) *started {
	t.Helper()
	s := &started{Cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	s.Dir, s.Stdin, s.Stdout, s.Stderr = dir, stdin, &s.stdout, &s.stderr
	s.Env = append(append(os.Environ(), "TMPDIR="+dir), env...)
	must.Succeed(t, s.Start())
	go func() {
		s.Cmd.Wait() // the state says how it ended
		close(s.done)
	}()
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// end waits for the end and returns the exit code, -1 after a signal.
func (s *started) end(t testing.TB) int {
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
func appears(t testing.TB, path string, s *started) {
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
func simulated(t testing.TB, columns string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := program(dir, "simulate", "--graph", "er", "--nodes", columns, "--set", "degree=3", "--rows", "400", "--seed", "9", "--output", "data.csv").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func program(dir string, args ...string) *exec.Cmd {
	c := exec.Command("polydag", args...)
	c.Dir = dir
	return c
}

// lines is what a process has said so far.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// says waits until polydag has said something.
func (s *started) says(t testing.TB, in *lines, what string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
		if strings.Contains(in.String(), what) {
			return
		}
		select {
		case <-s.done:
			if !strings.Contains(in.String(), what) {
				t.Fatalf("polydag ended and did not say %q: %s%s", what, s.stdout.String(), s.stderr.String())
			}
		default:
		}
	}
	t.Fatalf("polydag does not say %q: %s%s", what, s.stdout.String(), s.stderr.String())
}
