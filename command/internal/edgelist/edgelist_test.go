package edgelist

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

func TestReadEdges(t *testing.T) {
	plain := []Edge{{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "b", To: "c"}}, {Link: graph.Link{From: "c", To: "b"}}}
	weighted := []Edge{{Link: graph.Link{From: "a", To: "b"}, Weight: 0.5, HasWeight: true}, {Link: graph.Link{From: "b", To: "c"}, Weight: -1e3, HasWeight: true}}
	for _, c := range []struct {
		name, text string
		want       []Edge
	}{
		{"plain", "from,to\na,b\nb,c\nc,b\n", plain},
		{"CRLF, mark, blank lines, quotes, spaces", "\ufefffrom,to\r\n\r\n\"a\", b\r\nb,c\r\n\r\nc,b", plain},
		{"weights", "from,to,weight\na,b,0.5\nb,c,-1e3\n", weighted},
		{"edges without a weight", "from,to,weight\na,b,\nb,c,NA\nc,b,NaN\n", plain},
		{"no edges", "from,to\n", nil},
	} {
		got, err := Read(strings.NewReader(c.text), []string{"a", "b", "c"})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestEdgesRoundTrip(t *testing.T) {
	for _, want := range [][]Edge{
		nil,
		{{Link: graph.Link{From: "a,b", To: "say \"x\""}}, {Link: graph.Link{From: " pad", To: "\ufeffmark"}}, {Link: graph.Link{From: "two\nlines", To: "é"}}},
		{{Link: graph.Link{From: "=1+2", To: "-a"}}, {Link: graph.Link{From: "'@x", To: "+b"}}},
		{{Link: graph.Link{From: "a", To: "b"}, Weight: 0.1, HasWeight: true}, {Link: graph.Link{From: "b", To: "c"}, Weight: -1e-300, HasWeight: true}},
		{{Link: graph.Link{From: "a", To: "a"}, Lag: 1, HasLag: true}, {Link: graph.Link{From: "a", To: "b"}, HasLag: true}, {Link: graph.Link{From: "a", To: "b"}, Lag: 2, HasLag: true}},
		{{Link: graph.Link{From: "a", To: "a"}, Weight: 0.5, HasWeight: true, Lag: 12, HasLag: true}},
		{{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "b", To: "c"}, Weight: 1, HasWeight: true}},
	} {
		var b bytes.Buffer
		must.Succeed(t, Write(&b, want))
		got, err := Read(&b, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
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
		{"weight is missing", "from,to,weight\na,b,?\n", dataset.ErrMissing, 2, "column 3 (weight)"},
		{"weight is not finite", "from,to,weight\na,b,inf\n", dataset.ErrNotFinite, 2, "inf"},
		{"other mark", "from,to,weight,mark\na,b,1,-->\nb,c,0,o->\n", ErrMark, 3, `row 2, column 4 (mark): "o->" is neither --> nor ---`},
		{"undirected with a lag", "from,to,weight,mark,lag\na,b,,---,1\n", ErrMark, 2, `"---"`},
		{"twice, once undirected", "from,to,weight,mark\na,b,1,-->\nb,a,,---\n", ErrSameEdge, 3, "(b → a, first on line 2)"},
		{"lag is text", "from,to,lag\na,b,soon\n", ErrLag, 2, "column 3 (lag)"},
		{"lag is negative", "from,to,lag\na,b,-1\n", ErrLag, 2, `"-1"`},
		{"self-loop without lag", "from,to,lag\na,a,1\na,a,0\n", ErrSelfLoop, 3, `"a" points to itself`},
		{"twice with the same lag", "from,to,lag\na,b,0\na,b,1\na,b,1\n", ErrSameEdge, 4, "first on line 3"},
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
