package relations

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
)

// computedIn returns what Computed lists for columns of values, of which those in words are text, in an order of rows and columns that
// the seed decides.
func computedIn(t *testing.T, values map[string][]float64, words map[string][]string, seed uint64, keep ...string) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	n := len(values[names[0]])
	rows := rng.Perm(n)
	if seed > 0 {
		rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	} else {
		slices.Sort(rows)
	}
	s := &dataset.Sample{Columns: len(names)}
	kinds := make([]dataset.Variable, len(names))
	for j, name := range names {
		distinct := map[float64]bool{}
		for _, v := range values[name] {
			distinct[v] = true
		}
		kinds[j] = dataset.Variable{Name: name, Kind: kind.Continuous, Levels: len(distinct), Words: words[name]}
		switch {
		case len(distinct) == 2:
			kinds[j].Kind = kind.Binary
		case words[name] != nil:
			kinds[j].Kind = kind.Categorical
		case len(distinct) <= kind.FewLevels:
			kinds[j].Kind = kind.Ordinal
		}
	}
	for i, r := range rows {
		for _, name := range names {
			s.Values = append(s.Values, values[name][r])
		}
		s.Index = append(s.Index, i)
	}
	out := must.Get(Computed(names, s, kinds, keep, nil, func(visit func([]float64)) error {
		for i := range s.Rows() {
			visit(s.Row(i))
		}
		return nil
	}))
	var list []string
	for _, x := range out {
		if x.Reason != ComputedReason {
			t.Errorf("reason %q", x.Reason)
		}
		list = append(list, x.Detail)
	}
	return list
}

// people returns n rows of independent numbers.
func people(n int) map[string][]float64 {
	rng := rand.New(rand.NewPCG(5, 1))
	out := map[string][]float64{}
	for range n {
		out["age"] = append(out["age"], float64(20+rng.IntN(50)))
		out["height"] = append(out["height"], math.Round(1000*(1.7+rng.NormFloat64()/10))/1000)
		out["weight"] = append(out["weight"], math.Round(700+100*rng.NormFloat64())/10)
		out["income"] = append(out["income"], math.Round(1e5*math.Exp(rng.NormFloat64()/2)))
		out["visits"] = append(out["visits"], float64(rng.IntN(30)))
		out["noise"] = append(out["noise"], rng.NormFloat64())
		out["city"] = append(out["city"], float64(rng.IntN(4)))
	}
	return out
}

