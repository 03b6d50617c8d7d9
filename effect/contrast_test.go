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

// TestContrastOfTwoCategories checks that control comes before treated, and 0 before 1 of a column that is declared categorical, however
// many rows each has.
func TestContrastOfTwoCategories(t *testing.T) {
	for _, share := range []float64{0.3, 0.7} {
		rng := rand.New(rand.NewPCG(2, 9))
		var b strings.Builder
		b.WriteString("arm,given,income\n")
		for range 400 {
			arm, given, y := "drug", 0, rng.NormFloat64()
			if rng.Float64() < share {
				arm = "placebo"
			}
			if rng.Float64() < share {
				given, y = 1, y+2
			}
			fmt.Fprintf(&b, "%s,%d,%.3f\n", arm, given, y)
		}
		in, err := files.Open("-", strings.NewReader(b.String()), files.DefaultSettings())
		must.Succeed(t, err)
		defer in.Close()
		table := must.Get(polydag.Prepare(t.Context(), in, polydag.DefaultPreparation()))
		must.Succeed(t, table.Overrule([]string{"given=categorical"}))
		cfg := polydag.DefaultConfig()
		cfg.Knowledge.Require = []string{"given->income", "arm->income"}
		res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
		for of, want := range map[string][2]string{"given": {"0", "1"}, "arm": {"placebo", "drug"}} {
			q := effect.NewQuestion(of, "income")
			q.GivenGraph, q.Replicates = true, 4
			got := must.Get(effect.Ask(t.Context(), res, table, q)).Contrast
			if got.Start != want[0] || got.End != want[1] {
				t.Errorf("share %v: %s = %s instead of %s, want %v", share, of, got.End, got.Start, want)
			}
		}
	}
}
