//go:build unix

package serve

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// TestPipesAreNotOpened checks that a named pipe in the folder, which waits for a writer, holds up no request.
func TestPipesAreNotOpened(t *testing.T) {
	web, dir := start(t, Settings{})
	for _, name := range []string{"p.json", "q" + progressSuffix} {
		must.Succeed(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	begun := time.Now()
	for _, path := range []string{"/results/p.json", "/files/p.json", "/pictures/p.json", "/questions/p.json", "/exports/p.json?to=dot", "/compare?a=p.json&b=p.json"} {
		if code, text := get(t, web.URL+path, nil); code < 400 || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	listen(t, web.URL, func(s Snapshot) bool { return len(s.Results)+len(s.Elsewhere) == 0 })
}
