package lab_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/daggnn"
	"github.com/polydag/polydag/lab/golem"
	"github.com/polydag/polydag/lab/grandag"
	"github.com/polydag/polydag/lab/mlp"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// TestConstraints learns a few steps of each method under each constraint. h_poly and h_geo are the same function,
// so they give the same weights; the published constraint gives others.
func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		published string
		make      func() method.Method
		steps     map[string]string
	}{
		{"exp", func() method.Method { return golem.NewEqual() }, map[string]string{"steps": "400"}},
		{"exp", func() method.Method { return golem.NewUnequal() }, map[string]string{"steps": "300"}},
		{"exp", func() method.Method { return grandag.New() }, map[string]string{"steps": "100"}},
		{"bin", func() method.Method { return daggnn.New() }, map[string]string{"steps": "100"}},
		{"exp", func() method.Method { return mlp.NewNOTEARS() }, map[string]string{"steps": "60"}},
		{"logdet", func() method.Method { return mlp.NewDAGMA() }, map[string]string{"stage-steps": "20", "last-steps": "20"}},
	} {
		learn := func(constraint string) *matrix.Dense[float64] {
			m := c.make()
			var set param.Set
			m.Params(&set)
			for name, value := range c.steps {
				must.Succeed(t, set.Set(name, value))
			}
			if constraint != "" {
				must.Succeed(t, set.Set("constraint", constraint))
			}
			in, _ := inputtest.Simulated(t, 200, func(s *sim.Settings) { s.Nodes, s.Degree, s.Seed = 6, 4, 3 })
			run := must.Get(stage.New(stage.Key{}, stage.Settings{}))
			a := must.Get(m.Learn(context.Background(), in, run))
			return a.Continuous.W
		}
		name := c.make().Info().Name
		own, named, poly, geo := learn(""), learn(c.published), learn("poly"), learn("geo")
		if !slices.Equal(own.Data, named.Data) {
			t.Errorf("%s: the default constraint is not %s", name, c.published)
		}
		same, other := distance(poly, geo), distance(own, geo)
		if !(other > 1e-6) {
			t.Errorf("%s: the weights under %s and geo differ by only %g, so the setting has no effect", name, c.published, other)
		}
		if !(same < 0.01*other) {
			t.Errorf("%s: the weights under poly and geo differ by %g, those under %s and geo by %g", name, same, c.published, other)
		}
	}
}

// distance returns the largest difference of two entries.
func distance(a, b *matrix.Dense[float64]) (far float64) {
	for k, v := range a.Data {
		far = max(far, math.Abs(v-b.Data[k]))
	}
	return far
}
