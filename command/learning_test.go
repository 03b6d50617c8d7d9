package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// TestProgressFile checks that learn and confidence write their progress while they run, and remove it at the end.
func TestProgressFile(t *testing.T) {
	dir := t.TempDir()
	data, result, progress := filepath.Join(dir, "t.csv"), filepath.Join(dir, "r.json"), filepath.Join(dir, "r.progress.json")
	text := "a,b\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d\n", i%7, i%7+i*i%5)
	}
	must.Succeed(t, os.WriteFile(data, []byte(text), 0o600))
	for _, args := range [][]string{
		{"learn", data, "--output", result, "--progress-file", progress},
		{"confidence", result, "--data", data, "--bootstrap", "4", "--output", filepath.Join(dir, "c.json"), "--progress-file", progress},
	} {
		a, written := newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...), false
		a.reached = func(_ context.Context, place string) {
			if _, err := os.Stat(progress); place == "progress" && err == nil {
				written = true
			}
		}
		must.Same(t, a.main(context.Background(), args), exitOK, args)
		if _, err := os.Stat(progress); !written || err == nil {
			t.Errorf("%s: written: %t, removed: %t", args[0], written, err != nil)
		}
	}
}
