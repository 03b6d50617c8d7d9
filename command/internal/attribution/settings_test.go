package attribution

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// Every setting has a range.
func TestRangesOfSettings(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*Settings)
		valid  bool
	}{
		"defaults":            {func(*Settings) {}, true},
		"rate 0":              {func(s *Settings) { s.FDR = 0 }, false},
		"rate 1":              {func(s *Settings) { s.FDR = 1 }, false},
		"level 0":             {func(s *Settings) { s.Level = 0 }, false},
		"level 1":             {func(s *Settings) { s.Level = 1 }, false},
		"no samples":          {func(s *Settings) { s.Replicates = 0 }, true},
		"one sample":          {func(s *Settings) { s.Replicates = 1 }, false},
		"two samples":         {func(s *Settings) { s.Replicates = 2 }, true},
		"negative samples":    {func(s *Settings) { s.Replicates = -1 }, false},
		"no thread":           {func(s *Settings) { s.Threads = 0 }, false},
		"more than one fault": {func(s *Settings) { s.Threads, s.Level = 0, 2 }, false},
	} {
		s := DefaultSettings()
		if c.change(&s); (s.Validate() == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", what, s.Validate(), c.valid)
		}
	}
}

// Without a model, discrete columns alone have tables, categories among others a mixed model, and numbers a linear one. A linear model of
// categories becomes a mixed one. Any other model stays.
func TestModelOfColumns(t *testing.T) {
	number, count, binary, category := dataset.Variable{Kind: dataset.Continuous}, dataset.Variable{Kind: dataset.Count}, dataset.Variable{Kind: dataset.Binary}, dataset.Variable{Kind: dataset.Categorical}
	for _, c := range []struct {
		model score.Effects
		kinds []dataset.Variable
		want  score.Effects
	}{
		{"", nil, score.LinearEffects},
		{"", []dataset.Variable{number, number}, score.LinearEffects},
		{"", []dataset.Variable{binary, category}, score.TableEffects},
		{"", []dataset.Variable{number, category}, score.MixedEffects},
		{"", []dataset.Variable{number, binary}, score.MixedEffects},
		{score.LinearEffects, []dataset.Variable{binary, category}, score.MixedEffects},
		{score.LinearEffects, []dataset.Variable{number, number}, score.LinearEffects},
		{score.SmoothEffects, []dataset.Variable{number, number}, score.SmoothEffects},
		{score.TableEffects, []dataset.Variable{number, category}, score.TableEffects},
	} {
		if got := modelOf(c.model, c.kinds); got != c.want {
			t.Errorf("model %q of %v: %s, want %s", c.model, c.kinds, got, c.want)
		}
	}
	if got := modelOf("", []dataset.Variable{count, number}); got != score.LinearEffects {
		t.Errorf("a count and a number: %s, want %s", got, score.LinearEffects)
	}
}

// The causal order breaks ties by name, and only the target and its ancestors are needed. Without a target nothing is.
func TestNeededColumns(t *testing.T) {
	g := graph.New(5) // 3 → 1 → 2, 0 and 4 alone
	g.AddEdge(3, 1)
	g.AddEdge(1, 2)
	for target, want := range map[int][]int{-1: nil, 1: {3, 1}, 2: {3, 1, 2}, 0: {0}} {
		d := &data{g: g, target: target}
		d.sort()
		if !slices.Equal(d.order, []int{0, 3, 1, 2, 4}) || !slices.Equal(d.needed, want) {
			t.Errorf("target %d: order %v and needed %v, want 0, 3, 1, 2, 4 and %v", target, d.order, d.needed, want)
		}
	}
}

// A target is affine in the noise under a linear model of numbers, and under a mixed one if no ancestor is categorical.
func TestAffineTargets(t *testing.T) {
	rows := mechanism.New([][]float64{{1, 2}, {0, 1}}, [][]float64{nil, {0, 1}})
	for _, c := range []struct {
		model  score.Effects
		needed []int
		want   bool
	}{
		{score.LinearEffects, []int{0}, true}, {score.MixedEffects, []int{0}, true}, {score.MixedEffects, []int{0, 1}, false},
		{score.SmoothEffects, []int{0}, false}, {score.FlexibleEffects, []int{0}, false},
	} {
		if got := (&data{model: c.model, rows: rows, needed: c.needed}).affine(); got != c.want {
			t.Errorf("%s, columns %v: affine %v, want %v", c.model, c.needed, got, c.want)
		}
	}
}

// A value with a word is written as that word, and any other as a number.
func TestLabels(t *testing.T) {
	words := []string{"no", "yes"}
	for x, want := range map[float64]string{0: "no", 1: "yes", 2: "2", -1: "-1", 0.5: "0.5", 1234567: "1.23457e+06"} {
		if got := kind.Label(words, x); got != want {
			t.Errorf("%v is written as %q, want %q", x, got, want)
		}
	}
}

// Shapley values of up to six players are exact. Those of seven are averages over 40 orders and their reverses. They are exact
// too in a game that counts pairs of neighbours, because an order and its reverse let each player of a pair join second once.
func TestShapleyOfManyPlayers(t *testing.T) {
	for _, players := range []int{6, 7, 9} {
		calls := 0
		got := must.Get(shapley(players, 3, func(in []bool) (float64, error) {
			calls++
			sum := 0.0
			for p := range in {
				if in[p] {
					sum += float64(p)
				}
				if p > 0 && in[p-1] && in[p] {
					sum++
				}
			}
			return sum, nil
		}))
		for p, x := range got {
			want := float64(p) + 1
			if p == 0 || p == players-1 {
				want -= 0.5
			}
			if !(math.Abs(x-want) <= 1e-9) {
				t.Errorf("%d players: player %d has %v, want %v", players, p, x, want)
			}
		}
		want := 64
		if players > 6 {
			want = 2 * 40 * (players + 1)
		}
		if calls != want {
			t.Errorf("%d players: %d evaluations, want %d", players, calls, want)
		}
	}
}
