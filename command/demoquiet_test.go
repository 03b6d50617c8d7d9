package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func TestDemoQuiet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.json")
	if out, errs := run(t, exitOK, "demo", "--quiet", "--output", file); out != "" || errs != "" {
		t.Errorf("%q %q", out, errs)
	}
	out, _ := run(t, exitOK, "demo", "--output", "-")
	if !json.Valid([]byte(out)) || len(must.Get(os.ReadFile(file))) < 1000 {
		t.Errorf("standard output is no JSON: %.60q", out)
	}
}
