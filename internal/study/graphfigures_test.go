package study

import (
	"math"
	"strings"
	"testing"
)

// TestStrongestEdgesAreDrawn checks that a drawing has the 60 edges with the largest weights, whatever their signs.
func TestStrongestEdgesAreDrawn(t *testing.T) {
	st := read(t, "name: s\ntitle: S\nmethods: {order: {method: order}}\nexperiments:\n  - {name: a, title: A, data: [{dataset: demo}], methods: [order]}\n")
	runs, err := st.Expand(Select{})
	if err != nil {
		t.Fatal(err)
	}
	rec := &Record{Key: runs[0].Key}
	for i := range 70 {
		rec.Graph = append(rec.Graph, WeightedEdge{Weight: float64(1+i) * float64(1-i%2*2)}) // 1, -2, 3, …
	}
	edges := strongest(rec.Graph)
	for k, e := range edges {
		if math.Abs(e.Weight) != float64(70-k) {
			t.Fatalf("edge %d has the weight %v", k, e.Weight)
		}
	}
	pictures := NewView(st, Select{}, []*Record{rec}).graphs(&st.Experiments[0])
	if len(edges) != 60 || len(pictures) != 1 || !strings.HasSuffix(pictures[0].title, ": 70 edges, the 60 strongest drawn") {
		t.Errorf("%d edges, %d pictures: %+v", len(edges), len(pictures), pictures)
	}
}
