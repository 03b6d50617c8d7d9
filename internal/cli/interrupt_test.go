package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRepeatedSignalCountsOnce checks that two signals at once, as from GNU timeout or a closing terminal,
// count as one: the best result so far is written.
func TestRepeatedSignalCountsOnce(t *testing.T) {
	for name, repeat := range map[string]time.Duration{"repeated": time.Hour, "second": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := filepath.Join(t.TempDir(), "result.json")
			var said bytes.Buffer
			a := newApp(strings.NewReader(""), &bytes.Buffer{}, &said)
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
