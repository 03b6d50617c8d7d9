package effect_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// TestContrastOfCategories checks that the contrast of a nominal column starts at its most frequent category,
// that an edge with a low probability on the path is named, and that the answer states its assumptions.
func TestContrastOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	var b strings.Builder
	b.WriteString("city,income\n")
	for range 600 {
		k := []int{0, 1, 1, 1, 2, 2}[rng.IntN(6)]
		fmt.Fprintf(&b, "%s,%.3f\n", []string{"Graz", "Linz", "Wien"}[k], float64(k*k)+rng.NormFloat64()/2)
	}
	in, err := files.Open("-", strings.NewReader(b.String()), files.DefaultSettings())
	must.Succeed(t, err)
	defer in.Close()
	table := must.Get(polydag.Prepare(t.Context(), in, polydag.DefaultPreparation()))
	cfg := polydag.DefaultConfig()
	cfg.Knowledge.Require = []string{"city->income"}
	res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	res.Edges[0].Judgement = trust.State(0.41, 1, nil)
	q := effect.NewQuestion("city", "income")
	q.GivenGraph, q.Replicates = true, 4
	got := must.Get(effect.Ask(t.Context(), res, table, q))
	if got.Contrast.Start != "Linz" || got.Contrast.End != "Wien" {
		t.Errorf("%+v, want Linz, which has half of the rows, and Wien", got.Contrast)
	}
	notes := strings.Join(got.Notes, "\n")
	if len(got.DependsOn) != 1 || got.DependsOn[0].From != "city" || !(math.Abs(got.DependsOn[0].Probability-0.41) <= 0.005) || !strings.Contains(notes, "Linz is the most frequent of 3 categories") {
		t.Error(notes)
	}
	if got.Identification == effect.Identified && !strings.Contains(got.Reason, "assuming no hidden confounders") {
		t.Error(got.Reason)
	}
}
