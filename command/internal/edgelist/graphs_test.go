package edgelist

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
)

// bifVariables declares the variables of the BIF files of these tests.
const bifVariables = "variable a {\n  type discrete [ 2 ] { yes, no };\n}\nvariable \"b c\" {\n  type discrete [ 2 ] { yes, no };\n}\nvariable d {\n  type discrete [ 2 ] { yes, no };\n}\n"

// TestReadEdgesOfOthers reads the same two edges in every supported format.
func TestReadEdgesOfOthers(t *testing.T) {
	for name, text := range map[string]string{
		"list":                "from,to\na,b c\nb c,d\n",
		"Tetrad":              "Graph Nodes:\na;b c;d\n\nGraph Edges:\n1. a --> b c\n2. d <-- b c\n\nGraph Attributes:\nBIC: -12.5\n",
		"Tetrad, marks":       "Graph Edges:\r\n1. a --> b c dd nl\r\n2. b c --> d\r\n",
		"BIF":                 "network unknown {\n}\n" + bifVariables + "probability ( a ) {\n  table 0.1, 0.9;\n}\nprobability ( \"b c\" | a ) {\n  (yes) 0.5, 0.5;\n  (no) 0.1, 0.9;\n}\nprobability ( d | \"b c\" ) {\n}\n",
		"GraphML":             `<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="a"/><node id="b c"/><node id="d"/><edge source="a" target="b c"/><edge source="b c" target="d"/></graph></graphml>`,
		"GraphML, names":      `<graphml><key id="d0" for="node" attr.name="name" attr.type="string"/><graph edgedefault="directed"><node id="n0"><data key="d0">a</data></node><node id="n1"><data key="d0">b c</data></node><node id="n2"><data key="d0">d</data></node><edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>`,
		"GraphML, other keys": `<graphml><key id="d0" for="node" attr.name="name" attr.type="string"/><key id="d1" for="node" attr.name="color" attr.type="string"/><key id="d2" for="edge" attr.name="name" attr.type="string"/><graph edgedefault="directed"><node id="n0"><data key="d0">a</data><data key="d1">red</data><data key="d2">x</data></node><node id="n1"><data key="d0">b c</data></node><node id="n2"><data key="d0">d</data></node><edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>`,
		"DOT":                 "// a comment -> here\ndigraph G {\n  rankdir=TB;\n  node [shape=box];\n  a; \"b c\"; d;\n  a -> \"b c\" [label=\"x -> y\", color=red];\n  \"b c\" -> d\n}\n",
		"DOT, a chain":        "strict digraph{a->\"b c\"->d}",
		"GraphML, directed":   `<graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="undirected"><node id="a"><data key="k"> </data></node><node id="b c"/><node id="d"/><edge directed="true" source="a" target="b c"/><edge directed="true" source="b c" target="d"/></graph></graphml>`,
		"matrix, numbered":    ",a,b c,d\n0,0,1,0\n1,0,0,1\n2,0,0,0\n",
		"matrix":              ",a,b c,d\na,0,1,0\nb c,0,0,1\nd,0,0,0\n",
	} {
		edges, err := Read(strings.NewReader(text), []string{"a", "b c", "d"})
		var got []string
		for _, e := range edges {
			got = append(got, e.From+">"+e.To)
		}
		if err != nil || fmt.Sprint(got) != "[a>b c b c>d]" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	edges, err := Read(strings.NewReader(",a,b\na,0,-0.5\nb,0,0\n"), nil)
	if err != nil || len(edges) != 1 || edges[0] != (Edge{Link: graph.Link{From: "a", To: "b"}, Weight: -0.5, HasWeight: true}) {
		t.Errorf("weights of a matrix: %+v, %v", edges, err)
	}
	edges, err = Read(strings.NewReader(",a,b,c\na,0,NaN,NA\nb,0,0,2\nc,0,0,0\n"), nil)
	want := []Edge{{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "a", To: "c"}}, {Link: graph.Link{From: "b", To: "c"}, Weight: 2, HasWeight: true}}
	if err != nil || !slices.Equal(edges, want) {
		t.Errorf("edges without a weight in a matrix: %+v, %v, want %+v", edges, err, want)
	}
}

