package report

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// TestOptionalFields checks that score gains and lags are written for the edges that have them, and statistics only if all columns have
// them.
func TestOptionalFields(t *testing.T) {
	r := &polydag.Result{Names: []string{"a", "b"}, Kind: graph.KindDAG, Time: &polydag.TimeSeries{Lags: 2},
		Edges:  []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.125}, {Link: polydag.Link{From: "b", To: "a"}, Mark: "-->", Gain: 0.5}},
		Lagged: []polydag.Edge{{Link: polydag.Link{From: "b", To: "b"}, Mark: "-->", Weight: 1e300, Standardized: 1, Lag: 2}}}
	plain := &polydag.Result{Names: []string{"a", "b"}, Kind: graph.KindDAG, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", EdgeFacts: polydag.EdgeFacts{Compelled: true}}}, Nodes: make([]polydag.Node, 1)}
	levels := []string{"0", "1"}
	tables := &polydag.Result{Names: []string{"a", "b", "c"}, Kind: graph.KindDAG, Model: score.TableEffects, Edges: []polydag.Edge{
		{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Gain: 0.5, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: levels, ToLevels: levels, P: [][]float64{{1, 0}, {0, 1}}}}},
		{Link: polydag.Link{From: "b", To: "c"}, Mark: "-->"}}}
	for _, c := range []struct {
		name  string
		write func(*polydag.Result) func(io.Writer) error
		r     *polydag.Result
		want  string
	}{
		{"edges", EdgesCSV, r, "from,to,weight,standardized,mark,compelled,gain,lag\na,b,2,0.5,\"-->\",false,0.125,0\nb,a,0,0,\"-->\",false,0.5,0\nb,b,1e+300,1,\"-->\",false,0,2\n"},
		{"edges without more", EdgesCSV, plain, "from,to,weight,standardized,mark,compelled\na,b,0,0,\"-->\",true\n"},
		{"edges without weights", EdgesCSV, tables, "from,to,weight,standardized,mark,compelled,gain\na,b,,,\"-->\",false,0.5\nb,c,,,\"-->\",false,0\n"},
		{"adjacency without weights", adjusted(matrixCSV), tables, ",a,b,c\na,0,NaN,0\nb,0,0,NaN\nc,0,0,0\n"},
		{"lavaan without weights", whole(lavaan), tables, "b ~ a\nc ~ b\n"},
		{"dot without weights", whole(dot), tables, `digraph polydag {
  rankdir=TB;
  node [shape=box, style=rounded];
  "a";
  "b";
  "c";
  "a" -> "b" [label="0.5 bit", color="#0072B2", fontcolor="#0072B2", compelled=false, gain="0.5"];
  "b" -> "c" [label="", color="#7A5195", fontcolor="#7A5195", compelled=false];
}
`},
		{"mermaid without weights", whole(mermaid), tables, `flowchart TD
  n0["a"]
  n1["b"]
  n2["c"]
  n0 -->|"0.5 bit"| n1
  n1 --> n2
  linkStyle 0 stroke:#0072B2
  linkStyle 1 stroke:#7A5195
`},
		{"dot", whole(dot), r, `digraph polydag {
  rankdir=TB;
  node [shape=box, style=rounded];
  "a";
  "b";
  "a" -> "b" [label="+2", color="#0072B2", fontcolor="#0072B2", coefficient="2", standardized="0.5", compelled=false, gain="0.125"];
  "b" -> "a" [label="0.5 bit", color="#7A5195", fontcolor="#7A5195", coefficient="0", standardized="0", compelled=false, gain="0.5"];
  "b" -> "b" [label="+1e+300, lag 2", color="#0072B2", fontcolor="#0072B2", coefficient="1e+300", standardized="1", compelled=false, lag="2", constraint=false];
}
`},
		{"dot without more", whole(dot), plain, `digraph polydag {
  rankdir=TB;
  node [shape=box, style=rounded];
  "a";
  "b";
  "a" -> "b" [label="+0", color="#7A5195", fontcolor="#7A5195", coefficient="0", standardized="0", compelled=true];
}
`},
		{"mermaid", whole(mermaid), r, `flowchart TD
  n0["a"]
  n1["b"]
  n0 -->|"+2"| n1
  n1 -->|"0.5 bit"| n0
  n1 -->|"+1e+300, lag 2"| n1
  linkStyle 0,2 stroke:#0072B2
  linkStyle 1 stroke:#7A5195
`},
	} {
		must.Same(t, must.Text(t, c.write(c.r)), c.want, c.name)
	}
	for _, c := range []struct {
		name string
		r    *polydag.Result
		has  []bool // a lag, its key, a score gain
	}{{"graphml", r, []bool{true, true, true}}, {"graphml without more", plain, []bool{false, false, false}}} {
		text := must.Text(t, whole(graphML)(c.r))
		for k, part := range []string{`<data key="lag">2</data>`, `<key id="lag" for="edge" attr.name="lag" attr.type="int"/>`, `<data key="gain">0.125</data>`} {
			if strings.Contains(text, part) != c.has[k] {
				t.Errorf("%s has %s: %v, want %v", c.name, part, !c.has[k], c.has[k])
			}
		}
		if strings.Contains(text, "mean") || strings.Contains(text, `<data key="lag">0</data>`) || strings.Contains(text, `<data key="gain">0</data>`) {
			t.Errorf("%s: fields without values in\n%s", c.name, text)
		}
	}
	if text := must.Text(t, nodeLink(r)); !strings.Contains(text, `"multigraph": true`) || strings.Count(text, `"lag"`) != 1 || strings.Count(text, `"gain"`) != 2 {
		t.Errorf("node-link: want several edges per pair, one lag and two gains in\n%s", text)
	}
}

