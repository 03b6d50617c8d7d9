package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
)

// found is the content that a reader got from a file. Parts that the format does not support are nil or absent.
type found struct {
	names []string // in the order of the file
	edges []foundEdge
	nodes []polydag.Node // with names
}

type foundEdge struct {
	from, to             string
	weight, standardized *float64
	mark                 string
	compelled            *bool
	judged
}

// judged is the verdict on an edge as a file has it, with the confidence, p_adjacent and p_direction in p, and what the
// direction rests on in one word.
type judged struct {
	verdict polydag.Verdict
	p       [3]float64
	basis   string
}

// judgedBy reads the five fields by name.
func judgedBy(field func(string) string) (j judged) {
	j.verdict, j.basis = polydag.Verdict(field("verdict")), field("basis")
	for k, name := range []string{"confidence", "p_adjacent", "p_direction"} {
		if p := float(field(name)); p != nil {
			j.p[k] = *p
		}
	}
	return j
}

// pairs sets the marks of a matrix, where two edges of a pair are undirected, and counts the edges, of two undirected ones of a pair one.
func (f found) pairs() (n int) {
	at := map[[2]string]int{}
	n = len(f.edges)
	for k, e := range f.edges {
		at[[2]string{e.from, e.to}] = k
		other, twice := at[[2]string{e.to, e.from}]
		switch {
		case twice && f.edges[other].mark == "---" && e.mark == "---":
			n--
		case twice && e.mark == "" && sameWeight(e.weight, 0, false) && sameWeight(f.edges[other].weight, 0, false):
			f.edges[k].mark, f.edges[other].mark = "---", "---"
			n--
		case e.mark == "":
			f.edges[k].mark = "-->"
		}
	}
	return n
}

// handed returns the graph of a result that a format gets: what it states, or the result itself.
func handed(format string, r *polydag.Result) *polydag.Result {
	if slices.Contains([]string{"json", "bnlearn"}, format) {
		return r
	}
	return r.Claimed()
}

// check compares what was read with what was written, for the parts in holds.
func (f found) check(r *polydag.Result, holds string) error {
	has := func(c byte) bool { return slices.Contains([]byte(holds), c) }
	if has('n') && !slices.Equal(f.names, r.Names) {
		return fmt.Errorf("names %q, want %q", f.names, r.Names)
	}
	if has('N') && !reflect.DeepEqual(f.nodes, r.Nodes) && len(r.Nodes) > 0 {
		return fmt.Errorf("nodes %v, want %v", f.nodes, r.Nodes)
	}
	if n := f.pairs(); n != len(r.Edges) {
		return fmt.Errorf("%d edges, want %d", n, len(r.Edges))
	}
	got := map[[2]string]foundEdge{}
	for _, e := range f.edges {
		got[[2]string{e.from, e.to}] = e
	}
	for _, want := range r.Edges {
		e, ok := got[[2]string{want.From, want.To}]
		if !ok && want.Mark == "---" {
			e, ok = got[[2]string{want.To, want.From}]
		}
		if !ok {
			return fmt.Errorf("no edge %q → %q", want.From, want.To)
		}
		weighs := r.HasWeight(want)
		if has('w') && !sameWeight(e.weight, want.Weight, weighs) ||
			has('s') && !sameWeight(e.standardized, want.Standardized, weighs) ||
			has('m') && e.mark != want.Mark ||
			has('c') && (e.compelled == nil || *e.compelled != want.Compelled) ||
			has('v') && e.judged != (judged{want.Verdict, [3]float64{want.Confidence, want.PAdjacent, want.PDirection}, want.RestsOn()}) {
			return fmt.Errorf("edge %q → %q read as %+v, want %+v", want.From, want.To, e, want)
		}
	}
	return nil
}

// sameWeight reports whether a reader got the weight of an edge. One that does not exist is absent or NaN, and dagitty and lavaan omit a
// weight of 0.
func sameWeight(got *float64, want float64, exists bool) bool {
	if !exists {
		return got == nil || math.IsNaN(*got)
	}
	return got == nil && want == 0 || got != nil && *got == want
}

// readers has for each format an independent reader, and what the format holds: n names with order, N nodes
// with their numbers, w weight, s standardized, m marks, c compelled, v verdict with its probabilities.
var readers = map[string]struct {
	read  func(text []byte, r *polydag.Result) (found, error) // r is only for parts that a format omits
	holds string
}{
	"json":      {readJSON, "nNwsmcv"},
	"edges":     {readEdges, "wsmcv"},
	"adjacency": {readAdjacency, "nwm"},
	"npy":       {readNPY, "wm"},
	"dot":       {readDOT, "nwsmcv"},
	"graphml":   {readGraphML, "nNwsmcv"},
	"node-link": {readNodeLink, "nNwsmcv"},
	"lavaan":    {readLavaan, "wm"},
	"dagitty":   {readDagitty, "nsm"},
	"bnlearn":   {readBnlearn, "nm"},
	"mermaid":   {readMermaid, "nm"},
}

