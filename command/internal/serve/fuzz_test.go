package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// FuzzProgress checks that no progress file and no file that begins as a result, whatever its content, hides the results of the folder or makes
// a snapshot that is not JSON.
func FuzzProgress(f *testing.F) {
	seeds := [][]byte{
		[]byte(`{"name":"x.csv","state":"running","step":5,"of":100,"stage":"search","seconds":1.5,"h":1e-9,"score":-12.5,"edges":7,"course":{"of":"score","step":[1,2],"value":[3.5,2]}}`),
		[]byte(`{"schema":"` + polydag.Schema + `","names":["a"],"edges":[]}`),
		[]byte("{}"), []byte("[1]"), nil,
	}
	for _, text := range must.Mutants(400, seeds...) {
		f.Add(text, true)
		f.Add(text, false)
	}
	dir := f.TempDir()
	must.Succeed(f, os.WriteFile(filepath.Join(dir, "good.json"), []byte(`{"schema":"`+polydag.Schema+`"}`), 0o644))
	s := must.Get(New(idle(dir)))
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, text []byte, progress bool) {
		name := "x.json"
		if progress {
			name = "x" + progressSuffix
		}
		path := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(path, text, 0o644))
		defer os.Remove(path)
		sent, _ := s.snapshot()
		var got Snapshot
		must.Succeed(t, json.Unmarshal(sent, &got))
		listed := false
		for _, e := range got.Results {
			listed = listed || e.Name == "good.json"
		}
		if !listed || len(got.Elsewhere) > 0 && !progress {
			t.Fatalf("%q in %s: %s", text, name, sent)
		}
	})
}
