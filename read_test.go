package polydag_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
)

// learned returns what a method learns from some columns of the demo table.
func learned(t testing.TB, name string, change func(*polydag.Config)) *polydag.Result {
	t.Helper()
	data := must.Get(csv.Read(context.Background(), bytes.NewReader(demo.Data), csv.DefaultSettings()))
	cfg := polydag.DefaultConfig()
	cfg.Method = must.Get(polydag.FindMethod(name))
	if change != nil {
		change(&cfg)
	}
	res := must.Get(polydag.FromMoments(data).Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

func TestResultIsReadBack(t *testing.T) {
	want := learned(t, "order", nil)
	text := must.Text(t, report.JSON(want))
	for _, prefix := range []string{"", "\ufeff"} {
		got := must.Get(polydag.ReadResult(strings.NewReader(prefix + text)))
		if !reflect.DeepEqual(got.Graph.Edges(), want.Graph.Edges()) || !reflect.DeepEqual(got.Edges, want.Edges) {
			t.Errorf("read back as %+v", got)
		}
		if must.Text(t, report.JSON(got)) != text {
			t.Error("written again, a result has other bytes")
		}
	}
}

const goodResult = `{"schema": "polydag.result/2", "method": "order", "status": "converged", "names": ["a", "b", "c"], "rows": 9, "kind": "dag",
 "edges": [{"from": "a", "to": "b", "mark": "-->", "weight": 2, "standardized": 0.5, "compelled": true}, {"from": "b", "to": "c", "mark": "-->", "weight": -1}],
 "certificate": {"kind": "dag", "holds": true, "order": ["a", "b", "c"]}, "continuous": {"h": 0, "threshold": 0.3, "cut": []},
 "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
 "stages": [{"name": "order", "graph": [{"from": "a", "to": "c"}]}], "score": 1, "new_field": {"x": 1}}`

// A result may be a class of graphs.
func TestReadResultOfOtherKinds(t *testing.T) {
	for _, c := range []struct{ kind, marks, says string }{
		{"cpdag", "--- ---", ""}, {"cpdag", "--> ---", "an edge has no direction"}, {"cpdag", "--- <->", "has no edge"},
		{"pag", "o-> o-o", ""}, {"pag", "<-> o--", ""}, {"average", "<-> -->", ""},
		{"dag", "--- -->", "has no edge"}, {"tree", "--> -->", "there is no kind"}, {"dag", "=> -->", "the mark of a and b"},
	} {
		marks := strings.Fields(c.marks)
		text := strings.NewReplacer(`"kind": "dag"`, `"kind": "`+c.kind+`"`, `"b", "mark": "-->"`, `"b", "mark": "`+marks[0]+`"`,
			`"c", "mark": "-->"`, `"c", "mark": "`+marks[1]+`"`).Replace(goodResult)
		r, err := polydag.ReadResult(strings.NewReader(text))
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s %s: %v", c.kind, c.marks, err)
		case c.says == "" && (string(r.Kind) != c.kind || r.Marked.NumEdges() != 2):
			t.Errorf("%s %s: %+v", c.kind, c.marks, r)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s %s: %v, want %q", c.kind, c.marks, err, c.says)
		}
	}
}

// Every fault is named, and says where it is.
func TestReadResultRefuses(t *testing.T) {
	must.Get(polydag.ReadResult(strings.NewReader(goodResult)))
	for _, c := range []struct {
		name, old, new string // the text of goodResult to replace; "" replaces all of it
		want           error
		says           string
	}{
		{"empty", "", "", polydag.ErrNotResult, "line 1: unexpected end"},
		{"text", "", "from,to\na,b\n", polydag.ErrNotResult, "line 1"},
		{"array", "", "[]", polydag.ErrNotResult, "want an object, got array"},
		{"null", "", "null", polydag.ErrNotResult, "no schema"},
		{"node-link", "", `{"directed": true, "nodes": [], "edges": []}`, polydag.ErrNotResult, "no schema"},
		{"cut short", ` "score": 1,`, "\x00", polydag.ErrNotResult, "line 5"},
		{"trailing garbage", `{"x": 1}}`, `{"x": 1}} {}`, polydag.ErrNotResult, "line 5: invalid character '{' after top-level value"},
		{"two results", `{"x": 1}}`, `{"x": 1}}` + goodResult, polydag.ErrNotResult, "after top-level value"},
		{"not UTF-8", `"order", "status"`, "\"\xff\", \"status\"", polydag.ErrNotResult, "UTF-8"},
		{"other schema", "result/2", "result/3", polydag.ErrResultSchema, `"polydag.result/3"`},
		{"schema is a number", `"polydag.result/2"`, "1", polydag.ErrNotResult, "schema: want string, got number"},
		{"NaN", `"weight": 2`, `"weight": NaN`, polydag.ErrNotResult, "line 2: JSON has no NaN"},
		{"Inf", `"weight": 2`, `"weight": Infinity`, polydag.ErrNotResult, "no NaN and no Inf"},
		{"beyond float64", `"weight": 2`, `"weight": 2e999`, polydag.ErrNotResult, "edges: element 1: weight: want float64, got number 2e999"},
		{"score beyond float64", `"score": 1`, `"score": -1e999`, polydag.ErrNotResult, "score: want float64, got number -1e999"},
		{"weight is text", `"weight": -1`, `"weight": "NaN"`, polydag.ErrNotResult, "edges: element 2: weight: want float64, got string"},
		{"weight is missing", `, "weight": -1`, ``, polydag.ErrNotResult, "edges: element 2 needs from, to and weight"},
		{"weight is null", `"weight": -1`, `"weight": null`, polydag.ErrNotResult, "element 2 needs from, to and weight"},
		{"edges are missing", `"edges":`, `"links":`, polydag.ErrNotResult, "no edges"},
		{"edges are an object", `"stages": [{"name": "order", "graph": [{"from": "a", "to": "c"}]}]`, `"edges": {}`, polydag.ErrNotResult, "edges: want a list"},
		{"an edge is a number", `"edges": [`, `"edges": [3, `, polydag.ErrNotResult, "edges: element 1: want an object, got number"},
		{"names are text", `["a", "b", "c"], "rows"`, `"abc", "rows"`, polydag.ErrNotResult, "names: want []string, got string"},
		{"rows are text", `"rows": 9`, `"rows": "9"`, polydag.ErrNotResult, "rows: want int, got string"},
		{"rows are negative", `"rows": 9`, `"rows": -9`, polydag.ErrNotResult, "rows is -9"},
		{"empty stages", `{"name": "order", "graph"`, `{"graph"`, polydag.ErrNotResult, "stages: element 1 needs name"},
		{"no names", `["a", "b", "c"], "rows"`, `[], "rows"`, polydag.ErrResultNames, "there are none"},
		{"names are missing", `"names"`, `"labels"`, polydag.ErrResultNames, "there are none"},
		{"empty name", `["a", "b", "c"], "rows"`, `["a", "b", "c", ""], "rows"`, polydag.ErrResultNames, "name 4 is empty"},
		{"name twice", `["a", "b", "c"], "rows"`, `["a", "b", "c", "b"], "rows"`, polydag.ErrResultNames, `"b" is name 2 and 4`},
		{"unknown name", `"to": "b"`, `"to": "B"`, polydag.ErrResultNames, "edges has an edge a → B"},
		{"unknown name in a stage", `"to": "c"}]}`, `"to": "C"}]}`, polydag.ErrResultNames, "stage order has an edge a → C"},
		{"unknown name in the cut", `"cut": []`, `"cut": [{"from": "x", "to": "a", "weight": 1}]`, polydag.ErrResultNames, "continuous.cut has an edge x → a"},
		{"unknown name before the cut", `"cut": []`, `"thresholded": [{"from": "a", "to": "z"}]`, polydag.ErrResultNames, "continuous.thresholded has an edge a → z"},
		{"nodes in another order", `{"name": "a"}, {"name": "b"}`, `{"name": "b"}, {"name": "a"}`, polydag.ErrResultNames, `node 1 is "b"`},
		{"too few nodes", `{"name": "a"}, `, ``, polydag.ErrResultNames, "2 entries for 3 names"},
		{"self-loop", `"to": "b"`, `"to": "a"`, polydag.ErrResultEdges, "a points to itself"},
		{"edge twice", `{"from": "b", "to": "c", "mark"`, `{"from": "a", "to": "b", "mark"`, polydag.ErrResultEdges, "a → b is there twice"},
		{"confidence", `"weight": -1`, `"weight": -1, "confidence": 1.5`, polydag.ErrResultEdges, "b → c: a probability is 1.5"},
		{"certain by hand", `"weight": -1`, `"weight": -1, "verdict": "directed", "confidence": 0.9, "p_adjacent": 0.9, "p_direction": 0.6`, polydag.ErrResultEdges, "the verdict is directed, but the probability of the adjacency is 0.9 and that of the direction 0.6"},
		{"an unknown edge verdict", `"weight": -1`, `"weight": -1, "verdict": "certain"`, polydag.ErrResultEdges, `the verdict is "certain", want directed, undirected or weak`},
		{"an unknown basis", `"weight": -1`, `"weight": -1, "basis": "real_tables"`, polydag.ErrResultEdges, `b → c: the basis is "real_tables"`},
		{"evidence of an earlier version", `"weight": -1`, `"weight": -1, "evidence": [{"source": "model", "p": 0.9, "weight": 0.9, "text": "x"}]`, polydag.ErrResultEdges, "evidence of the source model has p, which only hidden_cause has; learn the graph again"},
		{"an unknown verdict", `"score": 1,`, `"score": 1, "assumptions": [{"name": "gaussian_noise", "verdict": "true"}],`, polydag.ErrNotResult, "assumptions: element 1 needs name and a verdict"},
		{"both ways", `{"from": "b", "to": "c", "mark"`, `{"from": "b", "to": "a", "mark"`, polydag.ErrResultCycle, "b → a → b"},
		{"order is wrong", `"order": ["a", "b", "c"]`, `"order": ["b", "a", "c"]`, polydag.ErrResultProof, "a → b does not go forward"},
		{"order is short", `"order": ["a", "b", "c"]`, `"order": ["a", "b"]`, polydag.ErrResultProof, "lacks c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.new
			if c.old != "" {
				if strings.Count(goodResult, c.old) != 1 {
					t.Fatalf("%q is in the good result %d times, want once", c.old, strings.Count(goodResult, c.old))
				}
				text = strings.Replace(goodResult, c.old, c.new, 1)
			}
			_, err := polydag.ReadResult(strings.NewReader(text))
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "plainResult") {
				t.Errorf("got %v, want it to say %q", err, c.says)
			}
		})
	}
}

