package docs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// output runs one command line and returns what it prints, warnings and progress included.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := command.Run(context.Background(), lab.All, args, strings.NewReader(""), &out, &out, wings.All...); code != 0 {
		t.Fatalf("polydag %s: exit code %d\n%s", strings.Join(args, " "), code, out.String())
	}
	return out.String()
}

// plain reports every private term in what a command prints.
func plain(t *testing.T, args ...string) {
	t.Helper()
	text := strings.ReplaceAll(output(t, args...), "strength (score gain)", "") // a column of the edge list
	for _, f := range findPrivateTerms(text) {
		t.Errorf("polydag %s, %s", strings.Join(args, " "), f)
	}
}

// commandNames returns the command lines that reach every command of the program.
func commandNames(t *testing.T) [][]string {
	var out bytes.Buffer
	if code := command.Run(context.Background(), lab.All, []string{"describe"}, strings.NewReader(""), &out, io.Discard, wings.All...); code != 0 {
		t.Fatalf("polydag describe: exit code %d", code)
	}
	var d struct {
		Commands []struct {
			Name string
		}
	}
	must.Succeed(t, json.Unmarshal(out.Bytes(), &d))
	var names [][]string
	for _, c := range d.Commands {
		names = append(names, strings.Fields(c.Name))
	}
	return names
}

// TestHelpUsesPlainTerms checks the short and the long help of every command, and the description of every method.
func TestHelpUsesPlainTerms(t *testing.T) {
	names := commandNames(t)
	if len(names) < 25 {
		t.Fatalf("polydag describe lists only %d commands", len(names))
	}
	for _, name := range append(names, nil) {
		plain(t, append(name, "--help")...)
	}
	for _, name := range names {
		if strings.Contains(output(t, append(name, "--help")...), "--help-all") {
			plain(t, append(name, "--help-all")...)
		}
	}
	plain(t, "methods")
	for _, m := range lab.All() {
		plain(t, "methods", m.Info().Name)
	}
}

// TestOutputUsesPlainTerms checks what the commands print about the table of polydag demo.
func TestOutputUsesPlainTerms(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Succeed(t, os.WriteFile("truth.csv", []byte("from,to\nmist,moss\nlight,moss\nmushroom,mist\n"), 0o644))
	for _, line := range []string{
		"demo --save demo.csv", "check demo.csv", "learn demo.csv", "learn demo.csv --verbose --output r.json",
		"learn demo.csv --verbose --bootstrap 20 --seed 2", "learn demo.csv --method fci --verbose", "learn demo.csv --posterior --verbose",
		"learn demo.csv --method notears --verbose", "learn demo.csv --model smooth --verbose",
		"confidence r.json --data demo.csv --bootstrap 20 --verbose", "path demo.csv --verbose",
		"evaluate r.json --truth truth.csv --set sid",
		"effect r.json --of mist --on moss", "effect r.json --of mist --on moss --do 1 --row 3 --data demo.csv --set given-graph --verbose",
		"effect r.json --of mist --on ice_cream_scoops --data demo.csv --set replicates=20",
		"explain r.json --from mist --to moss", "compare demo.csv --methods order,pc,notears --verbose",
	} {
		plain(t, strings.Fields(line)...)
	}
}
