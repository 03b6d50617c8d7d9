package checkpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestLeftTablesAreRemoved checks that the next worker removes the folder of a killed worker, but not that of a
// running one or anything else.
func TestLeftTablesAreRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not locked on Windows, and nothing is removed")
	}
	parent, elsewhere := t.TempDir(), t.TempDir()
	make := func() *Folder {
		f := must.Get(NewFolder(parent, "worker"))
		must.Succeed(t, os.WriteFile(filepath.Join(f.Path(), "table.csv"), []byte("a,b\n"), 0o600))
		return f
	}
	running, killed := make(), make()
	killed.lock.Close() // as the end of its process does
	link, other := filepath.Join(parent, "polydag-worker-link"), filepath.Join(parent, "other")
	must.Succeed(t, os.Symlink(elsewhere, link))
	must.Succeed(t, os.WriteFile(other, nil, 0o600))
	next := make()
	if _, err := os.Stat(killed.Path()); !os.IsNotExist(err) {
		t.Errorf("the folder of the killed worker: %v", err)
	}
	for _, path := range []string{filepath.Join(running.Path(), "table.csv"), link, other} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if list, _ := os.ReadDir(elsewhere); len(list) > 0 {
		t.Errorf("something was written through the link: %v", list)
	}
	for _, f := range []*Folder{running, next} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(f.Path()); !os.IsNotExist(err) {
			t.Errorf("after Close: %v", err)
		}
	}
}
