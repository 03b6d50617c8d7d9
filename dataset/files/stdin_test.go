package files_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// TestStandardInputThatIsAFile checks that a standard input that is a regular file is read as that file is: the
// same bytes and the same size, from its first byte on, and it is left open.
func TestStandardInputThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Succeed(t, os.WriteFile(path, []byte("a,b\n1,2\n3,5\n4,4\n"), 0o600))
	f, err := os.Open(path)
	must.Succeed(t, err)
	defer f.Close()
	if size, ok := files.Whole(f); !ok || size != 16 {
		t.Errorf("whole %t, %d bytes, want 16", ok, size)
	}
	var sums [2]string
	for i, name := range []string{path, "-"} {
		in, err := files.Open(name, f, files.DefaultSettings())
		must.Succeed(t, err)
		if sums[i], err = in.SHA256(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 { // any number of times
			src, err := in.Source(t.Context())
			must.Succeed(t, err)
			if columns := src.Columns(); len(columns) != 2 {
				t.Errorf("%s has the columns %v", name, columns)
			}
			must.Succeed(t, src.Close())
		}
		must.Succeed(t, in.Close())
	}
	if sums[0] != sums[1] || sums[0] == "" {
		t.Errorf("the hashes are %q", sums)
	}
	if _, err := f.Seek(1, io.SeekStart); err != nil { // it is still open
		t.Fatal(err)
	}
	if _, ok := files.Whole(f); ok {
		t.Error("a file of which a byte has been read is no whole one")
	}
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	defer r.Close()
	defer w.Close()
	if _, ok := files.Whole(r); ok {
		t.Error("a pipe is no whole file")
	}
}
