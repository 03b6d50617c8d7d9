package learntest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/matrix"
)

// TestEffectsWithoutALinearPart checks that y = x² + noise has its edge. The curve has uneven noise on the scale that is chosen for y, and as
// a line it would be no edge.
func TestEffectsWithoutALinearPart(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x := matrix.New[float64](500, 2)
		for i := range x.Rows {
			r := x.Row(i)
			r[0] = rng.NormFloat64()
			r[1] = r[0]*r[0] + 0.5*rng.NormFloat64()
		}
		res, err := rowsTable(t, []string{"x", "y"}, x).Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Graph.HasEdge(0, 1) {
			t.Errorf("seed %d: edges %v, want x → y", seed, res.Graph.Edges())
		}
	}
}
