package effect

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/order"
)

// TestEffectOfARoot checks that the interval of a root has an estimate from every bootstrap sample, also from those whose graph has no path,
// and that the interval of another column counts these as 0.
func TestEffectOfARoot(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(5, 2))
	x := matrix.New[float64](n, 3)
	for i := range n {
		dose := rng.NormFloat64()
		x.Set(i, 0, dose)
		x.Set(i, 1, 0.38*dose+rng.NormFloat64())
		x.Set(i, 2, rng.NormFloat64())
	}
	table := tableOf(t, []string{"dose", "pain", "age"}, nil, x)
	for _, root := range []bool{true, false} {
		cfg := polydag.DefaultConfig()
		cfg.Method, cfg.Knowledge.Tiers = order.New(), [][]string{{"dose", "age"}, {"pain"}}
		if root {
			cfg.Knowledge.Forbid = []string{knowledge.Root("dose")}
		}
		res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
		a := must.Get(Ask(context.Background(), res, table, Question{Of: "dose", On: "pain", Level: 0.9, Replicates: 60, Seed: 1, Threads: 2}))
		e, i := a.Effects[0], a.Interval
		if *i.Paths > 0.99 || i.Root != root || (e.IfExists == nil) != root || (*e.Total.Low == 0) == root {
			t.Errorf("root %v: %+v, interval [%v, %v], if it exists %v", root, *i, *e.Total.Low, *e.Total.High, e.IfExists)
		}
		if said := i.sentence("path"); strings.Contains(said, "nothing causes the column") != root {
			t.Error(said)
		}
	}
}
