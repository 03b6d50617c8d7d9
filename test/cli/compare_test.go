package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A comparison that is interrupted writes what the methods before found, and ends with exit code 3.
func TestInterruptedComparisonWritesWhatIsDone(t *testing.T) {
	defaultSignals(t)
	for _, c := range []struct {
		place string
		done  int
	}{
		{"progress", 1},
		{"progress **", 2},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "5")
			s := held(t, dir, c.place, "compare", "data.csv", "--methods", "order,pc,mmhc", "--threads", "1", "--output", "c.json", "--report", "c.html")
			s.Process.Signal(syscall.SIGINT)
			if code := s.end(t); code != 3 || !strings.Contains(s.stderr.String(), "interrupted; the graphs of ") {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
			text := must.Get(os.ReadFile(filepath.Join(dir, "c.json")))
			var got struct {
				Status  string `json:"status"`
				Methods []struct {
					State string `json:"state"`
					Why   string `json:"why"`
				} `json:"methods"`
			}
			must.Succeed(t, json.Unmarshal(text, &got))
			if got.Status != "canceled" || len(got.Methods) != 3 {
				t.Errorf("%s", text)
			}
			for k, m := range got.Methods {
				if want := map[bool]string{true: "done", false: "skipped"}[k < c.done]; m.State != want || (m.Why == "") != (k < c.done) {
					t.Errorf("method %d is %s (%s), want %s", k, m.State, m.Why, want)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "c.html")); err != nil {
				t.Error(err)
			}
		})
	}
}
