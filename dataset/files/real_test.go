package files

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset/prepare"
)

// TestPublishedTables checks that published tables with *, identifiers, + and - as classes, and a covariance
// matrix can be read.
func TestPublishedTables(t *testing.T) {
	folder := cmp.Or(os.Getenv("POLYDAG_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	all, err := filepath.Glob(filepath.Join(folder, "real", "*", "*.txt.gz"))
	if err != nil || len(all) == 0 {
		t.Skip("the published tables are not beside the repository")
	}
	notes := map[string]string{}
	for _, path := range all {
		name := filepath.Base(path)
		if strings.Contains(name, "knowledge") {
			continue
		}
		in, err := Open(path, nil, DefaultSettings())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m, _ := in.Saved(); m == nil {
			set := prepare.DefaultSettings()
			set.Encode, set.Missing, set.MaxLevels, set.Exclude, set.Profile = "levels", "auto", 100_000, true, true
			if g, err := prepare.Gather(context.Background(), in.Source, set); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				notes[name] = whats(g)
			}
		} else if name != "cites.cov.txt.gz" {
			t.Errorf("%s is read as moments", name)
		}
		in.Close()
	}
	for name, want := range map[string]string{
		"hitters.txt.gz": "Salary missing-marker 2", "galton-stature.mixed.txt.gz": "family mixed 892",
		"crx.data.mixed.maximum.14.txt.gz": "A1 missing-marker 250, A2 missing-marker 85, A4 missing-marker 208, A5 missing-marker 208, A6 missing-marker 208, A7 missing-marker 208, A14 missing-marker 73",
	} {
		if notes[name] != want {
			t.Errorf("%s: %q, want %q", name, notes[name], want)
		}
	}
}
