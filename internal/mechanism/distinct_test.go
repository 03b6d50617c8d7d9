package mechanism

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCountedByDistinctRows compares probability tables from distinct rows with those from all rows.
func TestCountedByDistinctRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 300
	columns := make([][]float64, 3)
	times := make([]int, n)
	for i := range n {
		for j := range columns {
			columns[j] = append(columns[j], float64(rng.IntN(2+j%2)))
		}
		times[i] = rng.IntN(3)
	}
	d := New(columns, [][]float64{{0, 1}, {0, 1, 2}, {0, 1}})
	d.regime, d.targets = make([]int, n), [][]int{nil, {2}}
	for i := range d.regime {
		d.regime[i] = rng.IntN(2)
	}
	slow, err := d.counted(times)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := d.Counted(times)
	if err != nil {
		t.Fatal(err)
	}
	if fast.N > 24 || slow.N != n {
		t.Errorf("%d and %d rows", fast.N, slow.N)
	}
	for v, parents := range [][]int{{1, 2}, {0}, {0, 1}} {
		a, err := NewCPT(slow, v, parents)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewCPT(fast, v, parents)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.P, b.P) || !slices.Equal(a.Overall, b.Overall) {
			t.Errorf("column %d: %v, want %v", v, b.P, a.P)
		}
	}
	if numeric := New(columns, [][]float64{{0, 1}, nil, {0, 1}}); numeric.distinct().rows != nil {
		t.Error("distinct rows of a numeric column")
	}
}
