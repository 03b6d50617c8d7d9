package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// oneWord lists the words that have one name each: in Go, JSON, flags, Python, R, the page and the documentation. Each has the names that
// it had, as they would come back in identifiers and keys.
var oneWord = []struct {
	word string
	was  []string
	but  string // the beginning of the names of files in which the other word means something else
}{
	{"gain: what an edge adds to the score", []string{"e.Strength", "MinStrength", `"strength"`, "min-strength", "min_strength", "e.strength"}, ""},
	{"environment: the conditions under which rows were recorded", []string{"regime", "Regime"}, ""},
	{"group: rows that belong together", []string{"dataset.Clusters", `"clusters"`, "--clusters", "ReplayClusters"}, "web/src/"},
	{"data checks: what is looked at before learning", []string{"preflight", "Preflight"}, ""},
	{"rows: the observations of a table", []string{"(nodes=8, samples", "(nodes = 8, samples"}, ""},
	{"outcome: what the check of an assumption found; a verdict is about an edge", []string{"EdgeVerdict", "assumptions$verdict", "holds_up", "not_checkable"}, ""},
	{"on demand: computed when asked for", []string{"LeanMoments", ".Lean("}, ""},
	{"shares: prior probabilities of directions", []string{"AddLeaning"}, ""},
}

// TestOneWordPerConcept looks for names that were given up.
func TestOneWordPerConcept(t *testing.T) {
	kinds := map[string]bool{".go": true, ".ts": true, ".py": true, ".pyi": true, ".R": true, ".Rd": true, ".md": true, ".ipynb": true, ".txtar": true, ".json": true, ".css": true}
	seen := 0
	must.Succeed(t, filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "test-results" || name == "assets") {
				return filepath.SkipDir
			}
			return nil
		}
		file := filepath.ToSlash(path)
		if !kinds[filepath.Ext(file)] || file == "docs/words_test.go" || file == "docs/language_test.go" || file == "CHANGELOG.md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for _, w := range oneWord {
			if w.but != "" && strings.HasPrefix(file, w.but) {
				continue
			}
			for _, was := range w.was {
				if at := bytes.Index(text, []byte(was)); at >= 0 {
					t.Errorf("%s:%d: %q; the word is %s", file, 1+bytes.Count(text[:at], []byte("\n")), was, w.word)
				}
			}
		}
		return nil
	}))
	if seen < 1000 {
		t.Errorf("only %d files were read: the test looks in the wrong place", seen)
	}
}
