package heldout

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
)

// half is one half of the rows for learning, and the likelihood of the other.
type half struct {
	fit    *polydag.Table
	likely *Likelihood
}

// drawHalf draws half k of the rows. Halves 2i and 2i + 1 are disjoint and form split i.
func drawHalf(ctx context.Context, from *polydag.Resampler, seed uint64, k int) (*polydag.Table, error) {
	return from.Draw(ctx, polydag.Draw{Kind: polydag.Halves, Seed: seed, Replicate: k})
}

// finiteBits is Bits with an error if the result is not finite.
func (l *Likelihood) finiteBits(ctx context.Context, g *graph.Graph) (float64, error) {
	bits, err := l.Bits(ctx, g)
	if err == nil && bits-bits != 0 {
		err = fmt.Errorf("the likelihood of the rows held out is %v", bits)
	}
	return bits, err
}

// standardError returns the standard error of the mean difference of a and b, which have the bits per row of
// each half. The halves of one split are disjoint. With D_1 and D_2 the differences on them, (D_1 - D_2)²/4
// estimates the variance of their mean. The estimates of all splits are averaged (Dietterich 1998, "Approximate
// statistical tests for comparing supervised classification learning algorithms"). All splits use the same
// rows, so several splits do not reduce the error.
func standardError(a, b []float64) float64 {
	sum := 0.0
	for k := 0; k < len(a); k += 2 {
		d := (a[k] - b[k]) - (a[k+1] - b[k+1])
		sum += d * d / 4
	}
	return math.Sqrt(sum / (float64(len(a)) / 2))
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}
