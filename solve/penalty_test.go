package solve_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

func TestPenaltiesKeepTheLaws(t *testing.T) {
	t.Run("float64", testPenalties[float64])
	t.Run("float32", testPenalties[float32])
}

func testPenalties[T matrix.Float](t *testing.T) {
	for name, c := range map[string]struct {
		p    solve.Penalty[T]
		size float64
	}{
		"L1":             {solve.L1[T]{Lambda: 0.3}, 1},
		"MCP":            {solve.MCP[T]{Lambda: 0.3, Width: 0.6}, 0.4},
		"SCAD":           {solve.SCAD[T]{Lambda: 0.3, A: 3.7}, 0.5},
		"Group, entries": {solve.Group[T]{Lambda: 0.3}, 1},
		"Group, rows":    {solve.Group[T]{Lambda: 0.3, Columns: make([]int, 5)}, 1},
		"Group, blocks":  {solve.Group[T]{Lambda: 0.3, Rows: []int{0, 0, 1, 2}, Columns: []int{1, 0, 1, 1, 0}}, 1},
	} {
		for seed := range uint64(3) {
			if err := kit.Penalty(c.p, 4, 5, c.size, seed); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The slow twins: SCAD's value is the integral of its derivative, and Group's is the sum over its groups as they are written down.
func TestPenaltiesAgainstTheirDefinition(t *testing.T) {
	const lambda, a = 0.4, 3.7
	scad := solve.SCAD[float64]{Lambda: lambda, A: a}
	w, g := matrix.New[float64](1, 1), matrix.New[float64](1, 1)
	for _, at := range []float64{0.1, 0.4, 0.41, 1, 1.4799, 1.6, 5} {
		sum, steps := 0.0, 200000
		for i := range steps {
			x := at * (float64(i) + 0.5) / float64(steps)
			slope := lambda
			if x > lambda {
				slope = max(0, (a*lambda-x)/(a-1))
			}
			sum += slope * at / float64(steps)
		}
		w.Set(0, 0, -at)
		if got := scad.AddGrad(g, w); math.Abs(got-sum) > 1e-9 {
			t.Errorf("SCAD at %v is %v, its derivative integrates to %v", at, got, sum)
		}
	}
	group := solve.Group[float64]{Lambda: 2, Rows: []int{0, 0, 1}, Columns: []int{0, 1, 1}}
	x := matrix.Of(3, 3, []float64{3, 1, 2, 4, 0, 2, 0, 6, 8})
	want := 2 * (math.Sqrt2*5 + 2*3 + 0 + math.Sqrt2*10)
	grad := matrix.New[float64](3, 3)
	if got := group.AddGrad(grad, x); math.Abs(got-want) > 1e-12 {
		t.Errorf("the group penalty is %v, want %v", got, want)
	}
	if want := 2 * math.Sqrt2 * 3 / 5; math.Abs(grad.At(0, 0)-want) > 1e-12 || grad.At(2, 0) != 0 {
		t.Errorf("its slopes are %v and %v, want %v and 0", grad.At(0, 0), grad.At(2, 0), want)
	}
}
