package search

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBitRows compares rows of bits with a map, around the sizes where a row needs another word.
func TestBitRows(t *testing.T) {
	for _, d := range []int{1, 2, 63, 64, 65, 128, 129} {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		rows, twin := newBitRows(d), map[[2]int]bool{}
		for range 8 * d {
			i, j := rng.IntN(d), rng.IntN(d)
			if rng.IntN(3) == 0 {
				rows.clear(i, j)
				delete(twin, [2]int{i, j})
			} else {
				rows.set(i, j)
				twin[[2]int{i, j}] = true
			}
		}
		for i := range d {
			var want []int32
			for j := range d {
				if rows.has(i, j) != twin[[2]int{i, j}] {
					t.Fatalf("d = %d: has(%d, %d) = %v", d, i, j, rows.has(i, j))
				}
				if twin[[2]int{i, j}] {
					want = append(want, int32(j))
				}
			}
			if got := rows.appendRow(nil, i); !slices.Equal(got, want) {
				t.Fatalf("d = %d: row %d is %v, want %v", d, i, got, want)
			}
		}
	}
}
