package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomRows draws n rows of columns with two or three levels.
func randomRows(rng *rand.Rand, d, n int) *Rows {
	columns, levels := make([][]float64, d), make([][]float64, d)
	for v := range d {
		k := 2 + rng.IntN(2)
		for c := range k {
			levels[v] = append(levels[v], float64(c))
		}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(k)))
		}
	}
	return New(columns, levels)
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}
