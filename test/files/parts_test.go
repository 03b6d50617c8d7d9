package files_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// A table in several files, by pattern and by folder, has the moments of the table in one.
func TestParts(t *testing.T) {
	s := numbers(900, 4, 21)
	gather := func(path string, change func(*prepare.Settings)) (*prepare.Gathered, error) {
		in, err := Open(path, nil, options())
		if err != nil {
			return nil, err
		}
		defer in.Close()
		opt := prepare.DefaultSettings()
		if change != nil {
			change(&opt)
		}
		return prepare.Gather(context.Background(), in.Source, opt)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) { must.Succeed(t, os.WriteFile(filepath.Join(dir, name), data, 0o644)) }
	var from int
	for k, to := range []int{200, 201, 650, 900} {
		part := &sample{names: s.names}
		for _, c := range s.cols {
			part.cols = append(part.cols, c[from:to])
		}
		write(fmt.Sprintf("part-%d.parquet", k), part.parquet(t, nil))
		write(fmt.Sprintf("text-%d.csv", k), part.csv(t, ","))
		from = to
	}
	one, err := gather(save(t, "one.csv", s.csv(t, ",")), nil)
	must.Succeed(t, err)
	some := func(o *prepare.Settings) { o.Columns = []string{s.names[3], s.names[1]} }
	oneSome, err := gather(save(t, "one.csv", s.csv(t, ",")), some)
	must.Succeed(t, err)
	for _, pattern := range []string{"part-*.parquet", "text-?.csv"} {
		got, err := gather(filepath.Join(dir, pattern), nil)
		must.Succeed(t, err)
		if fmt.Sprint(got.Moments) != fmt.Sprint(one.Moments) {
			t.Errorf("%s: other moments", pattern)
		}
		if notes := strings.Join(got.Profile.Notes, " "); !strings.Contains(notes, "in 4 files") {
			t.Errorf("%s: notes %q", pattern, notes)
		}
		if got, err = gather(filepath.Join(dir, pattern), some); err != nil || fmt.Sprint(got.Moments) != fmt.Sprint(oneSome.Moments) {
			t.Errorf("%s, two columns: %v", pattern, err)
		}
	}
	must.Succeed(t, os.Mkdir(filepath.Join(dir, "folder [1]"), 0o755))
	for k := range 4 {
		must.Succeed(t, os.Rename(filepath.Join(dir, fmt.Sprintf("text-%d.csv", k)), filepath.Join(dir, "folder [1]", fmt.Sprintf("%d.csv", k))))
	}
	write("folder [1]/_SUCCESS", nil)
	write("folder [1]/.hidden", []byte("x"))
	if got, err := gather(filepath.Join(dir, "folder [1]"), nil); err != nil || fmt.Sprint(got.Moments) != fmt.Sprint(one.Moments) {
		t.Errorf("folder: %v", err)
	}
	write("folder [1]/9.csv", []byte("c000,c001,other,c003\n1,2,3,4\n"))
	if _, err := gather(filepath.Join(dir, "folder [1]"), nil); !errors.Is(err, ErrParts) || !strings.Contains(err.Error(), "9.csv") || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("other columns: %v", err)
	}
	write("folder [1]/more.parquet", nil)
	if _, err := gather(filepath.Join(dir, "folder [1]"), nil); err == nil || !strings.Contains(err.Error(), "several kinds") {
		t.Errorf("a folder of several kinds: %v", err)
	}
	if _, err := gather(filepath.Join(dir, "none-*.csv"), nil); !errors.Is(err, ErrNoTable) {
		t.Errorf("no file: %v", err)
	}
}

// Several names are one table, too: in the order in which they are given, with the hash and the size of all bytes one after the other.
// A part may be a pipe.
func TestNamedParts(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	var all []byte
	for k, text := range []string{"a,b\n1,2\n3,5\n", "a,b\n", "a,b\n7,1\n"} {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.csv", 9-k)))
		must.Succeed(t, os.WriteFile(paths[k], []byte(text), 0o644))
		all = append(all, text...)
	}
	read := func(paths []string) *Input {
		in, err := OpenAll(paths, nil, options())
		must.Succeed(t, err)
		t.Cleanup(func() { must.Succeed(t, in.Close()) })
		for range 2 {
			src, err := in.Source(context.Background())
			must.Succeed(t, err)
			got, err := drain(t, src)
			must.Succeed(t, err)
			if fmt.Sprint(got.names, got.values) != "[a b] [1 2 3 5 7 1]" {
				t.Errorf("%v %v", got.names, got.values)
			}
			at := src.(dataset.Locator)
			for row, want := range map[int]string{1: "9.csv 1", 2: "9.csv 2", 3: filepath.Base(paths[2]) + " 1"} {
				if file, within := at.Locate(row); fmt.Sprint(filepath.Base(file), " ", within) != want {
					t.Errorf("row %d is in %s, row %d, want %s", row, file, within, want)
				}
			}
			must.Succeed(t, src.Close())
		}
		sum, err := in.SHA256(context.Background())
		if want := fmt.Sprintf("%x", sha256.Sum256(all)); err != nil || sum != want {
			t.Errorf("hash %s, %v, want %s", sum, err, want)
		}
		return in
	}
	if name, format, bytes := read(paths).Describe(); name != paths[0]+" and 2 more" || format != CSV || bytes != int64(len(all)) {
		t.Errorf("%q, %s, %d bytes", name, format, bytes)
	}
	if files, err := Parts([]string{paths[2], filepath.Join(dir, "[89].csv")}); err != nil || !slices.Equal(files, []string{paths[2], paths[1], paths[0]}) {
		t.Errorf("%v, %v", files, err)
	}
	if _, err := Parts([]string{paths[2], dir}); !errors.Is(err, ErrTwice) || !strings.Contains(err.Error(), "7.csv") {
		t.Errorf("a file twice: %v", err)
	}
	if _, err := OpenAll([]string{paths[0], "-"}, nil, options()); err == nil {
		t.Error("standard input as one of two files is taken")
	}

	r, w, err := os.Pipe()
	must.Succeed(t, err)
	defer r.Close()
	go func() { w.Write([]byte("a,b\n7,1\n")); w.Close() }()
	piped := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(piped); err != nil {
		t.Skip("a pipe has no name here: ", err)
	}
	if _, _, bytes := read([]string{paths[0], paths[1], piped}).Describe(); bytes != 0 {
		t.Errorf("the size with a pipe is %d", bytes)
	}
}