// endless is a file that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	clear(p)
	return len(p), nil
}

func TestReadResultIsBounded(t *testing.T) {
	e := &endless{}
	if _, err := polydag.ReadResult(e); !errors.Is(err, polydag.ErrResultSize) {
		t.Errorf("got %v, want %v", err, polydag.ErrResultSize)
	}
	if e.read > polydag.MaxResultBytes+1<<20 {
		t.Errorf("read %d bytes, the bound is %d", e.read, polydag.MaxResultBytes)
	}
	broken := io.MultiReader(strings.NewReader(goodResult[:50]), failing{})
	if _, err := polydag.ReadResult(broken); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the reader's own error", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A hostile file of empty objects ends at the first one: memory stays near the size of the file.
func TestEmptyObjectsEndAtTheFirst(t *testing.T) {
	for _, key := range []string{"edges", "nodes", "stages", "data_checks", "trace", "assumptions", "choices"} {
		text := `{"schema": "polydag.result/2", "` + key + `": [` + strings.Repeat("{},", 1<<17) + `{}]}`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := polydag.ReadResult(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, polydag.ErrNotResult) || !strings.Contains(err.Error(), "element 1 needs") {
			t.Errorf("%s: %v", key, err)
		}
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > uint64(12*len(text)) {
			t.Errorf("%s: a file of %d bytes takes %d of memory", key, len(text), allocated)
		}
	}
}

// What was read holds its promises and is written and read again as the same bytes; what is refused has a name.
func FuzzReadResult(f *testing.F) {
	must.AddMutants(f, 1000, []byte(goodResult), []byte(`{"schema":"polydag.result/2","names":["a"],"edges":null}`), []byte(must.Text(f, report.JSON(learned(f, "order", nil)))))
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := polydag.ReadResult(bytes.NewReader(data))
		if err != nil {
			for _, named := range []error{polydag.ErrNotResult, polydag.ErrResultSchema, polydag.ErrResultNames, polydag.ErrResultEdges, polydag.ErrResultCycle, polydag.ErrResultProof, polydag.ErrResultKind} {
				if errors.Is(err, named) {
					return
				}
			}
			t.Fatalf("an error without a name: %v", err)
		}
		if res.Marked.NumEdges() != len(res.Edges) || res.Graph.N() != len(res.Names) {
			t.Fatalf("graph of %d nodes and %d edges for %d names and %d edges", res.Graph.N(), res.Graph.NumEdges(), len(res.Names), len(res.Edges))
		}
		once := must.Text(t, report.JSON(res))
		again, err := polydag.ReadResult(strings.NewReader(once))
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := must.Text(t, report.JSON(again)); once != twice {
			t.Fatalf("first\n%s\nthen\n%s", once, twice)
		}
		for _, format := range report.Formats() {
			if err := format.Write(res)(io.Discard); err != nil {
				t.Fatalf("%s: %v", format.Name, err)
			}
		}
	})
}

// Bytes changed at random never crash the reader.
func TestReadResultSurvivesNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := []byte(goodResult)
		for range 1 + rng.IntN(4) {
			switch at := rng.IntN(len(text)); rng.IntN(3) {
			case 0:
				text[at] = byte(rng.IntN(256))
			case 1:
				text = append(text[:at:at], text[min(at+1+rng.IntN(20), len(text)):]...)
			default:
				end := min(at+1+rng.IntN(20), len(text))
				text = append(text[:end:end], text[at:]...)
			}
			if len(text) == 0 {
				break
			}
		}
		res, err := polydag.ReadResult(bytes.NewReader(text))
		if err == nil && !res.Graph.IsAcyclic() {
			t.Fatalf("read a cyclic graph from %s", text)
		}
	}
}
