package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// TestDeltaTables checks that the files of a Delta Lake table are not read as one table, because some of them can hold removed rows. One file of
// it can be read by name.
func TestDeltaTables(t *testing.T) {
	table := filepath.Join(t.TempDir(), "people")
	part := func(name string) string {
		path := filepath.Join(table, filepath.FromSlash(name))
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Succeed(t, os.WriteFile(path, []byte("a,b\n1,2\n3,5\n"), 0o644))
		return path
	}
	a, b, c := part("a.csv"), part("b.csv"), part("year=2024/month=1/c.csv")
	open := func(paths ...string) error {
		in, err := files.OpenAll(paths, strings.NewReader(""), files.DefaultSettings())
		if err != nil {
			return err
		}
		return in.Close()
	}
	tables := [][]string{{table}, {table + string(filepath.Separator)}, {filepath.Join(table, "*.csv")}, {filepath.Dir(c)}, {filepath.Join(table, "year=*", "*", "*.csv")}, {a, b}, {a, c}}
	must.Succeed(t, os.WriteFile(filepath.Join(table, "_delta_log"), nil, 0o644)) // not a folder
	for _, paths := range tables {
		must.Succeed(t, open(paths...))
	}
	must.Succeed(t, os.Remove(filepath.Join(table, "_delta_log")))
	part("_delta_log/00000000000000000000.json")
	for _, paths := range tables {
		err := open(paths...)
		if want := `deltalake.DeltaTable("` + filepath.ToSlash(table) + `").to_pandas().to_parquet('table.parquet')`; !errors.Is(err, files.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", paths, err)
		}
		if _, again := files.Parts(paths); again == nil || again.Error() != err.Error() {
			t.Errorf("%q: Parts: %v", paths, again)
		}
	}
	must.Succeed(t, os.RemoveAll(filepath.Join(table, "a.csv")))
	must.Succeed(t, os.RemoveAll(filepath.Join(table, "b.csv")))
	if err := open(table); !errors.Is(err, files.ErrFormat) {
		t.Errorf("a table that has only partitions: %v", err)
	}
	must.Succeed(t, open(c))
}
