package classify

import (
	"math"
	"slices"
	"testing"
)

// TestGroupsByCosine checks groups of vectors by their angles: the limit is a cosine of 0.99, a chain of near duplicates is one group, the
// length does not count, and a vector of zeros is similar to no other.
func TestGroupsByCosine(t *testing.T) {
	at := func(length, angle float64) []float32 {
		return []float32{float32(length * math.Cos(angle)), float32(length * math.Sin(angle))}
	}
	near, far := math.Acos(0.9901), math.Acos(0.9899)
	for _, c := range []struct {
		vectors [][]float32
		near    float64
		want    []int
	}{
		{[][]float32{at(1, 0), at(5, near), at(1, 2*near), at(1, 2*near+far)}, 0.99, []int{1, 1, 1, 2}},
		{[][]float32{at(1, 1), at(0, 0), at(3, 1), at(0, 0)}, 1, []int{1, 2, 1, 3}},
	} {
		if got := groups(c.vectors, c.near, 1); !slices.Equal(got, c.want) {
			t.Errorf("groups %v, want %v", got, c.want)
		}
	}
}
