package methodtest

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

// promises is a method that promises graphs of a kind.
type promises struct {
	*order.Method
	kind graph.Kind
}

func (p promises) Info() method.Info {
	i := p.Method.Info()
	i.Gives = p.kind
	return i
}

func edge(from, to, mark string) (e polydag.Edge) {
	e.From, e.To, e.Mark = from, to, mark
	return e
}

// TestSound checks the kind, the certificate and the numbers of results. A CPDAG may be a PDAG if the result has a warning or was interrupted,
// the certificate of an average need not hold, and that of a PAG need not if the run was interrupted.
func TestSound(t *testing.T) {
	for _, c := range []struct {
		what     string
		promised graph.Kind
		kind     graph.Kind
		fails    bool // the certificate does not hold
		warns    bool
		status   method.Status
		score    float64
		weights  [2]float64
		want     string // "" for no fault
	}{
		{"a DAG", graph.KindDAG, graph.KindDAG, false, false, method.Converged, 3, [2]float64{1, 1}, ""},
		{"another kind", graph.KindDAG, graph.KindCPDAG, false, true, method.Canceled, 3, [2]float64{1, 1}, "kind: the graph is"},
		{"a PDAG for a DAG", graph.KindDAG, graph.KindPDAG, false, true, method.Canceled, 3, [2]float64{1, 1}, "kind: the graph is"},
		{"a DAG for a CPDAG", graph.KindCPDAG, graph.KindDAG, false, true, method.Canceled, 3, [2]float64{1, 1}, "kind: the graph is"},
		{"a PDAG for a CPDAG", graph.KindCPDAG, graph.KindPDAG, false, false, method.Converged, 3, [2]float64{1, 1}, "kind: the graph is"},
		{"a PDAG for a CPDAG, with a warning", graph.KindCPDAG, graph.KindPDAG, false, true, method.Converged, 3, [2]float64{1, 1}, ""},
		{"a PDAG for a CPDAG, interrupted", graph.KindCPDAG, graph.KindPDAG, false, false, method.Canceled, 3, [2]float64{1, 1}, ""},
		{"a DAG with a cycle", graph.KindDAG, graph.KindDAG, true, true, method.Canceled, 3, [2]float64{1, 1}, "kind: the certificate"},
		{"an average with a cycle", graph.KindAverage, graph.KindAverage, true, false, method.Converged, 3, [2]float64{1, 1}, ""},
		{"a PAG that is not legal", graph.KindPAG, graph.KindPAG, true, false, method.Converged, 3, [2]float64{1, 1}, "kind: the certificate"},
		{"a PAG that is not legal, interrupted", graph.KindPAG, graph.KindPAG, true, false, method.Canceled, 3, [2]float64{1, 1}, ""},
		{"no score", graph.KindDAG, graph.KindDAG, false, false, method.Converged, math.NaN(), [2]float64{1, 1}, "numbers: the score"},
		{"an infinite score", graph.KindDAG, graph.KindDAG, false, false, method.Converged, math.Inf(1), [2]float64{1, 1}, "numbers: the score"},
		{"no weight", graph.KindDAG, graph.KindDAG, false, false, method.Converged, 3, [2]float64{math.NaN(), 1}, "numbers: the weight"},
		{"an infinite standardized weight", graph.KindDAG, graph.KindDAG, false, false, method.Converged, 3, [2]float64{1, math.Inf(-1)}, "numbers: the weight"},
	} {
		check := &methodCheck{fresh: func() method.Method { return promises{order.New(), c.promised} }}
		res := &polydag.Result{Kind: c.kind, Status: c.status, Score: c.score}
		res.Certificate.Holds = !c.fails
		if c.warns {
			res.Warnings = []string{"contradicting tests"}
		}
		res.Edges = []polydag.Edge{edge("a", "b", "-->")}
		res.Edges[0].Weight, res.Edges[0].Standardized = c.weights[0], c.weights[1]
		check.sound("numbers", res)
		err := check.Verdict()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// TestEdgeList checks that the ends of an edge without a direction are sorted by name and those of another are not.
func TestEdgeList(t *testing.T) {
	same := func(name string) string { return name }
	for mark, sorted := range map[string]bool{"---": true, "<->": true, "o-o": true, "-->": false, "o->": false} {
		ab := edgeList(&polydag.Result{Edges: []polydag.Edge{edge("a", "b", mark)}}, same)
		ba := edgeList(&polydag.Result{Edges: []polydag.Edge{edge("b", "a", mark)}}, same)
		if (ab[0] == ba[0]) != sorted {
			t.Errorf("mark %s: %v and %v, want the same: %v", mark, ab, ba, sorted)
		}
	}
}
