package metric

import (
	"testing"

	"github.com/polydag/polydag/graph"
)

func TestCompareLagged(t *testing.T) {
	edge := func(from, to, lag int) LaggedEdge { return LaggedEdge{graph.Edge{From: from, To: to}, lag} }
	truth := []LaggedEdge{edge(0, 0, 1), edge(0, 1, 2), edge(1, 0, 1), edge(2, 1, 1)}
	est := []LaggedEdge{edge(0, 0, 1), edge(0, 1, 1), edge(1, 0, 1)}
	if got, want := *CompareLagged(truth, est), (Lagged{4, 3, 2.0 / 3, 0.5, 4.0 / 7}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := *CompareLagged(nil, nil), (Lagged{0, 0, 1, 1, 1}); got != want {
		t.Errorf("without edges: %+v", got)
	}
	if got, want := *CompareLagged(truth, nil), (Lagged{4, 0, 1, 0, 0}); got != want {
		t.Errorf("without estimated edges: %+v", got)
	}
}
