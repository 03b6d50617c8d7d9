package basis_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/basis"
)

// BenchmarkPairs measures Pairs on 1000 rows. polydag bench --search shows it next to the search.
func BenchmarkPairs(b *testing.B) {
	for _, d := range []int{50, 100, 200, 500, 1000} {
		x := chain(rand.New(rand.NewPCG(1, 14)), 1000, d, line)
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			for b.Loop() {
				if _, err := basis.Pairs(context.Background(), x, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