func TestComputedColumns(t *testing.T) {
	round := func(x, unit float64) float64 { return math.Round(x/unit) * unit }
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for name, c := range map[string]struct {
		make func(at func(name string) float64) float64
		want string
	}{
		"senior":      {func(at func(string) float64) float64 { return is(at("age") >= 60) }, "senior is computed from age (age ≥ 60)"},
		"young":       {func(at func(string) float64) float64 { return is(at("age") < 30) }, "young is computed from age (age < 30)"},
		"any":         {func(at func(string) float64) float64 { return is(at("visits") > 0) }, "any is computed from visits (visits ≥ 1)"},
		"group":       {func(at func(string) float64) float64 { return is(at("age") >= 30) + is(at("age") >= 45) }, "group is computed from age (classes from 30, 45 on)"},
		"graz":        {func(at func(string) float64) float64 { return is(at("city") == 2) }, "graz is computed from city (city = Graz)"},
		"BMI":         {func(at func(string) float64) float64 { return round(at("weight")/at("height")/at("height"), 0.1) }, "BMI is computed from weight and height (weight / height²)"},
		"BMI in cm":   {func(at func(string) float64) float64 { return 1e4 * at("weight") / at("height") / at("height") }, "BMI in cm is computed from weight and height (weight / height²)"},
		"product":     {func(at func(string) float64) float64 { return at("weight") * at("age") }, "product is computed from age and weight (age · weight)"},
		"rate":        {func(at func(string) float64) float64 { return at("income") / at("age") }, "rate is computed from income and age (income / age)"},
		"lincome":     {func(at func(string) float64) float64 { return round(math.Log(at("income")), 1e-4) }, "lincome is computed from income (a logarithm of income)"},
		"log10":       {func(at func(string) float64) float64 { return math.Log10(at("income")) }, "log10 is computed from income (a logarithm of income)"},
		"agesq":       {func(at func(string) float64) float64 { return at("age") * at("age") / 100 }, "agesq is computed from age (a square of age)"},
		"inverse":     {func(at func(string) float64) float64 { return 1 / at("weight") }, "inverse is computed from weight (an inverse of weight)"},
		"root":        {func(at func(string) float64) float64 { return math.Sqrt(at("income")) }, "root is computed from income (a square root of income)"},
		"nearly":      {func(at func(string) float64) float64 { return math.Log(at("income")) + at("noise")/100 }, ""},
		"noisy cut":   {func(at func(string) float64) float64 { return is(at("age")+at("noise") >= 60) }, ""},
		"independent": {func(at func(string) float64) float64 { return is(at("noise") > 0 && at("age") > 30) }, ""},
		"two cities":  {func(at func(string) float64) float64 { return is(at("city") >= 2) }, ""},
	} {
		values := people(400)
		for i := range values["age"] {
			values[name] = append(values[name], c.make(func(column string) float64 { return values[column][i] }))
		}
		words := map[string][]string{"city": {"Wien", "Linz", "Graz", "Wels"}}
		for seed := range uint64(2) {
			if got := strings.Join(computedIn(t, values, words, seed), "; "); got != c.want {
				t.Errorf("%s, seed %d: %q, want %q", name, seed, got, c.want)
			}
		}
		if got := computedIn(t, values, words, 0, name); len(got) > 0 && got[0] == c.want {
			t.Errorf("%s: %q although it is kept", name, got)
		}
	}
}

// A gap between groups is no threshold, few rows of a class show nothing, and one other row is enough to the contrary.
func TestColumnsThatAreNotComputed(t *testing.T) {
	values := people(400)
	species, length := make([]float64, 400), make([]float64, 400)
	for i := range species {
		species[i] = float64(i % 2)
		length[i] = 10 + values["noise"][i]/4 + 5*species[i]
	}
	if got := computedIn(t, map[string][]float64{"species": species, "length": length, "noise": values["noise"]}, nil, 0); got != nil {
		t.Errorf("groups: %q", got)
	}
	cut, sorted := make([]float64, 400), slices.Sorted(slices.Values(values["noise"]))
	for i, x := range values["noise"] {
		if x < sorted[classRows-1] {
			cut[i] = 1
		}
	}
	if got := computedIn(t, map[string][]float64{"cut": cut, "x": values["noise"], "age": values["age"]}, nil, 0); got != nil {
		t.Errorf("few rows of a class: %q", got)
	}
	square := slices.Clone(values["age"])
	for i, age := range square {
		square[i] = age * age
	}
	table := map[string][]float64{"age": values["age"], "square": square, "income": values["income"]}
	if got := computedIn(t, table, nil, 0); len(got) != 1 {
		t.Errorf("%q", got)
	}
	square[399] += 60
	if got := computedIn(t, table, nil, 0); got != nil {
		t.Errorf("one other row: %q", got)
	}
	if got := computedIn(t, map[string][]float64{"age": values["age"], "square": func() []float64 { square[399] -= 60; return square }()}, nil, 0); got != nil {
		t.Errorf("two columns: %q", got)
	}
}

func TestShortThresholds(t *testing.T) {
	for _, c := range [][3]float64{{2495, 2523, 2500}, {0, 1, 1}, {19, 20, 20}, {-3, -2, -2}, {0.18, 0.31, 0.3}, {1.25, 1.26, 1.26}, {0, 0.004, 0.004}, {-5, 0, 0}, {99, 1001, 1000}} {
		if got := between(c[0], c[1]); math.Abs(got-c[2]) > 1e-12 {
			t.Errorf("between %v and %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
