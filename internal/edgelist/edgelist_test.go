package edgelist

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
)

func TestReadEdges(t *testing.T) {
	plain := []Edge{{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "b", To: "c"}}, {Link: graph.Link{From: "c", To: "b"}}}
	weighted := []Edge{{graph.Link{From: "a", To: "b"}, 0.5, true, 0, false}, {graph.Link{From: "b", To: "c"}, -1e3, true, 0, false}}
	for _, c := range []struct {
		name, text string
		want       []Edge
	}{
		{"plain", "from,to\na,b\nb,c\nc,b\n", plain},
		{"CRLF, mark, blank lines, quotes, spaces", "\ufefffrom,to\r\n\r\n\"a\", b\r\nb,c\r\n\r\nc,b", plain},
		{"weights", "from,to,weight\na,b,0.5\nb,c,-1e3\n", weighted},
		{"no edges", "from,to\n", nil},
	} {
		got, err := Read(strings.NewReader(c.text), []string{"a", "b", "c"})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

// TestLags checks that lags are read and written, that an edge may lead to its own column with a lag, and what is refused.
func TestLags(t *testing.T) {
	want := []Edge{{graph.Link{From: "a", To: "a"}, 0.5, true, 1, true}, {graph.Link{From: "a", To: "b"}, 1, true, 0, true}, {graph.Link{From: "a", To: "b"}, 2, true, 2, true}}
	var b bytes.Buffer
	if err := Write(&b, want); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(&b, nil); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read(strings.NewReader("from,to,lag\na,b,3\n"), nil); err != nil || len(got) != 1 || got[0].Lag != 3 || got[0].HasWeight {
		t.Errorf("without weights: %v, %v", got, err)
	}
	for text, want := range map[string]error{"from,to,lag\na,a,0\n": ErrSelfLoop, "from,to,lag\na,b,-1\n": ErrLag, "from,to,lag\na,b,x\n": ErrLag, "from,to,lag\na,b,1\na,b,1\n": ErrSameEdge} {
		if _, err := Read(strings.NewReader(text), nil); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEdgesRoundTrip(t *testing.T) {
	for _, want := range [][]Edge{
		nil,
		{{Link: graph.Link{From: "a,b", To: "say \"x\""}}, {Link: graph.Link{From: " pad", To: "\ufeffmark"}}, {Link: graph.Link{From: "two\nlines", To: "é"}}},
		{{Link: graph.Link{From: "=1+2", To: "-a"}}, {Link: graph.Link{From: "'@x", To: "+b"}}},
		{{graph.Link{From: "a", To: "b"}, 0.1, true, 0, false}, {graph.Link{From: "b", To: "c"}, -1e-300, true, 0, false}},
	} {
		var b bytes.Buffer
		if err := Write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&b, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	if err := Write(&bytes.Buffer{}, []Edge{{Link: graph.Link{From: "a", To: "b"}}, {graph.Link{From: "b", To: "c"}, 1, true, 0, false}}); err == nil {
		t.Error("weights for some edges were taken")
	}
}

func TestReadEdgesFaults(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
		line       int
		says       string
	}{
		{"empty", "", ErrHeader, 0, "from,to"},
		{"other header", "head,tail\na,b\n", ErrHeader, 1, "head,tail"},
		{"no header", "a,b\nb,c\n", ErrHeader, 1, "a,b"},
		{"swapped header", "to,from\na,b\n", ErrHeader, 1, "to,from"},
		{"unknown name", "from,to\na,b\n\na,x\n", ErrUnknownName, 4, `line 4, row 2, column 2 (to): "x" is not a column of the table`},
		{"self-loop", "from,to\na,b\nb,b\n", ErrSelfLoop, 3, `"b" points to itself`},
		{"twice", "from,to\na,b\nb,c\na,b\n", ErrSameEdge, 4, "(a → b, first on line 2)"},
		{"short", "from,to,weight\na,b\n", dataset.ErrRagged, 2, "(expected 3, got 2)"},
		{"long", "from,to\na,b,1\n", dataset.ErrRagged, 2, "(expected 2, got 3)"},
		{"missing name", "from,to\na,\n", dataset.ErrMissing, 2, "column 2 (to)"},
		{"weight is text", "from,to,weight\na,b,strong\n", dataset.ErrNotNumber, 2, `"strong"`},
		{"weight is missing", "from,to,weight\na,b,\n", dataset.ErrMissing, 2, "column 3 (weight)"},
		{"weight is not finite", "from,to,weight\na,b,inf\n", dataset.ErrNotFinite, 2, "inf"},
		{"undirected", "from,to,weight,mark\na,b,1,-->\nb,c,0,---\n", ErrMark, 3, `row 2, column 4 (mark): "---" is not a directed edge`},
		{"quote", "from,to\na,\"b\n", dataset.ErrQuote, 2, "quote"},
		{"binary", "from,to\n\x00", dataset.ErrNotTable, 0, "NUL"},
	} {
		_, err := Read(strings.NewReader(c.text), []string{"a", "b", "c"})
		var e *dataset.ParseError
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Line != c.line || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestReadEdgesOtherHeaders checks other names of the columns.
func TestReadEdgesOtherHeaders(t *testing.T) {
	for _, head := range []string{"from,to", "source,target", "cause,effect"} {
		got, err := Read(strings.NewReader(head+"\na,b\n"), nil)
		if err != nil || len(got) != 1 || got[0].From != "a" || got[0].To != "b" {
			t.Errorf("%s: %v, %v", head, got, err)
		}
	}
}
