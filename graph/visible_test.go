package graph

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestVisible checks the definition: a hidden common cause of the ends of an edge i → j changes the MAG exactly if the edge is
// visible. The DAG of a MAG has i → j for i → j and a hidden common cause for i ↔ j.
func TestVisible(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	visible, invisible := 0, 0
	for range 500 {
		n := 4 + rng.IntN(4)
		full, hidden := New(n+3), []int{n, n + 1, n + 2}
		order := rng.Perm(n)
		for k, v := range order {
			for _, u := range order[:k] {
				if rng.Float64() < 0.35 {
					full.AddEdge(u, v)
				}
			}
		}
		for _, h := range hidden {
			for _, v := range rng.Perm(n)[:2] {
				full.AddEdge(h, v)
			}
		}
		mag, _, err := LatentMAG(full, hidden, nil)
		must.Succeed(t, err)
		for _, e := range mag.Directed().Edges() {
			with := New(n + 1 + mag.NumEdges())
			next := n
			join := func(i, j int) {
				with.AddEdge(next, i)
				with.AddEdge(next, j)
				next++
			}
			for _, f := range mag.Skeleton() {
				switch {
				case mag.directed(f.From, f.To):
					with.AddEdge(f.From, f.To)
				case mag.directed(f.To, f.From):
					with.AddEdge(f.To, f.From)
				default:
					join(f.From, f.To)
				}
			}
			join(e.From, e.To)
			var unseen []int
			for v := n; v < with.N(); v++ {
				unseen = append(unseen, v)
			}
			changed, _, err := LatentMAG(with, unseen, nil)
			must.Succeed(t, err)
			if mag.Visible(e.From, e.To) == changed.Equal(mag) {
				t.Fatalf("%v: %d → %d is visible: %v", mag.Mixed().Edges(), e.From, e.To, mag.Visible(e.From, e.To))
			}
			if mag.Visible(e.From, e.To) {
				visible++
			} else {
				invisible++
			}
		}
	}
	if visible < 200 || invisible < 200 {
		t.Errorf("%d visible and %d invisible edges", visible, invisible)
	}
}
