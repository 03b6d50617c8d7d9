package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// sprinkler is a network in which rain and a sprinkler wet the grass.
const sprinkler = `network sprinkler {}
variable rain { type discrete [ 2 ] { no, yes }; }
variable sprinkler { type discrete [ 2 ] { off, on }; }
variable grass { type discrete [ 2 ] { dry, wet }; }
probability ( rain ) { table 0.75, 0.25; }
probability ( sprinkler | rain ) { (no) 0.5, 0.5; (yes) 1, 0; }
probability ( grass | sprinkler, rain ) { (off, no) 1, 0; (on, no) 0, 1; (off, yes) 0, 1; (on, yes) 0, 1; }
`

func TestSimulateFromNetwork(t *testing.T) {
	dir := t.TempDir()
	net, data, truth := filepath.Join(dir, "s.bif"), filepath.Join(dir, "s.csv"), filepath.Join(dir, "truth.csv")
	must.Succeed(t, os.WriteFile(net, []byte(sprinkler), 0o644))
	run(t, 0, "simulate", "--from", net, "--rows", "4000", "--output", data, "--truth", truth)
	rows := strings.Split(strings.TrimSpace(string(must.Get(os.ReadFile(data)))), "\n")
	if rows[0] != "rain,sprinkler,grass" || len(rows) != 4001 {
		t.Fatalf("%d lines, %q", len(rows), rows[0])
	}
	count := map[string]int{}
	for _, row := range rows[1:] {
		count[row]++
	}
	for row, share := range map[string]float64{"no,off,dry": 0.375, "no,on,wet": 0.375, "yes,off,wet": 0.25} {
		if got := float64(count[row]) / 4000; got < share-0.03 || got > share+0.03 {
			t.Errorf("%s in %v of the rows, want %v", row, got, share)
		}
	}
	if got := string(must.Get(os.ReadFile(truth))); got != "from,to\nrain,sprinkler\nrain,grass\nsprinkler,grass\n" && got != "from,to\nrain,sprinkler\nsprinkler,grass\nrain,grass\n" {
		t.Errorf("%q", got)
	}

	out, _ := run(t, 0, "simulate", "--from", net, "--rows", "500", "--do", "sprinkler=on", "--output", "-")
	if strings.Contains(out, "off") || strings.Contains(out, "dry") || !strings.Contains(out, "yes,on,wet") {
		t.Errorf("with the sprinkler on: %q", out[:60])
	}
	for _, c := range []struct{ says, args string }{
		{"the network has no such variable", "--do rian=yes"},
		{"want one of [no yes]", "--do rain=1"},
		{"the probabilities are in", "--data x.csv"},
	} {
		if _, errs := run(t, 2, append([]string{"simulate", "--from", net, "--output", "-"}, strings.Fields(c.args)...)...); !strings.Contains(errs, c.says) {
			t.Errorf("%s: %q", c.args, errs)
		}
	}
	must.Succeed(t, os.WriteFile(net, []byte(sprinkler[:200]), 0o644))
	if _, errs := run(t, 1, "simulate", "--from", net, "--output", "-"); !strings.Contains(errs, "line") {
		t.Errorf("a file that is cut: %q", errs)
	}
}
