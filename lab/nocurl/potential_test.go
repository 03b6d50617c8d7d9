package nocurl

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// TestPotentialsAreAProjection compares the potentials, up to a factor and a constant, with the least squares
// solution of p_j - p_i = C_ij - C_ji over all pairs by gradient descent.
func TestPotentialsAreAProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		d := 2 + rng.IntN(6)
		w := matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				if i != j && rng.Float64() < 0.3 {
					w.Set(i, j, 2*rng.Float64()-1)
				}
			}
		}
		const threshold = 0.3
		g := graph.Threshold(d, w.At, threshold)
		want := make([]float64, d)
		for range 2000 {
			for i := range d { // the exact minimum over one of them
				sum := 0.0
				for j := range d {
					if i == j {
						continue
					}
					c := 0.0
					if g.HasPath(i, j) {
						c++
					}
					if g.HasPath(j, i) {
						c--
					}
					sum += want[j] - c
				}
				want[i] = sum / float64(d-1)
			}
		}
		got := potentials(w, threshold, graph.New(d))
		for i := range d {
			for j := range d {
				if diff := float64(got[j]-got[i]) / float64(d); !(math.Abs(diff-(want[j]-want[i])) <= 1e-9) {
					t.Fatalf("p_%d - p_%d = %v, by the definition %v", j, i, diff, want[j]-want[i])
				}
			}
		}
	}
}

// TestPotentialsWithRequiredEdges checks that p increases along required edges and that the free entries have
// no cycle, for any weights.
func TestPotentialsWithRequiredEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		const d = 7
		w := matrix.New[float64](d, d)
		for i := range w.Data {
			w.Data[i] = rng.NormFloat64() / 3
		}
		required := graph.New(d)
		perm := rng.Perm(d)
		for range 5 {
			if a, b := rng.IntN(d), rng.IntN(d); a < b {
				required.AddEdge(perm[a], perm[b])
			}
		}
		marked := notUphill(nil, potentials(w, 0.3, required))
		free := graph.New(d)
		for i := range d {
			for j := range d {
				if !marked[i*d+j] {
					free.AddEdge(i, j)
				}
			}
		}
		if !free.IsAcyclic() {
			t.Fatal("what is left free has a cycle")
		}
		for _, e := range required.Edges() {
			if !free.HasEdge(e.From, e.To) {
				t.Fatalf("the required edge %v is not free", e)
			}
		}
	}
	if marked := notUphill([]bool{false, true, false, false}, []int{0, 1}); !marked[1] {
		t.Error("what was forbidden is free")
	}
}
