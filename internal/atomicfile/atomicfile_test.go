package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// names are those in a folder, hidden ones included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// ways are the function itself, and its behavior on a system without unnamed files.
var ways = map[string]func(string, func(io.Writer) error) error{
	"this system": Write,
	"named": func(path string, fill func(io.Writer) error) error {
		return (&Files{unnamed: func(string) *os.File { return nil }}).Write(path, fill)
	},
}

func everyWay(t *testing.T, test func(t *testing.T, write func(string, func(io.Writer) error) error)) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) { test(t, way) })
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWrite(t *testing.T) {
	everyWay(t, func(t *testing.T, write func(string, func(io.Writer) error) error) {
		dir := t.TempDir()
		path := filepath.Join(dir, "result.json")
		for _, want := range []string{"first", "", "second, and longer"} {
			must.Succeed(t, write(path, text(want)))
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		}
		if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		for _, mode := range []os.FileMode{0o600, 0o640, 0o400} {
			must.Succeed(t, os.Chmod(path, mode))
			must.Succeed(t, write(path, text("again")))
			if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != mode {
				t.Errorf("%v, %v; want %v", st.Mode(), err, mode)
			}
		}
		if left := names(t, dir); len(left) != 1 {
			t.Errorf("the folder has %q", left)
		}
	})
}

// TestFailedFill checks that a failed fill leaves only the old file, however fill ends.
func TestFailedFill(t *testing.T) {
	everyWay(t, func(t *testing.T, write func(string, func(io.Writer) error) error) {
		dir := t.TempDir()
		path := filepath.Join(dir, "t.csv")
		must.Succeed(t, write(path, text("old")))
		fault := errors.New("no more rows")
		err := write(path, func(w io.Writer) error {
			io.WriteString(w, "half")
			return fault
		})
		if err != fault {
			t.Errorf("error %v", err)
		}
		func() {
			defer func() { recover() }()
			write(path, func(w io.Writer) error { panic("a fault in fill") })
		}()
		if got, _ := os.ReadFile(path); string(got) != "old" {
			t.Errorf("the file has %q", got)
		}
		if left := names(t, dir); len(left) != 1 {
			t.Errorf("the folder has %q", left)
		}
	})
}

// TestNothingIsSeenOnTheWay checks that on Linux the folder does not show an unfinished file, so that a kill
// leaves nothing, and that readers see the old content.
func TestNothingIsSeenOnTheWay(t *testing.T) {
	dir := t.TempDir()
	if f := unnamed(dir); f == nil {
		t.Skip("this system has no files without a name here")
	} else {
		f.Close()
	}
	err := Write(filepath.Join(dir, "new"), func(w io.Writer) error {
		if left := names(t, dir); len(left) != 0 {
			t.Errorf("on the way the folder has %q", left)
		}
		return nil
	})
	must.Succeed(t, err)
}

func TestFaultsOfThePlace(t *testing.T) {
	everyWay(t, func(t *testing.T, write func(string, func(io.Writer) error) error) {
		path := filepath.Join(t.TempDir(), "nosuch", "file")
		if err := write(path, text("x")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Write: %v", err)
		}
		if err := Check(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Check: %v", err)
		}
		dir := t.TempDir()
		if err := write(dir, text("x")); err == nil {
			t.Error("a folder was replaced by a file")
		}
		if left := names(t, filepath.Dir(dir)); len(left) != 2 {
			t.Errorf("beside the folder there is %q", left)
		}
		if err := Check(filepath.Join(dir, "f")); err != nil || len(names(t, dir)) != 0 {
			t.Errorf("Check: %v, leaves %q", err, names(t, dir))
		}
	})
}

// TestManyWriters checks that writers of one path end with the content of one of them.
func TestManyWriters(t *testing.T) {
	everyWay(t, func(t *testing.T, write func(string, func(io.Writer) error) error) {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		var wg sync.WaitGroup
		for _, s := range []string{"aaaa", "bbbb", "cccc", "dddd"} {
			wg.Go(func() {
				for range 10 {
					if err := write(path, text(s)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got, err := os.ReadFile(path); err != nil || len(got) != 4 || got[0] != got[3] {
			t.Errorf("%q, %v", got, err)
		}
		if left := names(t, dir); len(left) != 1 {
			t.Errorf("the folder has %q", left)
		}
	})
}

// TestDiscard checks that a program that ends at once leaves no unfinished file, that finished files stay, and
// that nothing is written afterwards.
func TestDiscard(t *testing.T) {
	for way, files := range map[string]*Files{"this system": {}, "named": {unnamed: func(string) *os.File { return nil }}} {
		dir := t.TempDir()
		whole, late := filepath.Join(dir, "whole"), filepath.Join(dir, "late")
		must.Succeed(t, files.Write(whole, text("x")))
		err := files.Write(late, func(w io.Writer) error {
			files.Discard() // on another goroutine, at the worst moment
			if got := names(t, dir); len(got) != 1 {
				t.Errorf("%s: %q while a file was written", way, got)
			}
			return text("y")(w)
		})
		if !errors.Is(err, ErrDiscarded) {
			t.Errorf("%s: a file that was under way: %v", way, err)
		}
		if err := files.Write(late, text("z")); !errors.Is(err, ErrDiscarded) {
			t.Errorf("%s: a file after the end: %v", way, err)
		}
		if got := names(t, dir); len(got) != 1 || got[0] != "whole" {
			t.Errorf("%s: %q are left", way, got)
		}
	}
}
