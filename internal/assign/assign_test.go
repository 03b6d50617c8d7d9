package assign

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// TestLargestAgainstAllPermutations compares the sum with the maximum over all assignments.
func TestLargestAgainstAllPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		d := 1 + rng.IntN(6)
		m := matrix.New[float64](d, d)
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64()
		}
		total := func(columns []int) (sum float64) {
			for i, j := range columns {
				sum += m.At(i, j)
			}
			return sum
		}
		most := math.Inf(-1)
		var permute func(left, taken []int)
		permute = func(left, taken []int) {
			if len(left) == 0 {
				most = max(most, total(taken))
			}
			for i, j := range left {
				permute(slices.Delete(slices.Clone(left), i, i+1), append(taken, j))
			}
		}
		columns := make([]int, d)
		for j := range columns {
			columns[j] = j
		}
		permute(columns, nil)
		got := Largest(m)
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, columns) || !(total(got) >= most-1e-12) {
			t.Fatalf("the assignment %v has the sum %v, the best %v", got, total(got), most)
		}
	}
}
