package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	must.Succeed(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func load(t *testing.T, path string) string {
	t.Helper()
	d := open(t, path)
	defer d.Close()
	state, err := d.Load()
	must.Succeed(t, err)
	return string(state)
}

// TestNewestWins checks that the newest state comes back, whether or not Load came before Save.
func TestNewestWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for i := range 7 {
		d := open(t, path)
		if i%2 == 1 {
			must.Get(d.Load())
		}
		for j := range i%3 + 1 {
			must.Succeed(t, d.Save(fmt.Appendf(nil, "%d.%d", i, j)))
		}
		d.Close()
		if got, want := load(t, path), fmt.Sprintf("%d.%d", i, i%3); got != want {
			t.Errorf("loaded %q, want %q", got, want)
		}
	}
}

// TestDamagedNewest checks that after any damage to the newest file the state before it is returned, and the
// next save replaces the damaged one.
func TestDamagedNewest(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	for _, s := range []string{"first", "second"} {
		must.Succeed(t, d.Save([]byte(s)))
	}
	d.Close()
	newest := filepath.Join(path, slots[1])
	whole, err := os.ReadFile(newest)
	must.Succeed(t, err)
	for n := range whole {
		changed := bytes.Clone(whole)
		changed[n] ^= 1
		for _, b := range [][]byte{whole[:n], changed} {
			must.Succeed(t, os.WriteFile(newest, b, 0o644))
			if got := load(t, path); got != "first" {
				t.Fatalf("byte %d damaged: loaded %q", n, got)
			}
		}
	}
	d = open(t, path)
	must.Succeed(t, d.Save([]byte("third")))
	d.Close()
	if got := load(t, path); got != "third" {
		t.Errorf("after a save over the damaged state: %q", got)
	}
	if _, _, err := readState(filepath.Join(path, slots[0])); err != nil {
		t.Errorf("the state before was overwritten: %v", err)
	}

	for _, name := range slots {
		must.Succeed(t, os.WriteFile(filepath.Join(path, name), []byte("x"), 0o644))
	}
	d = open(t, path)
	if _, err := d.Load(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "remove") {
		t.Errorf("both damaged: %v", err)
	}
	must.Succeed(t, d.Clear())
	if state, err := d.Load(); state != nil || err != nil {
		t.Errorf("after Clear: %q, %v", state, err)
	}
}

// TestUnfinishedSave checks that partial files of a killed process are ignored and removed.
func TestUnfinishedSave(t *testing.T) {
	path := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(path, ".state-1.123"), bytes.Repeat([]byte("x"), 1000), 0o644))
	if got := load(t, path); got != "" {
		t.Errorf("loaded %q from an unfinished save", got)
	}
	d := open(t, path)
	must.Succeed(t, d.Save([]byte("whole")))
	d.Close()
	if got := load(t, path); got != "whole" {
		t.Errorf("loaded %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(path, ".*")); len(left) > 0 {
		t.Errorf("the unfinished save stays: %q", left)
	}
}

func TestLock(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	if second, err := Open(path); err == nil {
		second.Close()
		t.Skip("this system has no flock")
	} else if !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	d.Close()
	open(t, path)
}

// TestSaveFails checks that a failed save returns an error and leaves the earlier states.
func TestSaveFails(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	must.Succeed(t, d.Save([]byte("good")))
	if err := os.MkdirAll(filepath.Join(path, slots[1], "full"), 0o755); err != nil { // a place that cannot be written
		t.Fatal(err)
	}
	if err := d.Save([]byte("lost")); err == nil {
		t.Error("no error")
	}
	d.Close()
	must.Succeed(t, os.RemoveAll(filepath.Join(path, slots[1])))
	if got := load(t, path); got != "good" {
		t.Errorf("loaded %q", got)
	}
	if _, err := Open(filepath.Join(path, slots[0])); err == nil {
		t.Error("opened a file as a directory")
	}
}

// TestDiscard checks that after Discard complete states stay and no save follows.
func TestDiscard(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	must.Succeed(t, d.Save([]byte("whole")))
	d.Discard()
	if err := d.Save([]byte("late")); err == nil {
		t.Error("a save after the end")
	}
	d.Close()
	if got := load(t, path); got != "whole" {
		t.Errorf("loaded %q", got)
	}
}
