package matrix_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// unitVectors returns d vectors of n components and length 1. Every seventh is the one before it, with the opposite sign, and every
// fifth is similar to it.
func unitVectors(d, n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]float64, d*n)
	for i := range d {
		v := data[i*n : (i+1)*n]
		square := 0.0
		for k := range v {
			switch v[k] = rng.NormFloat64(); {
			case i > 0 && i%7 == 0:
				v[k] = -data[(i-1)*n+k]
			case i > 0 && i%5 == 0:
				v[k] = data[(i-1)*n+k] + 0.03*v[k]
			}
			square += v[k] * v[k]
		}
		for k := range v {
			v[k] /= math.Sqrt(square)
		}
	}
	return data
}

// TestGram compares every entry, exact and coarse, with a sum, in the order of construction and in another.
func TestGram(t *testing.T) {
	for _, size := range [][2]int{{1, 4}, {30, 12}, {64, 9}, {300, 40}} {
		d, n := size[0], size[1]
		data := unitVectors(d, n, 1)
		g := matrix.NewGram(data, n, 3)
		order := rand.New(rand.NewPCG(2, 2)).Perm(d)
		moved := g.Arranged(order)
		if g.Len() != d || g.Components() != n {
			t.Fatalf("%d vectors of %d components", g.Len(), g.Components())
		}
		row := make([]float64, d)
		for i, a := range order {
			var squares int64
			for j, b := range order {
				want := 0.0
				for k := range n {
					want += data[a*n+k] * data[b*n+k]
				}
				got := g.At(a, b)
				if !(math.Abs(got-want) <= 1e-14) || got != g.At(b, a) || got != moved.At(i, j) || a == b && got != 1 {
					t.Fatalf("entry %d, %d is %v and %v, want %v", a, b, got, moved.At(i, j), want)
				}
				if a != b {
					squares += int64(min(1, want*want) * (1 << 40))
				}
				for x, q := range moved.Coarse(i) {
					if moved.Column(x) == int32(j) && !(math.Abs(float64(q)*matrix.CoarseUnit-got) <= g.Slack()) {
						t.Fatalf("coarse entry %d, %d is %v, want %v", a, b, float64(q)*matrix.CoarseUnit, got)
					}
				}
			}
			if off := moved.Squares(i) - squares; off < int64(-d) || off > int64(d) {
				t.Errorf("squares of row %d: %d, want %d", i, moved.Squares(i), squares)
			}
			var places []int32
			for x := range moved.Coarse(i) {
				if moved.Column(x) >= 0 && x%3 != 1 {
					places = append(places, int32(x))
				}
			}
			moved.Fill(row, i, places)
			for k, x := range places {
				if j := int(moved.Column(int(x))); row[k] == row[k] && row[k] != moved.At(i, j) {
					t.Fatalf("Fill: entry %d, %d is %v, want %v", i, j, row[k], moved.At(i, j))
				}
			}
			for _, least := range []float64{0.5, 0.999} {
				near := moved.Near(i, least)
				for j := range d {
					if j != i && !(math.Abs(moved.At(i, j)) < least) && !slices.Contains(near, j) {
						t.Errorf("%d is not near %d: %v", j, i, moved.At(i, j))
					}
				}
				for _, j := range near {
					if r := math.Abs(moved.At(i, j)); j == i || r < least-2*g.Slack() {
						t.Errorf("%d is near %d: %v", j, i, r)
					}
				}
			}
		}
		all := g.Dense()
		for i := range d {
			for j := range d {
				if all.At(i, j) != g.At(i, j) {
					t.Fatalf("stored entry %d, %d is %v, want %v", i, j, all.At(i, j), g.At(i, j))
				}
			}
		}
	}
}
