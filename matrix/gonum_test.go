package matrix

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGonum(t *testing.T) {
	m := strided[float64](rand.New(rand.NewPCG(8, 8)), 3, 4, 2)
	g := ToGonum(m)
	g.Set(1, 2, 42)
	if m.At(1, 2) != 42 {
		t.Error("ToGonum does not share memory")
	}
	for name, src := range map[string]mat.Matrix{"matrix": g, "slice": g.Slice(1, 3, 1, 4), "transpose": g.T(), "symmetric": mat.NewSymDense(2, []float64{1, 2, 2, 3})} {
		c := FromGonum(src)
		if rows, cols := src.Dims(); c.Rows != rows || c.Cols != cols || !mat.Equal(ToGonum(c), src) {
			t.Errorf("FromGonum of a %s: %v", name, c)
		}
	}
	c := FromGonum(g)
	c.Set(0, 0, -1)
	if m.At(0, 0) == -1 {
		t.Error("FromGonum shares memory")
	}
	if e := FromGonum(ToGonum(New[float64](0, 0))); e.Rows != 0 || e.Cols != 0 {
		t.Error("empty matrix")
	}
}
