package audit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// scenes draws a label, a shortcut that depends on it, a background that does not, and the decisions of two predictors. Each errs in 10 % of
// the rows, and decides by the shortcut instead of the label in a part of them: strength, and half of it.
func scenes(t *testing.T, n int, strength float64, seed uint64) *polydag.Table {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	flip := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	columns := polydag.Columns{{Name: "label"}, {Name: "snow"}, {Name: "night"}, {Name: "first"}, {Name: "second"}}
	for range n {
		y := flip(0.4)
		row := []float64{y, flip(0.2 + 0.6*y), flip(0.3), 0, 0}
		for k, share := range []float64{strength, strength / 2} {
			p := 0.1 + 0.8*y
			if flip(share) == 1 {
				p = 0.1 + 0.8*row[1]
			}
			row[3+k] = flip(p)
		}
		for j, v := range row {
			columns[j].Numbers = append(columns[j].Numbers, v)
		}
	}
	set := polydag.DefaultPreparation()
	set.Exclude = false
	return must.Get(polydag.Prepare(context.Background(), columns, set))
}

// TestShortcuts: on scenes with planted shortcuts, at most 5 % of the columns that a predictor does not use are called used, intervals of 90 %
// cover the true effect in 87 to 93 % of the scenes, and the predictor that uses its shortcut more is found.
func TestShortcuts(t *testing.T) {
	const seeds = 150
	covered, intervals, alarms, nulls, ranked, pairs := 0, 0, 0, 0, 0, 0
	for seed := range uint64(seeds) {
		for _, strength := range []float64{0, 0.1, 0.3, 0.6, 1} {
			table := scenes(t, 800, strength, seed)
			q := Question{Prediction: "first", Label: "label", Columns: []string{"snow", "night"}, Level: 0.9}
			uses := must.Get(Measure(context.Background(), table, q))
			for k, want := range []float64{0.8 * strength, 0} {
				intervals++
				if uses[k].Low <= want && want <= uses[k].High {
					covered++
				}
				if want == 0 {
					if nulls++; uses[k].P < 0.05 {
						alarms++
					}
				} else if strength >= 0.3 && uses[k].P > 0.01 {
					t.Errorf("a shortcut of strength %v has p = %.3g", strength, uses[k].P)
				}
			}
			if strength < 0.3 {
				continue
			}
			q.Less = "second"
			less := must.Get(Measure(context.Background(), table, q))
			if pairs++; less[0].Low > 0 {
				ranked++
			}
		}
	}
	share := func(a, b int) float64 { return float64(a) / float64(b) }
	t.Logf("coverage %.3f of %d, false alarms %.3f of %d, ranked %.3f of %d", share(covered, intervals), intervals, share(alarms, nulls), nulls, share(ranked, pairs), pairs)
	if c := share(covered, intervals); !(c >= 0.87 && c <= 0.93) {
		t.Errorf("coverage %.3f", c)
	}
	if share(alarms, nulls) > 0.05 || share(ranked, pairs) < 0.9 {
		t.Errorf("false alarms %.3f, ranked %.3f", share(alarms, nulls), share(ranked, pairs))
	}
}

// TestByLabel compares effects with rates counted by hand: of 40 rows without the label, the predictor says 1 in 10 of 20 rows with snow and in
// 5 of 20 without; with the label it is always right.
func TestByLabel(t *testing.T) {
	var label, snow, p []float64
	add := func(n int, y, s, d float64) {
		for range n {
			label, snow, p = append(label, y), append(snow, s), append(p, d)
		}
	}
	add(10, 0, 1, 1)
	add(10, 0, 1, 0)
	add(5, 0, 0, 1)
	add(15, 0, 0, 0)
	add(20, 1, 1, 1)
	add(20, 1, 0, 1)
	set := polydag.DefaultPreparation()
	set.Exclude = false
	table := must.Get(polydag.Prepare(context.Background(), polydag.Columns{{Name: "y", Numbers: label}, {Name: "snow", Numbers: snow}, {Name: "p", Numbers: p}}, set))
	q := Question{Prediction: "p", Label: "y", Columns: []string{"snow"}, Level: 0.9}
	u := must.Get(Measure(context.Background(), table, q))[0]
	if len(u.By) != 2 || u.By[0].Rows != 40 || !(math.Abs(u.By[0].Effect-0.25) <= 1e-12) || u.By[1].Effect != 0 || !(math.Abs(u.Effect-0.125) <= 1e-12) || !(u.P > 0.1 && u.P < 0.5) {
		t.Errorf("%+v", u)
	}
	for _, bad := range []Question{{Prediction: "q", Label: "y", Columns: []string{"snow"}}, {Prediction: "p", Label: "y", Columns: []string{"p"}}} {
		if _, err := Measure(context.Background(), table, bad); !errors.Is(err, ErrQuestion) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestLess: the effects in two tables differ by what was planted, and no difference of unused columns is called used.
func TestLess(t *testing.T) {
	covered, alarms := 0, 0
	const seeds = 60
	for seed := range uint64(seeds) {
		q := Question{Prediction: "first", Label: "label", Columns: []string{"snow", "night"}, Level: 0.9}
		much := must.Get(Measure(context.Background(), scenes(t, 800, 0.6, seed), q))
		little := must.Get(Measure(context.Background(), scenes(t, 600, 0.2, 1000+seed), q))
		less := Less(much, little, 0.9)
		if less[0].Column != "snow" || !less[0].Used() || math.Abs(less[0].Effect-(much[0].Effect-little[0].Effect)) > 0.02 {
			t.Errorf("seed %d: %+v", seed, less[0])
		}
		if want := 0.8 * 0.4; less[0].Low <= want && want <= less[0].High {
			covered++
		}
		if less[1].Used() {
			alarms++
		}
	}
	if covered < 48 || alarms > 6 {
		t.Errorf("of %d intervals %d cover the difference, and %d differences of an unused column are called used", seeds, covered, alarms)
	}
	if none := Less([]Use{{Column: "snow", By: []ByLabel{{Value: 0, Rows: 50, Effect: 1}}}}, []Use{{By: []ByLabel{{Value: 1, Rows: 50}}}}, 0.9); none[0].P != 1 || none[0].By == nil {
		t.Errorf("tables without a common value of the label: %+v", none)
	}
}
