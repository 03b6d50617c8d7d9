package polydag_test

import (
	"os/exec"
	"strings"
	"testing"
)

// What a program takes on that embeds polydag: mathematics and the standard library. Readers of formats, pictures, the page, the
// server and the command line are for those who import them.
func TestRootIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 30 {
		t.Fatalf("go list names %q", deps)
	}
	for _, p := range deps {
		own, mine := strings.CutPrefix(p, module+"/")
		for _, heavy := range []string{"gonum", "cobra", "sqlite", "parquet", "arrow", "wazero", "yaml"} {
			if !mine && strings.Contains(p, heavy) {
				t.Errorf("the root package depends on %s", p)
			}
		}
		if p == "net/http" || p == "image" || strings.HasPrefix(p, "image/") {
			t.Errorf("the root package depends on %s", p)
		}
		for _, room := range []string{"dataset/files", "report", "internal/layout", "internal/serve", "internal/cli", "internal/study", "internal/provider"} {
			if mine && (own == room || strings.HasPrefix(own, room+"/")) {
				t.Errorf("the root package depends on %s", p)
			}
		}
	}
}
