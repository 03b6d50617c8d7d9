package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/prepare"
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
	write := func(name string, data []byte) { check(t, os.WriteFile(filepath.Join(dir, name), data, 0o644)) }
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
	check(t, err)
	some := func(o *prepare.Settings) { o.Columns = []string{s.names[3], s.names[1]} }
	oneSome, err := gather(save(t, "one.csv", s.csv(t, ",")), some)
	check(t, err)
	for _, pattern := range []string{"part-*.parquet", "text-?.csv"} {
		got, err := gather(filepath.Join(dir, pattern), nil)
		check(t, err)
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
	check(t, os.Mkdir(filepath.Join(dir, "folder [1]"), 0o755))
	for k := range 4 {
		check(t, os.Rename(filepath.Join(dir, fmt.Sprintf("text-%d.csv", k)), filepath.Join(dir, "folder [1]", fmt.Sprintf("%d.csv", k))))
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
