package study

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestMersenneIsNumpyAndTorch checks published first values of numpy and torch for seed 0.
func TestMersenneIsNumpyAndTorch(t *testing.T) {
	m := newMersenne(0)
	for i, want := range []float64{0.5488135, 0.71518937, 0.60276338, 0.54488318, 0.4236548} {
		if got := m.rand53(); !(math.Abs(got-want) <= 5e-9) {
			t.Errorf("numpy.random.rand %d: %v, want %v", i, got, want)
		}
	}
	if got := newMersenne(0).permutation(10); !slices.Equal(got, []int{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}) {
		t.Errorf("numpy.random.permutation(10): %v", got)
	}
	m = newMersenne(0)
	for i, want := range []float64{0.4963, 0.7682, 0.0885, 0.1320} {
		if got := float64(m.rand24()); !(math.Abs(got-want) <= 5e-5) {
			t.Errorf("torch.rand %d: %v, want %v", i, got, want)
		}
	}
	z := make([]float64, 16)
	newMersenne(0).normal(z)
	want := []float64{-1.1258, -1.1524, -0.2506, -0.4339, 0.8487, 0.6920, -0.3160, -2.1152, 0.3223, -1.2633, 0.3500, 0.3081, 0.1198, 1.2377, 1.1168, -0.2473}
	for i := range z {
		if !(math.Abs(z[i]-want[i]) <= 6e-5) {
			t.Errorf("torch.randn(4, 4) %d: %v, want %v", i, z[i], want[i])
		}
	}
}

func TestReleased(t *testing.T) {
	edges := 0.0
	for seed := range uint64(20) {
		w, x, err := Released(100, 4, 160, seed)
		must.Succeed(t, err)
		g := support(w)
		edges += float64(g.NumEdges()) / 20
		for _, e := range g.Edges() {
			if v := math.Abs(w.At(e.From, e.To)); e.From >= e.To || v < 0.5 || v > 2 {
				t.Fatalf("edge %d → %d of weight %v", e.From, e.To, v)
			}
		}
		if x.Rows != 160 || x.Cols != 100 {
			t.Fatal(x.Rows, x.Cols)
		}
	}
	if !(math.Abs(edges-200) <= 10) {
		t.Errorf("%v edges on average, want about 200: half of degree·d", edges)
	}
	if w, _, err := Released(5, 4, 16, 1); err != nil || support(w).NumEdges() != 10 {
		t.Errorf("a degree of d-1 does not give all edges: %v", err)
	}
	if _, _, err := Released(10, 4, 11, 1); err == nil {
		t.Error("110 numbers were taken")
	}
}