func roundTrip(t *testing.T, format string, r *polydag.Result) {
	t.Helper()
	text := render(t, format, r)
	r = handed(format, r)
	got, err := readers[format].read(text, r)
	if err == nil {
		err = got.check(r, readers[format].holds)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", format, err, text)
	}
	if format == "lavaan" { // has its own order
		names := slices.Clone(r.Names)
		slices.Sort(names)
		slices.Sort(got.names)
		if !slices.Equal(slices.Compact(got.names), names) {
			t.Fatalf("lavaan: names %q, want %q", got.names, names)
		}
	}
}

func TestEveryFormatHasAReader(t *testing.T) {
	for _, f := range report.Formats() {
		if _, ok := readers[f.Name]; !ok && f.Name != "text" && f.Name != "methods" {
			t.Errorf("no test reads %s back", f.Name)
		}
		if f.Description == "" || len(f.Extensions) == 0 {
			t.Errorf("%s lacks a description or an extension", f.Name)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	for format := range readers {
		t.Run(format, func(t *testing.T) {
			for name, r := range cases() {
				t.Run(name, func(t *testing.T) { roundTrip(t, format, r) })
			}
			f := must.Get(report.Formats().ByName(format))
			for name, r := range markedCases() {
				t.Run(name, func(t *testing.T) {
					if f.Marks || f.Undirected && name == "cpdag" {
						roundTrip(t, format, r)
						return
					}
					// A format without marks returns an error before the first byte that names other formats.
					var b bytes.Buffer
					err := f.Write(r)(&b)
					if !errors.Is(err, report.ErrNotDAG) || b.Len() > 0 || !strings.Contains(err.Error(), string(r.Kind)) || !strings.Contains(err.Error(), "graphml") || strings.Contains(err.Error(), "lavaan,") {
						t.Errorf("error %v after %d bytes", err, b.Len())
					}
				})
			}
		})
	}
}

func TestRoundTripsOfRandomNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 13))
	for seed := range uint64(60) {
		r := result(randomNames(rng, 2+rng.IntN(20)), seed)
		for format := range readers {
			roundTrip(t, format, r)
		}
	}
}

// TestUnlistedNamesAreRefused checks that an edge between names that are not there is an error before the first
// byte, in every format that needs the names.
func TestUnlistedNamesAreRefused(t *testing.T) {
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a"}, Nodes: []polydag.Node{{Name: "a"}}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 1}}}
	refused(t, r)
}

