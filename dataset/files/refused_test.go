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

// TestFilesThatAreRefused checks that files of statistics programs are named, with the lines of Python and R that convert them.
func TestFilesThatAreRefused(t *testing.T) {
	for head, want := range map[string]string{
		"$FL2@(#) SPSS DATA FILE\x02\x00\x00": "read_spss('file.sav')", "<stata_dta><header>": "read_stata('file.dta')", "s\x01\x01\x00\x00\x02": "haven::read_dta('file.dta')",
		strings.Repeat("\x00", 12) + "\xc2\xea\x81\x60\xb3\x14":     "haven::read_sas('file.sas7bdat')",
		"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000000000": "haven::read_xpt('file.xpt')",
	} {
		path := filepath.Join(t.TempDir(), "table.dat")
		must.Succeed(t, os.WriteFile(path, []byte(head+strings.Repeat(" ", 100)), 0o644))
		_, err := files.Open(path, nil, files.Settings{})
		if !errors.Is(err, files.ErrFormat) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "In Python: import pandas; pandas.read_") || !strings.Contains(err.Error(), ".to_parquet(") {
			t.Errorf("%.20q: %v, want %s", head, err, want)
		}
	}
	for name, want := range map[string]bool{"a.csv": true, "a.csv.gz": true, "b.xlsx": true, "c.parquet": true, "d.json": false, "e.jsonl": true, "f": false, "g.npy": true, "h.dot": false} {
		if files.IsTable(name) != want {
			t.Errorf("%s is a table: %v, want %v", name, !want, want)
		}
	}
}
