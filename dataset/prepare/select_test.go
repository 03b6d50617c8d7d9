package prepare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/memory"
)

// TestChooseColumns checks which columns are read, and which of the columns that cannot be read are listed.
func TestChooseColumns(t *testing.T) {
	all := []dataset.Column{{Name: "a"}, {Name: "blob", Unreadable: "type binary"}, {Name: "c"}, {Name: "list", Unreadable: "array"}}
	for _, c := range []struct {
		columns, drop  []string
		want, excluded string
	}{
		{nil, nil, "a c", "blob: type binary is not supported; list: type array is not supported"},
		{[]string{"a", "blob"}, nil, "a blob", "list: type array is not supported"},
		{[]string{"a", "*"}, nil, "a c", "blob: type binary is not supported; list: type array is not supported"},
		{nil, []string{"list", "a"}, "c", "blob: type binary is not supported"},
	} {
		opt := &options{Settings: Settings{Columns: c.columns, Drop: c.drop}}
		chosen, err := chooseColumns(all, opt)
		var got, excluded []string
		for _, x := range chosen {
			got = append(got, x.Name)
		}
		for _, x := range unreadable(all, chosen, c.drop) {
			excluded = append(excluded, x.Name+": "+x.Detail)
		}
		if text := strings.Join(excluded, "; "); err != nil || strings.Join(got, " ") != c.want || text != c.excluded {
			t.Errorf("columns %q without %q: %q is read and %q is not, %v; want %q and %q", c.columns, c.drop, got, text, err, c.want, c.excluded)
		}
	}
	if _, err := chooseColumns(all, &options{Settings: Settings{Targets: "arm"}}); !errors.Is(err, ErrUnknownColumn) {
		t.Errorf("an unknown column of targets: %v", err)
	}
	if chosen, err := chooseColumns(nil, &options{}); err != nil || len(chosen) > 0 {
		t.Errorf("a table without columns: %v, %v", chosen, err)
	}
	var e *dataset.ParseError
	if _, err := chooseColumns([]dataset.Column{{Name: "a"}, {Name: "x"}, {Name: "b"}, {Name: "x"}}, &options{Settings: Settings{Drop: []string{"a"}}}); !errors.As(err, &e) || e.Column != 4 {
		t.Errorf("%v, want the name of column 4 of the file as the second of its kind", err)
	}
}

// TestNamesOfLists checks that commas separate names, except in the name of a column.
func TestNamesOfLists(t *testing.T) {
	names := []string{"a", "b", "c,d", "e"}
	for _, c := range []struct {
		patterns []string
		want     []bool
	}{{[]string{"a, ,b"}, []bool{true, true, false, false}}, {[]string{"c,d", "e"}, []bool{false, false, true, true}}, {[]string{"a,?"}, []bool{true, true, false, true}}} {
		if got, err := matchNames("columns", c.patterns, names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, %v; want %v", c.patterns, got, err, c.want)
		}
	}
	eight := strings.Split("abcdefgh", "")
	if got := shortList(eight); got != "a, b, c, d, e, f, g, h" {
		t.Errorf("eight names: %s", got)
	}
	if got := shortList(append(eight, "i", "j")); got != "a, b, c, d, e, f, g, h and 2 more" {
		t.Errorf("ten names: %s", got)
	}
	if err := tooNarrow(nil, nil, 0); err.Error() != "no numeric column is left; choose at least two columns" {
		t.Errorf("no column: %v", err)
	}
}

// TestWidthMemory checks the memory of the moments: 2·d² + 14·d bytes for a wide table of few rows, the accumulator for others.
func TestWidthMemory(t *testing.T) {
	for _, c := range []struct {
		d    int
		need int64
	}{{5999, dataset.AccumulatorBytes(5999)}, {6000, 2*6000*6000 + 14*6000}} {
		opt := &options{Settings: Settings{MaxColumns: 80_000, MaxMemory: c.need}}
		if err := checkWidth(make([]string, c.d), nil, 0, opt); err != nil {
			t.Errorf("%d columns in %d bytes: %v", c.d, c.need, err)
		}
		opt.MaxMemory--
		if err := checkWidth(make([]string, c.d), nil, 0, opt); !errors.Is(err, memory.ErrLimit) {
			t.Errorf("%d columns in less than %d bytes: %v", c.d, c.need, err)
		}
	}
	for b, want := range map[int64]string{1: "1 kB", 1024: "1 kB", 1025: "2 kB", 1<<20 - 1: "1024 kB", 1 << 20: "1 MB", 5<<20 + 1: "5 MB"} {
		if got := memorySize(b); got != want {
			t.Errorf("%d bytes are %s, want %s", b, got, want)
		}
	}
}
