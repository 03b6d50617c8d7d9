package learntest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// TestHiddenCausesByModel checks that auto says something about hidden causes under models with categories and curves.
func TestHiddenCausesByModel(t *testing.T) {
	for _, model := range []string{"mixed", "smooth", "flexible"} {
		for _, hidden := range []float64{0, 1.5} {
			rng := rand.New(rand.NewPCG(32, 6))
			columns := make(polydag.Columns, 5)
			for j, name := range []string{"a", "b", "c", "z", "y"} {
				columns[j].Name = name
			}
			for range 3000 {
				h, b, k := hidden*rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
				a := rng.NormFloat64()
				if model == "mixed" {
					a = float64(rng.IntN(2))
				}
				z := 1.5*a + 0.8*b + h + rng.NormFloat64()
				y := 0.9*k + h + 0.8*rng.NormFloat64()
				if hidden == 0 {
					y += z
				}
				for j, v := range []float64{a, b, k, z, y} {
					columns[j].Numbers = append(columns[j].Numbers, v)
				}
			}
			table, err := polydag.Prepare(context.Background(), columns, polydag.DefaultPreparation())
			if err != nil {
				t.Fatal(err)
			}
			cfg := polydag.DefaultConfig()
			cfg.Method = using(t, "auto")
			if err := param.Of(cfg.Method).Set("model", model); err != nil {
				t.Fatal(err)
			}
			res, err := table.Learn(context.Background(), cfg, polydag.Run{})
			if err != nil {
				t.Fatal(err)
			}
			want := method.HiddenExcluded
			if hidden > 0 {
				want = method.HiddenImplied
			}
			for _, e := range res.Edges {
				switch joined := e.From == "z" && e.To == "y" || e.From == "y" && e.To == "z"; {
				case e.HiddenCause == "":
					t.Errorf("%s: nothing about %s → %s", model, e.From, e.To)
				case joined && e.HiddenCause != want:
					t.Errorf("%s: a hidden cause of %s → %s is %s, want %s", model, e.From, e.To, e.HiddenCause, want)
				}
			}
		}
	}
}

// TestHiddenCauses checks what auto says about hidden causes on two tables with a → z ← b: with z → y, where a and b exclude a hidden
// cause of z and y, and with z ↔ y ← c, where the hidden cause is implied. The edges into z may always have one.
func TestHiddenCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		hidden float64 // effect of a hidden cause on z and y
		effect float64 // effect of z on y
		want   method.HiddenCause
	}{{"z → y", 0, 1, method.HiddenExcluded}, {"z ↔ y", 1.2, 0, method.HiddenImplied}, {"z → y and hidden", 1.2, 1, method.HiddenPossible}} {
		rng := rand.New(rand.NewPCG(32, 5))
		columns := make(polydag.Columns, 5)
		for j, name := range []string{"a", "b", "c", "z", "y"} {
			columns[j].Name = name
		}
		for range 3000 {
			h, a, b, k := c.hidden*rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			z := a + 0.8*b + h + rng.NormFloat64()
			y := c.effect*z + 0.9*k + h + 0.8*rng.NormFloat64()
			for j, v := range []float64{a, b, k, z, y} {
				columns[j].Numbers = append(columns[j].Numbers, v)
			}
		}
		table, err := polydag.Prepare(context.Background(), columns, polydag.DefaultPreparation())
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, threads := range []int{1, 3} {
			cfg := polydag.DefaultConfig()
			cfg.Threads = threads
			res, err := table.Learn(context.Background(), cfg, polydag.Run{})
			if err != nil {
				t.Fatal(err)
			}
			own, found := "", false
			for _, e := range res.Edges {
				own += fmt.Sprintln(e.From, e.To, e.HiddenCause)
				switch {
				case e.Link == graph.Link{From: "z", To: "y"}, e.Link == graph.Link{From: "y", To: "z"}:
					found = true
					if e.HiddenCause != c.want {
						t.Errorf("%s: a hidden cause of %s → %s is %s, want %s", c.name, e.From, e.To, e.HiddenCause, c.want)
					}
				case e.HiddenCause != method.HiddenPossible:
					t.Errorf("%s: a hidden cause of %s → %s is %s", c.name, e.From, e.To, e.HiddenCause)
				}
			}
			if !found || said != "" && said != own {
				t.Errorf("%s, %d threads:\n%safter\n%s", c.name, threads, own, said)
			}
			said = own
		}
	}
}
