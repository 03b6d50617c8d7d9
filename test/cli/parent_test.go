//go:build unix

package cli_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A command that works for another process ends when that process was killed, wherever it is, and leaves no file.
func TestEndsWithTheProcessItWorksFor(t *testing.T) {
	for _, place := range []string{"start", "start stuck", "write"} {
		user := exec.Command("sleep", "600")
		must.Succeed(t, user.Start())
		dir := t.TempDir()
		s := startWith(t, dir, nil, []string{holdEnv + "=" + place, fmt.Sprintf("POLYDAG_PARENT=%d", user.Process.Pid)}, "simulate", "--nodes", "5", "--rows", "10", "--output", "new.csv")
		name, _, _ := strings.Cut(place, " ")
		s.says(t, &s.stderr, "held at "+name)
		must.Succeed(t, user.Process.Kill())
		user.Wait() // its error says that it was killed
		if code := s.end(t); code != 1 {
			t.Errorf("held at %s: exit code %d", place, code)
		}
		if said := s.stderr.String(); !strings.Contains(said, "the process that started this command has ended; nothing was written") {
			t.Errorf("held at %s: it said %q", place, said)
		}
		if left := listing(t, dir); len(left) > 0 {
			t.Errorf("held at %s: it left %v", place, left)
		}
	}
	// What is no number is passed over, and neither variable is taken for a setting.
	other := program(t.TempDir(), "version")
	other.Env = append(other.Environ(), "POLYDAG_PARENT=me", "POLYDAG_BINARY=elsewhere")
	if out, err := other.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
