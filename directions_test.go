package polydag_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// Two colliders that have nothing to do with each other, one of columns of two values: its directions are doubtful, those of the other
// rest on the model. From moments alone the first are doubtful all the same, since two values show there, and the second unchecked.
func TestDoubtStaysInItsPart(t *testing.T) {
	const n = 3000
	rng := rand.New(rand.NewPCG(5, 9))
	x := matrix.New[float64](n, 6)
	s := &dataset.Sample{Columns: 6}
	for i := range n {
		r := x.Row(i)
		for part := range 2 {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			r[3*part], r[3*part+1], r[3*part+2] = a, b, a+b+rng.NormFloat64()
		}
		for j := range 3 {
			r[j] = math.Copysign(1, r[j])
		}
		s.Index, s.Values = append(s.Index, i), append(s.Values, r...)
	}
	data := moments(t, []string{"p", "q", "r", "u", "v", "w"}, x)
	res := learn(t, data, func(c *polydag.Config) { c.Method = using(t, "order", "variance=unequal") })
	check := func(known string, other polydag.Direction) {
		t.Helper()
		if len(res.Edges) != 4 {
			t.Fatalf("%d edges, want 4: the test needs another table", len(res.Edges))
		}
		for _, e := range res.Edges {
			want := polydag.DirectionDoubtful
			if e.From >= "u" {
				want = other
			}
			if e.Direction != want {
				t.Errorf("%s: %s → %s is %s, want %s", known, e.From, e.To, e.Direction, want)
			}
		}
	}
	check("moments", polydag.DirectionUnchecked)
	table := polydag.FromMoments(data)
	table.Sample = s
	cfg := polydag.DefaultConfig()
	cfg.Method = using(t, "order", "variance=unequal")
	var err error
	if res, err = table.Learn(context.Background(), cfg, polydag.Run{}); err != nil {
		t.Fatal(err)
	}
	check("rows", polydag.DirectionModel)
	for _, a := range res.Assumptions {
		if a.Name == trust.GaussianNoise && (a.Verdict != trust.Fails || len(a.Evidence) != 1 || len(a.Evidence[0].Columns) != 3) {
			t.Errorf("%+v", a)
		}
	}
}