// refused checks that every format that needs the names and marks returns an error before the first byte.
func refused(t *testing.T, r *polydag.Result) {
	t.Helper()
	for _, f := range report.Formats() {
		if slices.Contains([]string{"json", "edges", "methods", "text"}, f.Name) {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(r)(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s of %+v: error %v after %d bytes", f.Name, r.Edges, err, b.Len())
		}
	}
}

// TestMarksDecide checks that a class with one member is that DAG, and that an invalid mark is refused.
func TestMarksDecide(t *testing.T) {
	one := &polydag.Result{Kind: graph.KindCPDAG, Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->"}, {Link: polydag.Link{From: "b", To: "c"}, Mark: "-->"}}}
	must.Same(t, string(render(t, "bnlearn", one)), "[a][b][c|a:b]\n")
	for _, mark := range []string{"", "->", "x-x", "<--"} {
		one.Edges[0].Mark = mark
		refused(t, one)
	}
}

// TestTextShowsMarks checks that text shows the marks, gives an edge without a direction no weight, and
// explains each mark that is there.
func TestTextShowsMarks(t *testing.T) {
	for name, r := range markedCases() {
		text := string(render(t, "text", r))
		for _, e := range r.Edges {
			mark, words := e.Mark, graph.Words(e.Mark)
			if mark == "---" {
				mark, words = "—", "undirected"
			}
			line := regexp.MustCompile(`(?m)^  ` + e.From + ` +` + mark + ` +` + e.To + `( +0\.50)?( +0\.00)?$`)
			if flat := strings.Join(strings.Fields(text), " "); !e.Directed() && (!line.MatchString(text) || !strings.Contains(flat, words)) {
				t.Errorf("%s: %s %s %s in\n%s", name, e.From, e.Mark, e.To, text)
			}
		}
		if !strings.Contains(text, strings.ToUpper(string(r.Kind))+" certificate") || strings.Contains(text, "acyclicity certificate") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestWriteErrors checks that every format returns an error of the writer.
func TestWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, f := range report.Formats() {
		if err := f.Write(cases()["plain"])(writerFunc(func([]byte) (int, error) { return 0, full })); !errors.Is(err, full) {
			t.Errorf("%s: got %v, want %v", f.Name, err, full)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestRegistry(t *testing.T) {
	fs := append(report.Formats(), report.Format{Name: "svg", Extensions: []string{".svg"}, Write: func(*polydag.Result) func(io.Writer) error { return nil }})
	for path, want := range map[string]string{
		"r.json": "json", "dir.dot/r.JSON": "json", "r.csv": "edges", "r.adjacency.csv": "adjacency", "r.adj.csv": "adjacency",
		"r.nodelink.json": "node-link", "r.node-link.json": "node-link", "r.npy": "npy", "r.gv": "dot", "r.graphml": "graphml",
		"r.lav": "lavaan", "r.bnlearn": "bnlearn", "r.mmd": "mermaid", "r.txt": "text", "r.methods.txt": "methods", "r.svg": "svg",
	} {
		if f, err := fs.ForFile(path); err != nil || f.Name != want {
			t.Errorf("%s is %q (%v), want %s", path, f.Name, err, want)
		}
	}
	for _, path := range []string{"r", "r.xyz", "csv", "dot/r", ""} {
		if f, err := fs.ForFile(path); err == nil {
			t.Errorf("%q is %s, want an error", path, f.Name)
		}
	}
	// BIF has no place for a Gaussian network: the name is refused, and what to write instead is named.
	for _, path := range []string{"r.bif", "dir/R.BIF", "r.xdsl", "r.net"} {
		if _, err := fs.ForFile(path); !errors.Is(err, report.ErrDiscrete) || !strings.Contains(err.Error(), ".lav") {
			t.Errorf("%s: %v", path, err)
		}
	}
	seen := map[string]string{}
	for _, f := range fs {
		if got, err := fs.ByName(f.Name); err != nil || got.Name != f.Name {
			t.Errorf("ByName(%s): %v, %v", f.Name, got.Name, err)
		}
		for _, ext := range f.Extensions {
			if seen[ext] != "" {
				t.Errorf("%s belongs to %s and %s", ext, seen[ext], f.Name)
			}
			seen[ext] = f.Name
		}
	}
	if _, err := fs.ByName("xyz"); err == nil {
		t.Error("xyz is a format")
	}
}

// TestLavaanHostileNames checks that names that are syntax to lavaan or to R reach it as other names, and the
// comments undo it, in ASCII.
func TestLavaanHostileNames(t *testing.T) {
	names := []string{"a~b", "1x", "x y", "NA", "é", `q"u'o`, "new\nline", "y # c", "!", "efa", "a.b", "👩", `odd " quote`}
	r := &polydag.Result{Schema: polydag.Schema, Kind: graph.KindDAG, Names: names}
	for i := range names[1:] {
		r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: names[i], To: names[i+1]}, Mark: "-->", Weight: 1})
	}
	text := render(t, "lavaan", r)
	for _, c := range text {
		if c >= 0x80 {
			t.Fatalf("byte %#x in\n%s", c, text)
		}
	}
	back := aliasTable(text, `(?m)^# (.*)$`)
	lines, err := lavaanTokens(string(text))
	if err != nil || len(lines) != len(names)-1 {
		t.Fatalf("%d lines, %v:\n%s", len(lines), err, text)
	}
	for i, line := range lines {
		if len(line) != 3 || line[1] != "~" || back.of(line[0]) != names[i+1] || back.of(line[2]) != names[i] {
			t.Errorf("%q is not %q ~ %q", line, names[i+1], names[i])
		}
	}
}

// TestLagsNeedMarks checks that formats for DAGs alone refuse edges with a lag, which they would drop.
func TestLagsNeedMarks(t *testing.T) {
	r := &polydag.Result{Names: []string{"a", "b"}, Kind: graph.KindDAG, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}}}
	r.Lagged = []polydag.Edge{{Link: polydag.Link{From: "b", To: "a"}, Mark: "-->", Lag: 1}}
	for _, f := range report.Formats() {
		if f.Marks {
			continue // the formats for DAGs, and those with one line per pair
		}
		var b bytes.Buffer
		if err := f.Write(r)(&b); !errors.Is(err, report.ErrNotDAG) || !strings.Contains(err.Error(), "it has edges with a lag") || b.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", f.Name, err, b.Len())
		}
	}
}
