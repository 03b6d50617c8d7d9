package heldout

import (
	"github.com/polydag/polydag/graph"
)

// Agreement is the pairwise agreement of methods. With E_i and E_j the edges of two methods,
//
//	agreement = 2·|common| / (|E_i| + |E_j|), and 1 where neither has an edge.
type Agreement struct {
	// Labels are the labels of the rows and columns.
	Labels []string `json:"labels"`
	// Skeleton counts pairs that are adjacent in both. Marks counts those with the same marks at both ends; for
	// DAGs, edges with the same direction.
	Skeleton [][]float64 `json:"skeleton"`
	Marks    [][]float64 `json:"marks"`
}

// agreement compares all graphs, in O(methods² · edges).
func agreement(entries []*Entry) *Agreement {
	if len(entries) < 2 {
		return nil
	}
	a := &Agreement{}
	for _, e := range entries {
		var skeleton, marks []float64
		for _, other := range entries {
			s, m := agree(e.Result.Marked, other.Result.Marked)
			skeleton, marks = append(skeleton, s), append(marks, m)
		}
		a.Labels = append(a.Labels, e.Label)
		a.Skeleton, a.Marks = append(a.Skeleton, skeleton), append(a.Marks, marks)
	}
	return a
}

// agree returns the agreement of two graphs on adjacencies and on marks.
func agree(a, b *graph.Mixed) (skeleton, marks float64) {
	edges := a.NumEdges() + b.NumEdges()
	if edges == 0 {
		return 1, 1
	}
	joined, same := 0, 0
	for _, e := range a.Edges() {
		other, found := b.Between(e.From, e.To)
		if !found {
			continue
		}
		joined++
		if other == e {
			same++
		}
	}
	return 2 * float64(joined) / float64(edges), 2 * float64(same) / float64(edges)
}