// A weight of an edge in GraphML is under a key for edges or for everything. A weight of a node is none.
func TestWeightsOfGraphML(t *testing.T) {
	for _, c := range []struct {
		key, first, second string
		want               [2]float64 // 0 for an edge without a weight
	}{
		{`for="edge" `, `<data key="w">0.5</data>`, `<data key="w"> -2 </data>`, [2]float64{0.5, -2}},
		{`for="all" `, `<data key="w">0.5</data>`, `<data key="w">-2</data>`, [2]float64{0.5, -2}},
		{`for="node" `, `<data key="w">0.5</data>`, `<data key="w">-2</data>`, [2]float64{}},
		{`for="edge" `, `<data key="w">0.5</data>`, "", [2]float64{0.5, 0}},
		{`for="edge" `, "", `<data key="w">0.5</data>`, [2]float64{0, 0.5}},
		{`for="edge" `, `<data key="w">0.5</data>`, `<data key="w">strong</data>`, [2]float64{0.5, 0}},
		{`for="edge" `, `<data key="other">0.5</data>`, `<data key="other">0.5</data>`, [2]float64{}},
	} {
		text := `<graphml><key id="w" ` + c.key + `attr.name="weight"/><graph edgedefault="directed"><node id="a"><data key="w">9</data></node><node id="b"/>` +
			`<edge source="a" target="b">` + c.first + `</edge><edge source="b" target="c">` + c.second + `</edge><node id="c"/></graph></graphml>`
		edges, err := Read(strings.NewReader(text), []string{"a", "b", "c"})
		if err != nil || len(edges) != 2 {
			t.Fatalf("%s: %v, %v", text, edges, err)
		}
		for i, e := range edges {
			if e.HasWeight != (c.want[i] != 0) || e.Weight != c.want[i] {
				t.Errorf("key %q, data %q and %q: edge %d is %+v, want weights %v", c.key, c.first, c.second, i, e, c.want)
			}
		}
	}
}

func TestReadEdgesOfOthersFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
		at   string
	}{
		"Tetrad, both ways":    {"Graph Edges:\n1. a <-> b\n", ErrEdge, "line 2"},
		"GraphML, cut":         {`<graphml><graph edgedefault="directed"><node id="a"/>`, ErrHeader, "XML"},
		"DOT, unknown":         {"digraph {\n a -> zz\n}\n", ErrUnknownName, "line 2"},
		"BIF, unknown":         {"network n {\n}\nvariable b { type discrete [ 1 ] { x }; }\nvariable zz { type discrete [ 1 ] { x }; }\nprobability ( zz ) {\n}\nprobability ( b | zz ) {\n}\n", ErrUnknownName, "line 7"},
		"matrix, not square":   {",a,b\na,0,1\n", dataset.ErrRagged, "2 names and 1 rows"},
		"matrix, other names":  {",a,b\nb,0,1\na,0,0\n", ErrUnknownName, "line 2"},
		"matrix, to itself":    {",a,b\na,1,0\nb,0,0\n", ErrSelfLoop, "line 2"},
		"matrix, not a number": {",a,b\na,0,x\nb,0,0\n", dataset.ErrNotNumber, "column 3 (b)"},
		"Tetrad, not an edge":  {"Graph Edges:\n1. a b\n", ErrEdge, "line 2"},
		"DOT, a subgraph":      {"digraph {\n a -> { b c }\n}\n", ErrEdge, "line 2"},
		"lavaan, unknown":      {"b ~ a\n\nb ~ zz\n", ErrUnknownName, "line 3"},
		"matrix, a short row":  {",a,b\na,0,1\nb,0\n", dataset.ErrRagged, "line 3, row 2: "},
		"matrix, a long row":   {",a,b\na,0,1,5\nb,0,0\n", dataset.ErrRagged, "(expected 3, got 4)"},
		"matrix, no name":      {",a,\na,0,1\n,0,0\n", dataset.ErrMissing, "line 2"},
		"matrix, second name":  {",a,b\na,0,1\nc,0,0\n", ErrUnknownName, "line 3, row 2: \"c\""},
		"Tetrad, unknown":      {"Graph Edges:\n1. a --> b\n2. a --> zz\n", ErrUnknownName, "line 3"},
		"DOT, not an arrow":    {"digraph {\n a > b\n}\n", ErrHeader, "line 2"},
		"lavaan, no name":      {"b ~ a\n5 ~ c\n", ErrEdge, "line 2"},
		"one column":           {"source\na\n", ErrHeader, "source"},
		"twice":                {"digraph { a -> b; a -> b }", ErrSameEdge, "a → b"},
	} {
		if _, err := Read(strings.NewReader(c.text), []string{"a", "b", "c"}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.at) {
			t.Errorf("%s: %v, want %v at %s", name, err, c.want, c.at)
		}
	}
}

