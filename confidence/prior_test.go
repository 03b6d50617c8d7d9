package confidence_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// chain draws rows of a → b → c → d with Gaussian noise of different sizes, in the given order of the columns.
func chain(t *testing.T, n int, columns ...string) *polydag.Table {
	rng := rand.New(rand.NewPCG(4, 4))
	x := matrix.New[float64](n, len(columns))
	for i := range n {
		row, last := map[string]float64{}, 0.0
		for k, name := range []string{"a", "b", "c", "d"} {
			last = 0.8*last + rng.NormFloat64()*[]float64{1, 3, 0.5, 2}[k]
			row[name] = last
		}
		for j, name := range columns {
			x.Set(i, j, row[name])
		}
	}
	return prepared(t, columns, x, nil)
}

func withPriors(priors ...string) polydag.Config {
	cfg := polydag.DefaultConfig()
	cfg.Knowledge.Prior = priors
	return cfg
}

func edgeOf(r *polydag.Result, from, to string) *polydag.Edge {
	for i, e := range r.Edges {
		if e.From == from && e.To == to {
			return &r.Edges[i]
		}
	}
	return nil
}

// TestPriorOutcomes checks that a prior decides an open direction, together with those that follow from it, and that the data overrule a
// wrong one. One fit, the bootstrap and the posterior use it.
func TestPriorOutcomes(t *testing.T) {
	table := chain(t, 2000, "a", "b", "c", "d")
	cfg := withPriors("a->b=0.95", "a->d=0.8")
	ctx := context.Background()
	set, post := confidence.DefaultSettings(), confidence.DefaultPosterior()
	set.Replicates = 20
	for name, learn := range map[string]func() (*polydag.Result, error){
		"one fit":   func() (*polydag.Result, error) { return table.Learn(ctx, cfg, polydag.Run{}) },
		"bootstrap": func() (*polydag.Result, error) { return confidence.Learn(ctx, table, cfg, set, polydag.Run{}) },
		"posterior": func() (*polydag.Result, error) { return confidence.Posterior(ctx, table, cfg, post, polydag.Run{}) },
	} {
		res := must.Get(learn())
		for _, e := range []struct {
			from, to string
			least    float64
		}{{"a", "b", 0.8}, {"b", "c", 0.75}} {
			if edge := edgeOf(res, e.from, e.to); edge == nil || edge.PDirection < e.least || edge.PDirection > 0.99 {
				t.Errorf("%s: the edge %s → %s is %+v", name, e.from, e.to, edge)
			}
		}
		if len(res.Priors) != 2 {
			t.Fatalf("%s: priors %+v", name, res.Priors)
		}
		if p := res.Priors[0]; p.To != "b" || p.Outcome != trust.PriorDecided || p.Result != trust.PairForward || p.Without == trust.PairForward {
			t.Errorf("%s: %+v", name, p)
		}
		if p := res.Priors[1]; p.To != "d" || p.Outcome != trust.PriorOverruled || p.Result != trust.PairNone {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestPriorsAreReproducible checks that threads and the order of the columns do not change a result with priors.
func TestPriorsAreReproducible(t *testing.T) {
	ctx := context.Background()
	set := confidence.DefaultSettings()
	set.Replicates = 10
	texts := map[string]bool{}
	for _, columns := range [][]string{{"a", "b", "c", "d"}, {"d", "b", "a", "c"}} {
		for _, threads := range []int{1, 3} {
			cfg := withPriors("a->b=0.7", "d->c=0.6", "*->a=0.2")
			cfg.Knowledge.Tiers, cfg.Knowledge.TierOdds, cfg.Threads = [][]string{{"b"}, {"d"}}, 3, threads
			res := must.Get(confidence.Learn(ctx, chain(t, 200, columns...), cfg, set, polydag.Run{}))
			slices.SortFunc(res.Edges, func(a, b polydag.Edge) int { return strings.Compare(a.From+a.To, b.From+b.To) })
			slices.SortFunc(res.Priors, func(a, b trust.PriorOutcome) int { return strings.Compare(a.From+a.To, b.From+b.To) })
			text := must.Get(json.Marshal([]any{res.Edges, res.Priors}))
			texts[string(text)] = true
		}
	}
	if len(texts) != 1 {
		t.Errorf("%d different results: %v", len(texts), texts)
	}
}

// TestPriorsAreRefused checks that every method that cannot use priors refuses them by its name.
func TestPriorsAreRefused(t *testing.T) {
	for _, m := range lab.All() {
		cfg := withPriors("a->b=0.7")
		cfg.Method = m
		info := m.Info()
		if err := cfg.Validate(); (err == nil) != info.Priors || err != nil && !strings.Contains(err.Error(), info.Name) {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}
