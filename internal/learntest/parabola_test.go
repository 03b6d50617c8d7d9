package learntest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
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

// TestCurvesWithTails checks x → y → z → w ← x where y is a square or an exponential function of x: what a model of bounded curves misses in
// the tails of x would be explained by z. Cosines alone state 18 and 15 wrong directions in these tables.
func TestCurvesWithTails(t *testing.T) {
	want := [][2]string{{"x", "y"}, {"y", "z"}, {"x", "w"}, {"z", "w"}}
	for _, c := range []struct {
		name         string
		f            func(float64) float64
		right, wrong int // stated directions, at least and at most
	}{
		{"square", func(x float64) float64 { return x * x }, 24, 0},
		{"exponential", math.Exp, 22, 4},
	} {
		right, wrong := 0, 0
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 9))
			x := matrix.New[float64](500, 4)
			for i := range x.Rows {
				r := x.Row(i)
				r[0] = rng.NormFloat64()
				r[1] = c.f(r[0]) + 0.7*rng.NormFloat64()
				r[2] = r[1] + 0.7*rng.NormFloat64()
				r[3] = math.Sin(r[0]) + 0.5*r[2] + 0.7*rng.NormFloat64()
			}
			res, err := rowsTable(t, []string{"x", "y", "z", "w"}, x).Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range res.Edges {
				switch {
				case e.Verdict != polydag.Directed:
				case slices.Contains(want, [2]string{e.From, e.To}):
					right++
				default:
					wrong++
				}
			}
		}
		t.Logf("%s: %d right and %d wrong directions are stated, of 32", c.name, right, wrong)
		if right < c.right || wrong > c.wrong {
			t.Errorf("%s: %d right and %d wrong directions are stated, want at least %d and at most %d", c.name, right, wrong, c.right, c.wrong)
		}
	}
}