// Models of lavaan and graphs of dagitty are read; what is not a directed edge is refused.
func TestLavaanAndDagitty(t *testing.T) {
	want := []Edge{{Link: graph.Link{From: "a", To: "y"}}, {Link: graph.Link{From: "b.1", To: "y"}}, {Link: graph.Link{From: "y", To: "z"}}}
	for _, text := range []string{
		"# a model\ny ~ a + start(1e+05)*b.1\nz ~ 0.5*y + 1\nz ~~ 2*z\n",
		"dag {\na\n\"b.1\" [pos=\"0,1\"]\na -> y [beta=\"0.5\"]\n\"b.1\" -> y\ny -> z [beta=-0.1]\n}\n",
	} {
		got, err := Read(strings.NewReader(text), nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{"y ~ a\ny ~~ a\n": ErrSameEdge, "y ~ a\nf =~ a + b\n": ErrEdge} {
		if _, err := Read(strings.NewReader(text), nil); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// TestUndirected checks that every format gives its undirected edges, and that Directed refuses them.
func TestUndirected(t *testing.T) {
	const graphML = `<graphml><key id="m" for="edge" attr.name="mark"/><graph edgedefault="%s"><node id="a"/><node id="b"/><node id="c"/><edge source="a" target="b" %s/>%s</graph></graphml>`
	for name, text := range map[string]string{
		"list":               "from,to,weight,mark\na,b,2,-->\nb,c,,---\n",
		"Tetrad":             "Graph Edges:\n1. a --> b\n2. b --- c\n",
		"GraphML, two arcs":  fmt.Sprintf(graphML, "directed", "", `<edge source="b" target="c"><data key="m">---</data></edge><edge source="c" target="b"><data key="m">---</data></edge>`),
		"GraphML, one edge":  fmt.Sprintf(graphML, "directed", "", `<edge source="b" target="c" directed="false"/>`),
		"GraphML, default":   fmt.Sprintf(graphML, "undirected", `directed="true"`, `<edge source="b" target="c"/>`),
		"DOT":                "digraph { a -> b [color=red]; b -> c [label=\"1 bit\", dir=none, style=dotted]; }",
		"DOT, quoted":        "digraph {\n a -> b\n b -> c [dir=\"none\"]\n}\n",
		"dagitty":            "pdag {\n\"a\" -> \"b\" [beta=\"0.5\"]\n\"b\" -- \"c\"\n}\n",
		"lavaan":             "b ~ start(1)*a\nb ~~ c\n",
		"matrix, no weights": ",a,b,c\na,0,NaN,0\nb,0,0,NaN\nc,0,NaN,0\n",
		"matrix of 0 and 1":  ",a,b,c\na,0,1,0\nb,0,0,1\nc,0,1,0\n",
	} {
		edges, err := Read(strings.NewReader(text), []string{"a", "b", "c"})
		var got []string
		for _, e := range edges {
			got = append(got, fmt.Sprint(e.From, e.To, e.Undirected))
		}
		if err != nil || fmt.Sprint(got) != "[abfalse bctrue]" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if err := Directed(edges); !errors.Is(err, ErrUndirected) || !strings.Contains(err.Error(), "b — c") {
			t.Errorf("%s: %v, want ErrUndirected", name, err)
		}
	}
	for name, text := range map[string]string{
		"another mark of GraphML": fmt.Sprintf(graphML, "directed", "", `<edge source="b" target="c"><data key="m">o-&gt;</data></edge>`),
		"both ends of DOT":        "digraph { a -> b [dir=both, arrowtail=odot]; }",
	} {
		if _, err := Read(strings.NewReader(text), nil); !errors.Is(err, ErrEdge) {
			t.Errorf("%s: %v, want ErrEdge", name, err)
		}
	}
	// Different weights in both directions are a cycle.
	if edges, err := Read(strings.NewReader(",a,b\na,0,1\nb,2,0\n"), nil); err != nil || len(edges) != 2 || Directed(edges) != nil {
		t.Errorf("a cycle: %v, %v", edges, err)
	}
}
