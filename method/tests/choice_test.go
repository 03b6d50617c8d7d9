package tests

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// TestTestsByHand compares each test of a table with its formula: columns 0 and 1 are categories with the counts {30, 20, 10} and {15, 20,
// 25}, columns 2 and 3 are numbers. A row of weight ½ halves the statistics of counts.
func TestTestsByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	counts := [2][3]float64{{30, 20, 10}, {15, 20, 25}}
	var rows []float64
	for a, row := range counts {
		for b, n := range row {
			for range int(n) {
				x := rng.NormFloat64()
				rows = append(rows, float64(a), float64(b), x, 0.2*x+rng.NormFloat64())
			}
		}
	}
	kinds := []dataset.Variable{{Name: "a", Kind: kind.Binary}, {Name: "b", Kind: kind.Categorical}, {Name: "x", Kind: kind.Continuous}, {Name: "y", Kind: kind.Continuous}}
	input := func(columns int) *method.Input {
		x, names := matrix.New[float64](120, columns), []string{"a", "b", "x", "y"}[:columns]
		for i := range x.Rows {
			copy(x.Row(i), rows[4*i:4*i+columns])
		}
		in := inputtest.Of(t, names, x)
		in.Kinds = kinds[:columns]
		return in
	}
	g2, chi2 := 0.0, 0.0
	for a := range counts {
		for b, n := range counts[a] {
			e := 60 * (counts[0][b] + counts[1][b]) / 120
			g2, chi2 = g2+2*n*math.Log(n/e), chi2+(n-e)*(n-e)/e
		}
	}
	r := input(4).Moments.Correlation().At(2, 3)
	for _, c := range []struct {
		name   Name
		i, j   int
		weight float64
		p, df  float64
	}{
		{FisherZ, 2, 3, 0, math.Erfc(math.Sqrt(120-3) * math.Abs(math.Atanh(r)) / math.Sqrt2), math.NaN()},
		{G2, 0, 1, 0, math.Exp(-g2 / 2), 2}, {G2, 0, 1, 0.5, math.Exp(-g2 / 4), 2},
		{Chi2, 0, 1, 0, math.Exp(-chi2 / 2), 2}, {Chi2, 0, 1, 0.5, math.Exp(-chi2 / 4), 2},
		{Mixed, 0, 1, 0, math.NaN(), 2},  // both are categories
		{Smooth, 2, 3, 0, math.NaN(), 9}, // three functions of each
	} {
		own := input(max(c.i, c.j) + 1)
		own.RowWeight = c.weight
		tester, err := New(t.Context(), own, c.name)
		must.Succeed(t, err)
		got := must.Get(tester.Test.Independent(c.i, c.j, nil))
		if c.p == c.p && !(math.Abs(got.P-c.p) <= 1e-9) || c.df == c.df && got.DF != c.df {
			t.Errorf("%s with weight %v: %+v, want p = %v with %v degrees of freedom", c.name, c.weight, got, c.p, c.df)
		}
		if tester.Dear == (c.name == FisherZ) || tester.Model != c.name.Model() || tester.Choice.Chosen != string(c.name) {
			t.Errorf("%s: %+v", c.name, tester)
		}
	}
	for _, name := range Names() {
		moments := input(4)
		moments.Rows, moments.Kinds = nil, nil
		if _, err := New(t.Context(), moments, name); (err == nil) != (name == FisherZ || name == Auto) {
			t.Errorf("%s of moments: %v", name, err)
		}
	}
}

// The level of 0.01 lets 0.45 of the 45 pairs of ten columns be dependent by chance.
func TestMeaningOfTheLevel(t *testing.T) {
	s := Default(param.Count{Word: "any"})
	if got, want := s.meaning(123, 10).Reason, "123 tests; 0.45 of 45 pairs expected to be marginally dependent by chance"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if more(8) != "" || more(10) != " and 2 more" {
		t.Errorf("more: %q, %q", more(8), more(10))
	}
}
