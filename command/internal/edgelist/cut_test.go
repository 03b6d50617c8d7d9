package edgelist

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// whole are complete graphs over a, b and c with the edges a → b and b → c.
var whole = map[string]string{
	"DOT":     "digraph G {\n  a -> b [label=\"x\"];\n  subgraph s { b -> c }\n}\n",
	"BIF":     "network n {\n}\nvariable a { type discrete [ 1 ] { x }; }\nvariable b { type discrete [ 1 ] { x }; }\nvariable c { type discrete [ 1 ] { x }; }\nprobability ( a ) { table 1; }\nprobability ( b | a ) { (x) 1; }\nprobability ( c | b ) { (x) 1; }\n",
	"GraphML": `<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/><edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>`,
	"matrix":  ",a,b,c\na,0,1,0\nb,0,0,1\nc,0,0,0\n",
	"Tetrad":  "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. b --> c\n",
}

// TestCutGraphs checks that no beginning of a file is read as a graph with other edges, if the format shows its end.
func TestCutGraphs(t *testing.T) {
	names := []string{"a", "b", "c"}
	for format, text := range whole {
		want := must.Get(Read(strings.NewReader(text), names))
		must.Same(t, len(want), 2, format)
		for n := 1; n < len(text); n++ {
			if format == "Tetrad" && strings.Contains(text[:n], "Graph Edges:") { // its edges may end anywhere
				continue
			}
			if got, err := Read(strings.NewReader(text[:n]), names); err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: the first %d bytes have %v:\n%s", format, n, got, text[:n])
			}
		}
	}
}

// TestGraphsOfOtherVariables checks that graphs that list their variables are read for these columns only, and that the error names what
// each side lacks.
func TestGraphsOfOtherVariables(t *testing.T) {
	for format, text := range whole {
		complete := format != "DOT"
		_, err := Read(strings.NewReader(text), []string{"a", "b", "z"})
		if !errors.Is(err, ErrUnknownName) || !strings.Contains(err.Error(), "the graph alone has c, the graph lacks z") {
			t.Errorf("%s: %v", format, err)
		}
		if _, err := Read(strings.NewReader(text), []string{"a", "b", "c", "z"}); errors.Is(err, ErrLacks) != complete || complete && !strings.Contains(err.Error(), "lacks z") {
			t.Errorf("%s, one more column: %v", format, err)
		}
		if _, err := ReadWithHidden(strings.NewReader(text), []string{"a", "c"}); err != nil {
			t.Errorf("%s, b is hidden: %v", format, err)
		}
		if _, err := ReadWithHidden(strings.NewReader(text), []string{"c", "z"}); errors.Is(err, ErrLacks) != complete {
			t.Errorf("%s, hidden variables and a missing column: %v", format, err)
		}
		if _, err := ReadWithHidden(strings.NewReader(text), []string{"x", "z"}); !errors.Is(err, ErrLacks) {
			t.Errorf("%s, only hidden variables: %v", format, err)
		}
	}
	if _, err := ReadWithHidden(strings.NewReader("from,to\na,b\n"), []string{"x", "y"}); !errors.Is(err, ErrLacks) {
		t.Errorf("an edge list of hidden variables: %v", err)
	}
	if list, err := ReadWithHidden(strings.NewReader("from,to\na,b\n"), []string{"b", "y"}); err != nil || len(list) != 1 {
		t.Errorf("an edge list: %v, %v", list, err)
	}
}

func TestMoreThanAGraph(t *testing.T) {
	for text, want := range map[string]error{"digraph { a -> b }\ndigraph { b -> a }": ErrAfterEnd, "digraph { a -> b } // end\n": nil, "digraph { a -> }": ErrEdge, "digraph { a -> ; b }": ErrEdge, "digraph { a -> b ] }": ErrCut} {
		if _, err := Read(strings.NewReader(text), nil); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
