package study

import "testing"

const further = `
name: further
title: Further
methods:
  geo: {method: polydag-geo, set: {steps: 60}}
  on: {method: continuous}
experiments:
  - name: a
    title: A
    data: [{nodes: [12], degree: [6], samples: 60}]
    protocols: [raw]
    methods: [geo, on]
    seeds: [1, 2, 3, 4, 5, 6]
`

// TestARecordIsOfTheAnswerWhereAMethodGoesOn checks that a record has the metrics of the thresholded graph if
// the method only breaks its cycles, and otherwise those of the answer.
func TestARecordIsOfTheAnswerWhereAMethodGoesOn(t *testing.T) {
	runs, err := read(t, further).Expand(Select{})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := 0
	for _, r := range runs {
		rec, res, err := r.learn(t.Context(), Execution{})
		if err != nil {
			t.Fatal(err)
		}
		left, err := thresholdedGraph(res)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.MethodName == "geo":
			if rec.Edges != left.NumEdges() || rec.Cut != len(res.Continuous.Cut) {
				t.Errorf("seed %d: %d edges and %d cut, want %d and %d", r.Seed, rec.Edges, rec.Cut, left.NumEdges(), len(res.Continuous.Cut))
			}
		case wentOn(left, res):
			elsewhere++
			if rec.Edges != res.Graph.NumEdges() || !rec.DAGValid || rec.Thresholded.EdgesEstimated != res.Graph.NumEdges() {
				t.Errorf("seed %d: the record has %d edges, want %d of the answer", r.Seed, rec.Edges, res.Graph.NumEdges())
			}
		}
	}
	if elsewhere == 0 {
		t.Error("the method never went on; this test has nothing to show")
	}
}
