package command

import (
	"bytes"
	"context"
	"hash/crc32"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/report"
)

// FuzzTamperedResult gives changed results to every command that takes one. A command ends with a code of its own: no panic, and a message if it
// fails. A result that cannot be read is given to one command only, because all read it in the same way.
func FuzzTamperedResult(f *testing.F) {
	f.Chdir(f.TempDir())
	run := func(t testing.TB, args ...string) (code int, said string) {
		var out, errs bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		code = Run(ctx, lab.All, args, strings.NewReader(""), &out, &errs, allWings...)
		if code < 0 || code > exitRefuted || code != exitOK && strings.TrimSpace(errs.String()) == "" {
			t.Errorf("polydag %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return code, errs.String()
	}
	for _, line := range []string{
		"simulate --nodes 4 --set degree=2 --rows 150 --seed 3 --output t.csv --truth truth.csv", "simulate --nodes 4 --set degree=2 --rows 150 --seed 4 --output u.csv",
		"learn t.csv --output plain.json --bootstrap 10 --quiet", "learn t.csv --output lagged.json --time . --lags 1 --quiet", "learn t.csv --output pag.json --method order-fci --quiet",
	} {
		if code, said := run(f, strings.Fields(line)...); code != exitOK {
			f.Fatalf("%s: %s", line, said)
		}
	}
	var seeds [][]byte
	for _, name := range []string{"plain.json", "lagged.json", "pag.json"} {
		seeds = append(seeds, must.Get(os.ReadFile(name)))
	}
	must.AddMutants(f, 60, seeds...)
	commands := []string{
		"explain r.json --from x1 --to x2 --sensitive x0 --json", "effect r.json --of x0 --on x3 --output -", "effect r.json --of x0 --on x3 --data t.csv --set given-graph --do 1,2",
		"questions r.json --json", "why t.csv u.csv --graph r.json --target x3 --set replicates=2", "evaluate --truth truth.csv r.json", "test r.json --data t.csv", "impute t.csv r.json --output i.csv", "simulate --from r.json --rows 20 --output s.csv", "confidence r.json --data t.csv --bootstrap 2 --output c.json",
	}
	for _, format := range report.Formats() {
		commands = append(commands, "convert r.json - --to "+format.Name)
	}
	drawn := []string{"report r.json --output r.html --data t.csv", "draw r.json r.svg"}
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Succeed(t, os.WriteFile("r.json", text, 0o644))
		readable := commands
		if _, err := polydag.ReadResult(bytes.NewReader(text)); err != nil {
			readable = commands[:1]
		} else if crc32.ChecksumIEEE(text)%8 == 0 { // a layout takes longer than all other commands
			readable = append(drawn, commands...)
		}
		for _, line := range readable {
			run(t, strings.Fields(line)...)
		}
	})
}
