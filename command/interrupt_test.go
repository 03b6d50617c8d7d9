package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/lab"
)

// TestRepeatedSignalCountsOnce checks that two signals at once, as from GNU timeout or a closing terminal,
// count as one: the best result so far is written.
func TestRepeatedSignalCountsOnce(t *testing.T) {
	for name, repeat := range map[string]time.Duration{"repeated": time.Hour, "second": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := filepath.Join(t.TempDir(), "result.json")
			var said bytes.Buffer
			a := newApp(lab.All, strings.NewReader(""), &bytes.Buffer{}, &said, allWings...)
			a.repeatTime = repeat
			signals, taken := make(chan os.Signal), make(chan struct{})
			a.reached = func(_ context.Context, place string) {
				if place != "write" {
					return
				}
				a.reached = nil
				signals <- syscall.SIGTERM
				signals <- syscall.SIGTERM // taken when this returns: the channel has no buffer
				close(taken)
				if repeat == 0 {
					select {}
				}
			}
			code := a.until(t.Context(), []string{"demo", "--output", result}, signals)
			<-taken
			_, err := os.Stat(result)
			if repeat > 0 && (err != nil || code != exitOK && code != exitUnconverged) {
				t.Errorf("two signals at once: exit code %d, %v: %s", code, err, said.String())
			}
			if repeat == 0 && (err == nil || code != exitFailure || !strings.Contains(said.String(), "interrupted twice")) {
				t.Errorf("a second signal: exit code %d, %v: %s", code, err, said.String())
			}
		})
	}
}

// TestInterruptionSaysWhatWasWritten checks that the message of an interrupted command names its finished files and unfinished output.
func TestInterruptionSaysWhatWasWritten(t *testing.T) {
	for _, c := range []struct {
		files   []string
		partial bool
		want    string
	}{
		{nil, false, "interrupted; nothing was written"},
		{nil, true, "interrupted; what went to standard output is not whole"},
		{[]string{"a.json", "b.csv"}, false, "interrupted; only a.json, b.csv written before"},
		{[]string{"a.json"}, true, "interrupted; a.json written before, standard output not whole"},
	} {
		a := newApp(lab.All, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, allWings...)
		for _, path := range c.files {
			a.left.placed(path)
		}
		if c.partial {
			a.left.printed()
		}
		if err := a.interruption("interrupted"); err.Error() != c.want || exitCode(err) != exitFailure {
			t.Errorf("%v, %v: %q with exit code %d, want %q", c.files, c.partial, err, exitCode(err), c.want)
		}
	}
}
