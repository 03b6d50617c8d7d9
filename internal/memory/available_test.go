//go:build !js

package memory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func TestSystemFree(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "meminfo")
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"MemTotal:       100 kB\nMemAvailable:      64 kB\n", 64 << 10, true},
		{"MemTotal:       100 kB\n", 0, false},
		{"MemAvailable:   many kB\n", 0, false},
	} {
		must.Succeed(t, os.WriteFile(path, []byte(c.text), 0o644))
		if got, ok := systemFree(path); got != c.want || ok != c.ok {
			t.Errorf("systemFree(%q) = %d, %v, want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
	if _, ok := systemFree(filepath.Join(dir, "none")); ok {
		t.Error("a system without the file says something")
	}
}

func TestGroupLeft(t *testing.T) {
	dir := t.TempDir()
	limit, use := filepath.Join(dir, "max"), filepath.Join(dir, "current")
	for _, c := range []struct {
		limit, use string
		want       int64
		ok         bool
	}{{"1000\n", "400\n", 600, true}, {"1000\n", "4000\n", 0, true}, {"max\n", "400\n", 0, false}} {
		for path, text := range map[string]string{limit: c.limit, use: c.use} {
			must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
		}
		if got, ok := groupLeft(limit, use); got != c.want || ok != c.ok {
			t.Errorf("limit %q, use %q: %d, %v, want %d, %v", c.limit, c.use, got, ok, c.want, c.ok)
		}
	}
}
