package metric

import "github.com/polydag/polydag/graph"

// A LaggedEdge is an edge from a value to one that is Lag time steps later.
type LaggedEdge struct {
	graph.Edge
	Lag int
}

// Lagged compares the edges with a lag of two graphs. An edge is right if the truth has it with the same lag.
type Lagged struct {
	EdgesTrue      int     `json:"edges_true"`
	EdgesEstimated int     `json:"edges_estimated"`
	Precision      float64 `json:"precision"`
	Recall         float64 `json:"recall"`
	F1             float64 `json:"f1"`
}

// CompareLagged compares lists of distinct edges. Without estimated edges the precision is 1, without true ones the recall.
func CompareLagged(truth, est []LaggedEdge) *Lagged {
	set := make(map[LaggedEdge]bool, len(truth))
	for _, e := range truth {
		set[e] = true
	}
	hit := 0
	for _, e := range est {
		if set[e] {
			hit++
		}
	}
	share := func(of int) float64 {
		if of == 0 {
			return 1
		}
		return float64(hit) / float64(of)
	}
	l := &Lagged{EdgesTrue: len(truth), EdgesEstimated: len(est), Precision: share(len(est)), Recall: share(len(truth)), F1: 1}
	if sum := len(truth) + len(est); sum > 0 {
		l.F1 = 2 * float64(hit) / float64(sum)
	}
	return l
}
