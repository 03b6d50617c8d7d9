//go:build !js

package command

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/report"
)

// These are names of columns that a terminal would obey: colors, a screen that is erased, text that is reversed, a line of its own.
var hostileNames = []string{"re\x1b[31md", "era\u009b2Jse", "rev\u202eerse", "li\nIdentified by adjustment.\tne", "sec\u2066ret\x07\x7f", "group\rof\u2028rows"}

// hostileFolder is a folder with a table, its true graph, a second table, a time series and annotations of images, all with such names.
func hostileFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	quoted := func(names []string) string { return `"` + strings.Join(names, `","`) + `"` + "\n" }
	file := func(name, text string) { must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
	rng := rand.New(rand.NewPCG(7, 1))
	for _, name := range []string{"t.csv", "u.csv", "v.csv"} {
		var b strings.Builder
		b.WriteString(quoted(hostileNames))
		for i := range 150 {
			x := rng.NormFloat64()
			y, z := x+map[string]float64{"v.csv": 3}[name]+0.5*rng.NormFloat64(), rng.NormFloat64()
			w := y + z + 0.5*rng.NormFloat64()
			gap := fmt.Sprint(w)
			if name == "t.csv" && i%20 == 0 {
				gap = ""
			}
			fmt.Fprintf(&b, "%g,%g,%g,%s,%g,\"%s\"\n", x, y, z, gap, w+rng.NormFloat64(), []string{"a\x1b[2J", "b\u202e", "c\u0085d"}[rng.IntN(3)])
		}
		file(name, b.String())
	}
	file("truth.csv", fmt.Sprintf("from,to\n\"%s\",\"%s\"\n", hostileNames[0], hostileNames[1]))
	var b strings.Builder
	b.WriteString(quoted([]string{"t", hostileNames[0], hostileNames[1]}))
	x := 0.0
	for k := range 200 {
		y := 0.8*x + rng.NormFloat64()
		x = rng.NormFloat64()
		fmt.Fprintf(&b, "%d,%g,%g\n", k, x, y)
	}
	file("time.csv", b.String())
	file("coco.json", `{"images":[{"id":1,"file_name":"a\u001b[2J.jpg"},{"id":2,"file_name":"b.jpg"}],"categories":[{"id":1,"name":"c\u001b[31m"},{"id":2,"name":"d\u202e"}],`+
		`"annotations":[{"image_id":1,"category_id":1},{"image_id":2,"category_id":2},{"image_id":2,"category_id":1}]}`)
	return dir
}

// noNames are the commands that print no name of a column and no value.
var noNames = words("bench completion devices help licenses man reproduce version")