// TestXMLCharacters checks the ranges of characters of XML 1.0 at both ends, and that only the other ones are replaced.
func TestXMLCharacters(t *testing.T) {
	for r, want := range map[rune]bool{
		0: false, 8: false, '\t': true, '\n': true, 0xb: false, 0xc: false, '\r': true, 0xe: false, 0x1f: false, ' ': true, 'a': true, 0xd7ff: true,
		0xd800: false, 0xdfff: false, 0xe000: true, 0xfffd: true, 0xfffe: false, 0xffff: false, 0x10000: true, 0x1f469: true,
	} {
		if xmlRune(r) != want {
			t.Errorf("%U is allowed: %v, want %v", r, !want, want)
		}
	}
	text := must.Text(t, whole(graphML)(&polydag.Result{Names: []string{"a\x01b", "c d"}, Kind: graph.KindDAG}))
	for _, want := range []string{`<node id="a_b"/>`, `<node id="c d"/>`, `<!-- "a_b" = "a\u0001b" -->`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestQuotedNames checks the names in the syntax of each format.
func TestQuotedNames(t *testing.T) {
	for _, c := range []struct {
		format     string
		quote      func(string) string
		name, want string
	}{
		{"bnlearn", percent, "a b\x1f\x7f~", "a b%1F%7F~"}, {"bnlearn", percent, "[a|b:c]%é", "%5Ba%7Cb%3Ac%5D%25é"},
		{"dagitty", dagittyName, "a b\x1f\x7f~", `"a b%1F%7F~"`}, {"dagitty", dagittyName, `\"%é`, `"%5C%22%25é"`},
		{"comment", commentString, "a-b", `"a-b"`}, {"comment", commentString, "a--b---", `"a-\u002db-\u002d\u002d"`}, {"comment", commentString, "é\u200b\U000e0001", `"é\u200b\udb40\udc01"`},
		{"ASCII", inASCII, "a\x7fé👩", `a` + "\x7f" + `\u00e9\ud83d\udc69`},
		{"Mermaid", mermaidLabel, "a1é 2.", "a1é 2#46;"},
		{"lavaan", makeName, "", "X"}, {"lavaan", makeName, "a1._Z", "a1._Z"}, {"lavaan", makeName, "zAé{`@[/:", "zA......."}, {"lavaan", makeName, "1a", "X1a"}, {"lavaan", makeName, "_a", "X_a"},
		{"lavaan", makeName, ".", "."}, {"lavaan", makeName, ".a", ".a"}, {"lavaan", makeName, ".0", "X.0"}, {"lavaan", makeName, ".9", "X.9"}, {"lavaan", makeName, "a09", "a09"}, {"lavaan", makeName, "é", "X."},
		{"lavaan", makeName, "if", "if."}, {"lavaan", makeName, "...", "...."}, {"lavaan", makeName, "efa", "efa."},
		{"CSV", func(s string) string { return string(appendCSV(nil, s)) }, "aé_1.-", "aé_1.-"},
		{"CSV", func(s string) string { return string(appendCSV(nil, s)) }, "", `""`},
		{"CSV", func(s string) string { return string(appendCSV(nil, s)) }, `a "b"`, `"a ""b"""`},
	} {
		must.Same(t, c.quote(c.name), c.want, c.format, c.name)
	}
	for name, want := range map[string]bool{
		"": true, "a": true, "%a": false, "a%": true, "\x00": false, `a\`: false, `a\\`: true, `a\"`: false, `a\\"`: true, "a\\\n": false, "a\\\\\nb": true, "a\\\r": false, `a\b`: true, `\a\`: false, `\\\`: false,
		"\n": false, "\n\n": true, "\na": true, "a\n": true, "\n\"": false, "\"\n": false, "\"\n\"": false, "a\\\\\n": false, "\n\\a": false, "\"\na": true,
	} {
		if dotHolds(name) != want {
			t.Errorf("Graphviz reads %q unchanged: %v, want %v", name, !want, want)
		}
	}
}

// TestOwnFormat checks that a format of the caller is found by an extension that is otherwise refused.
func TestOwnFormat(t *testing.T) {
	own := append(Formats(), Format{Name: "hugin", Extensions: []string{".net"}})
	if f, err := own.ForFile("graph.NET"); err != nil || f.Name != "hugin" {
		t.Errorf("%q, %v, want the format hugin", f.Name, err)
	}
	if _, err := Formats().ForFile("graph.unknown"); err == nil || errors.Is(err, ErrDiscrete) {
		t.Errorf("an unknown extension: %v, want an error that is not on discrete networks", err)
	}
}

// TestRefusedResults checks that names that occur twice, edges between unknown names and kinds of graphs other than DAGs are refused.
func TestRefusedResults(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		edge  polydag.Edge
		kind  graph.Kind
		want  string // in the message; "" for none
	}{
		{"a DAG", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}, graph.KindDAG, ""},
		{"a class of one DAG", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}, graph.KindCPDAG, ""},
		{"a PAG", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}, graph.KindPAG, "kind \"pag\""},
		{"a class", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "---"}, graph.KindCPDAG, "a --- b"},
		{"a name twice", []string{"a", "b", "a"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}, graph.KindDAG, "twice"},
		{"an unknown start", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "c", To: "b"}, Mark: "-->"}, graph.KindDAG, "does not list"},
		{"an unknown end", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->"}, graph.KindDAG, "does not list"},
		{"an unknown mark", []string{"a", "b"}, polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "==>"}, graph.KindDAG, "mark"},
	} {
		_, err := incoming(&polydag.Result{Names: c.names, Kind: c.kind, Edges: []polydag.Edge{c.edge}}, Format{Name: "x"})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}
