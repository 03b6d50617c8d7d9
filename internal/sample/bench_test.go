package sample_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/polydag/polydag/internal/sample"
)

func BenchmarkExact(b *testing.B) {
	for _, d := range []int{8, 10, 12} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			p := sample.Problem{Score: bge(b, table(d, 1000, 0.3, 0.5, 1), 1000)}
			for b.Loop() {
				e, err := sample.NewExact(context.Background(), p, 1)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := e.Edges(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