// TestEveryCommandShowsControls runs every command on tables with hostile names. Its output for people has no control character besides
// line breaks and tabs, no bidirectional mark, and no line of its own that is a name.
func TestEveryCommandShowsControls(t *testing.T) {
	dir := hostileFolder(t)
	n := hostileNames
	lines := [][]string{
		{"learn", "@t.csv", "--output", "@r.json", "--export", "@r.dot", "--export", "@r.csv", "--verbose", "--missing", "drop"},
		{"learn", "@t.csv", "--missing", "drop", "--drop", n[5], "--output", "@n.json", "--roots", n[0], "--forbid", n[1] + "->" + n[0], "--bootstrap", "5"},
		{"learn", "@t.csv", "--missing", "drop", "--log-format", "json", "--verbose"},
		{"learn", "@t.csv", "--missing", "drop", "--drop", "no\x1b[31mne"},
		{"learn", "@t.csv", "--method", "dag\x1b[31mma"},
		{"learn", "@no\x1b[31mne\u202e.csv"}, {"learn", "@no\x1bne\u202e.csv"},
		{"learn", "@time.csv", "--time", "t", "--lags", "1", "--output", "@s.json", "--verbose"},
		{"check", "@t.csv"}, {"check", "@t.csv", "--json"}, {"check", "@time.csv", "--drop", "t,no"},
		{"confidence", "@n.json", "--data", "@t.csv", "--bootstrap", "5"},
		{"convert", "@r.json", "-", "--to", "text"}, {"convert", "@s.json", "-", "--to", "methods"},
		{"compare", "@u.csv", "--methods", "order,lingam", "--drop", n[5]},
		{"path", "@u.csv", "--set", "values=1,2", "--set", "splits=2", "--drop", n[5]},
		{"counts", "@t.csv", "--columns", n[5], "--output", "@c.npz"}, {"moments", "@u.csv", "--drop", n[5], "--output", "@m.npz"},
		{"draw", "@r.json", "@r\x1b[31m/r.svg"}, {"report", "@r.json", "--output", "@r.html", "--sensitive", n[0]},
		{"explain", "@r.json", "--from", n[0], "--to", n[3]}, {"explain", "@r.json", "--from", n[0], "--to", "no\x1b[1mne"}, {"explain", "@s.json", "--from", n[0], "--to", n[1]},
		{"effect", "@r.json", "--of", n[0], "--on", n[3], "--data", "@t.csv", "--set", "replicates=2"}, {"effect", "@n.json", "--of", n[1], "--on", n[4]}, {"effect", "@s.json", "--of", n[0], "--on", n[1]},
		{"effect", "@r.json", "--of", n[5], "--on", n[0], "--data", "@t.csv", "--set", "replicates=2"},
		{"drivers", "@u.csv", "--drop", n[5], "--of", n[3], "--set", "replicates=2"}, {"drivers", "@t.csv", "--of", "no\x1b[1mne"}, {"drivers", "@t.csv", "--of", n[3], "--by", "no\x1b[1mne"}, {"effect", "@r.json", "--on", n[3], "--data", "@t.csv", "--set", "replicates=2"},
		{"questions", "@n.json"}, {"questions", "@s.json"}, {"questions", "@n.json", "--ask", "--output", "@known.json"},
		{"test", "@truth.csv", "--data", "@u.csv"}, {"test", "@n.json", "--data", "@u.csv", "--repair"},
		{"why", "@u.csv", "@v.csv", "--graph", "@r.json", "--target", n[3], "--set", "replicates=2"}, {"why", "@u.csv", "--graph", "@n.json", "--target", n[3], "--row", "7"}, {"why", "@u.csv", "--graph", "@r.json", "--target", n[5], "--row", "9"},
		{"impute", "@t.csv", "@r.json", "--output", "@full.csv"},
		{"audit", "@u.csv", "--on", n[3], "--given", n[0], "--sensitive", n[1]}, {"evaluate", "--truth", "@truth.csv", "@r.json"}, {"evaluate", "--truth", "@truth.csv", "@s.json"},
		{"simulate", "--from", "@r.json", "--data", "@t.csv", "--output", "@new.csv", "--rows", "20"},
		{"describe", "no\x1b[31mne"}, {"methods", "or\x1b[31mder"}, {"methods"}, {"demo", "\x1b[31m"},
		{"dataset", "coco", "@coco.json", "--set", "min-share=0.9"}, {"dataset", "coco", "@coco.json", "--output", "@o.csv"},
		{"serve", "@no\x1b[31mne", "--set", "for=1ms"}, {"serve", "@", "--listen", "127.0.0.1:0", "--set", "for=1ms", "--token-file", "@tok\x1b[31men"}, {"serve", "@", "--listen", "127.0.0.1:0", "--set", "for=1ms"},
		{"worker", "--nats", "nats://127.0.0.1:1", "--set", "name=w\x1b[31m", "--set", "kinds=k\x1b[31m"}, {"jobs", "--nats", "\x1b[31m"},
		{"no\x1b[31mne"}, {"learn", "--no\x1b[31mne"},
	}
	met := map[string]bool{}
	for _, c := range noNames {
		lines, met[c] = append(lines, []string{c, "--help"}), true
	}
	for _, args := range lines {
		met[args[0]] = true
		for k := range args {
			args[k] = strings.ReplaceAll(args[k], "@", dir+string(filepath.Separator))
		}
		var out, errs bytes.Buffer
		start := time.Now()
		code := newApp(lab.All, strings.NewReader("y\nn\n1 2?\nq\n"), &out, &errs, allWings...).run(context.Background(), args)
		for stream, text := range map[string]string{"output": out.String(), "messages": errs.String()} {
			if stream == "output" && slices.Contains(args, "--json") {
				continue
			}
			if at := strings.IndexFunc(text, obeyed); at >= 0 || !utf8.ValidString(text) || strings.Contains(text, "\nIdentified by adjustment.\t") {
				t.Errorf("%q: %s:\n%q", args, stream, text)
			}
		}
		if out.Len()+errs.Len() == 0 && !slices.Contains(args, "--output") {
			t.Errorf("%q prints nothing", args)
		}
		t.Logf("%q %v: exit code %d\n%s%s", args, time.Since(start), code, &out, &errs)
	}
	for _, c := range newApp(lab.All, nil, nil, nil, allWings...).root().Commands() {
		if !met[c.Name()] {
			t.Errorf("polydag %s has no line in this test", c.Name())
		}
	}
}

// obeyed reports whether a terminal obeys r, apart from line breaks and tabs.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029')
}

// TestMachineFormatsAreExact checks that standard output has the bytes of a file in every format but those for people.
func TestMachineFormatsAreExact(t *testing.T) {
	dir := hostileFolder(t)
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := newApp(lab.All, strings.NewReader(""), &out, &errs, allWings...).run(context.Background(), args); code != exitOK {
			t.Fatalf("%q: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	run("learn", in("u.csv"), "--drop", hostileNames[5], "--quiet", "--output", in("r.json"))
	hostile := 0
	for _, f := range report.Formats() {
		text := run("convert", in("r.json"), "-", "--to", f.Name)
		run("convert", in("r.json"), in("file"), "--to", f.Name)
		if same := text == string(must.Get(os.ReadFile(in("file")))); !same && !slices.Contains(forPeople, f.Name) {
			t.Errorf("%s: standard output differs from the file", f.Name)
		}
		if strings.Contains(text, hostileNames[2]) {
			hostile++
		}
	}
	if hostile < 8 {
		t.Errorf("%d formats keep a name", hostile)
	}
	run("simulate", "--from", in("r.json"), "--rows", "5", "--output", in("new.csv"))
	must.Same(t, run("simulate", "--from", in("r.json"), "--rows", "5", "--output", "-"), string(must.Get(os.ReadFile(in("new.csv")))), "simulate")
}
