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

// A path that is interrupted writes the prices and the splits that are done, and ends with exit code 3.
func TestInterruptedPathWritesWhatIsDone(t *testing.T) {
	defaultSignals(t)
	for _, c := range []struct {
		place  string
		points int
		says   string
	}{
		{"progress", 0, "interrupted; the results for 0 penalties and 0 of 2 splits are written"},
		{"progress **", 1, "interrupted; the results for 1 penalty and 0 of 2 splits are written"},
		// One thread does 1 + 2 runs of the whole table, 3 of each half, and is held up in the third half.
		{"progress " + strings.Repeat("*", 10), 2, "interrupted; the results for 2 penalties and 1 of 2 splits are written"},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "5")
			s := held(t, dir, c.place, "path", "data.csv", "--set", "values=1,2", "--set", "splits=2", "--threads", "1", "--json", "--output", "path.json", "--set", "figure=path.svg")
			s.Process.Signal(syscall.SIGINT)
			if code := s.end(t); code != 3 || !strings.Contains(s.stderr.String(), c.says) {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
			text := must.Get(os.ReadFile(filepath.Join(dir, "path.json")))
			var path struct {
				Status  string `json:"status"`
				Splits  int    `json:"splits"`
				Points  []any  `json:"points"`
				Reason  string `json:"reason"`
				Default any    `json:"default"`
			}
			must.Succeed(t, json.Unmarshal(text, &path))
			if path.Status != "canceled" || len(path.Points) != c.points || path.Default == nil || (path.Reason != "") != (path.Splits > 0) {
				t.Errorf("%s", text)
			}
		})
	}
}
