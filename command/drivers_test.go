//go:build !js

package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestDrivers checks both ways to ask, which give the same ranking, and the refusals.
func TestDrivers(t *testing.T) {
	dir := t.TempDir()
	data, result := filepath.Join(dir, "t.csv"), filepath.Join(dir, "r.json")
	run(t, exitOK, "demo", "--save", data)
	run(t, exitOK, "learn", data, "--output", result, "--quiet")
	fresh, _ := run(t, exitOK, "drivers", data, "--of", "ice_cream_scoops", "--set", "replicates=4")
	again, _ := run(t, exitOK, "effect", result, "--on", "ice_cream_scoops", "--data", data, "--set", "replicates=4")
	ranking := func(text string) string {
		text, next, ok := strings.Cut(text, "\nNext:")
		if !ok || !strings.Contains(next, "polydag effect") {
			t.Errorf("next: %s", next)
		}
		return text
	}
	if a, b := ranking(fresh), ranking(again); a != b || !strings.Contains(strings.SplitN(a, "\n", 3)[1], "Caveat: ") {
		t.Errorf("drivers:\n%s\neffect:\n%s", a, b)
	}
	if text, _ := run(t, exitOK, "effect", result, "--on", "ice_cream_scoops", "--data", data, "--by", "light", "--set", "replicates=4"); !strings.Contains(text, "Effects in subgroups:") || !strings.Contains(text, "light: up to") {
		t.Error(text)
	}
	for _, format := range []string{".svg", ".png", ".pdf"} {
		picture := filepath.Join(dir, "bars"+format)
		text, _ := run(t, exitOK, "effect", result, "--on", "ice_cream_scoops", "--data", data, "--set", "replicates=4", "--output", picture)
		if b, err := os.ReadFile(picture); err != nil || len(b) < 1000 || !strings.Contains(text, "What drives ice_cream_scoops") {
			t.Errorf("%s: %d bytes, %v, %s", format, len(b), err, text)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"drivers", data, "--of", "ice_cream_scops"}, "did you mean ice_cream_scoops?"},
		{[]string{"drivers", data}, "--of is required"},
		{[]string{"drivers", data, "--of", "ice_cream_scoops", "--by", "mis"}, "did you mean mist?"},
		{[]string{"effect", result, "--of", "mist", "--on", "ice_cream_scoops", "--by", "moss"}, "omit --of"},
		{[]string{"effect", result, "--on", "ice_cream_scops", "--data", data}, "did you mean ice_cream_scoops?"},
		{[]string{"effect", result}, "--on is required"},
		{[]string{"effect", result, "--on", "mist", "--do", "1"}, "values are those of one cause"},
	} {
		if _, err := run(t, exitUsage, c.args...); !strings.Contains(err, c.want) {
			t.Errorf("%v: %s", c.args, err)
		}
	}
}

// TestCensoredDrivers checks that censored times are proposed where the names say so, that the drivers of a restricted mean are found, and
// that a result repeats the setting.
func TestCensoredDrivers(t *testing.T) {
	dir := t.TempDir()
	data, result := filepath.Join(dir, "t.csv"), filepath.Join(dir, "r.json")
	rng, rows := rand.New(rand.NewPCG(3, 1)), "treatment,time,status\n"
	for i := range 400 {
		happens, ends := rng.ExpFloat64()*(10+10*float64(i%2)), 5+20*rng.Float64()
		rows += fmt.Sprintf("%d,%.3f,%d\n", i%2, min(happens, ends), map[bool]int{true: 1}[happens < ends])
	}
	must.Succeed(t, os.WriteFile(data, []byte(rows), 0o600))
	if _, said := run(t, exitOK, "drivers", data, "--of", "time", "--set", "replicates=4"); !strings.Contains(said, "--set censored=time:status") {
		t.Error(said)
	}
	text, said := run(t, exitOK, "drivers", data, "--of", "time", "--set", "replicates=4", "--set", "censored=time:status", "--leaves", "time")
	if !strings.Contains(said, "its mean is the restricted mean up to") || strings.Contains(text, "status") || !strings.Contains(text, "treatment  1 instead of 0") {
		t.Errorf("%s\n%s", said, text)
	}
	run(t, exitOK, "learn", data, "--set", "censored=time:status", "--leaves", "time", "--output", result, "--quiet")
	again, _ := run(t, exitOK, "effect", result, "--on", "time", "--data", data, "--set", "replicates=4")
	if table := func(s string) string { a, _, _ := strings.Cut(s, "\nNext:"); return a }; table(again) != table(text) {
		t.Errorf("drivers:\n%s\neffect:\n%s", text, again)
	}
	if _, said := run(t, exitUsage, "drivers", data, "--of", "time", "--set", "censored=time"); !strings.Contains(said, "want TIME:EVENT") {
		t.Error(said)
	}
}

// TestExportOfTheDAG checks that --dag writes directions that are not stated, as in convert, and that it needs --export.
func TestExportOfTheDAG(t *testing.T) {
	dir := t.TempDir()
	data, result := filepath.Join(dir, "t.csv"), filepath.Join(dir, "r.json")
	run(t, exitOK, "demo", "--save", data)
	for _, dag := range []bool{false, true} {
		export, converted := filepath.Join(dir, fmt.Sprint(dag, ".csv")), filepath.Join(dir, fmt.Sprint(dag, "2.csv"))
		learn, convert := []string{"learn", data, "--set", "variance=unequal", "--names", "off", "--quiet", "--output", result, "--export", export}, []string{"convert", result, converted}
		if dag {
			learn, convert = append(learn, "--dag"), append(convert, "--dag")
		}
		run(t, exitOK, learn...)
		run(t, exitOK, convert...)
		text := string(must.Get(os.ReadFile(export)))
		if strings.Contains(text, "---") == dag || text != string(must.Get(os.ReadFile(converted))) {
			t.Errorf("dag %v: %s", dag, text)
		}
		must.Succeed(t, os.Remove(result))
	}
	if _, err := run(t, exitUsage, "learn", data, "--dag"); !strings.Contains(err, "--export") {
		t.Error(err)
	}
}
