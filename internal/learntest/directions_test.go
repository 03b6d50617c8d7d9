package learntest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// TestFailedChecksConcernTheirColumns has two unrelated colliders, one of binary columns. A failed check must
// lower the probabilities of the directions at its own columns and leave the other collider, from rows and from
// moments.
func TestFailedChecksConcernTheirColumns(t *testing.T) {
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
	check := func(known string) {
		t.Helper()
		if len(res.Edges) != 4 {
			t.Fatalf("%d edges, want 4: the test needs another table", len(res.Edges))
		}
		for _, e := range res.Edges {
			failed := slices.ContainsFunc(e.Evidence, func(r trust.Reason) bool { return r.Source == trust.FromChecks })
			if other := e.From >= "u"; failed == other || other && e.Verdict != polydag.Directed {
				t.Errorf("%s: %s → %s is %s: %+v", known, e.From, e.To, e.Verdict, e.Evidence)
			}
		}
	}
	check("moments")
	table := polydag.FromMoments(data)
	table.Sample = s
	cfg := polydag.DefaultConfig()
	cfg.Method = using(t, "order", "variance=unequal")
	var err error
	if res, err = table.Learn(context.Background(), cfg, polydag.Run{}); err != nil {
		t.Fatal(err)
	}
	check("rows")
	for _, a := range res.Assumptions {
		if a.Name == trust.GaussianNoise && (a.Verdict != trust.Fails || len(a.Evidence) != 1 || len(a.Evidence[0].Columns) != 3) {
			t.Errorf("%+v", a)
		}
	}
}
