package learntest

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag"
)

// TestInterceptsPutTheMeansOnTheLine checks that at the means of its parents every equation gives the mean of
// its column.
func TestInterceptsPutTheMeansOnTheLine(t *testing.T) {
	r := &polydag.Result{
		Names: []string{"a", "b", "c"},
		Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "c"}, Weight: 3}, {Link: polydag.Link{From: "b", To: "c"}, Weight: -0.5}, {Link: polydag.Link{From: "a", To: "b"}, Weight: 2}},
		Nodes: []polydag.Node{{Name: "a", Mean: 1}, {Name: "b", Mean: 10}, {Name: "c", Mean: -4}},
	}
	got, err := r.Intercepts()
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range []float64{1, 10 - 2*1, -4 - 3*1 + 0.5*10} {
		if got[v] != want {
			t.Errorf("intercept of %s = %v, want %v", r.Names[v], got[v], want)
		}
	}
}

func TestInterceptsSayWhatIsMissing(t *testing.T) {
	for says, r := range map[string]*polydag.Result{
		"no means":       {Names: []string{"a"}},
		"does not list":  {Names: []string{"a"}, Nodes: make([]polydag.Node, 1), Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}}}},
		"beyond float64": {Names: []string{"a", "b"}, Nodes: []polydag.Node{{Mean: 1e300}, {}}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Weight: 1e300}}},
	} {
		if got, err := r.Intercepts(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, %v; want an error that says %q", got, err, says)
		}
	}
	if _, err := (&polydag.Result{Names: []string{"a"}, Nodes: []polydag.Node{{Mean: math.NaN()}}}).Intercepts(); err == nil {
		t.Error("NaN is an intercept")
	}
}
