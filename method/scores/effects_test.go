package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// TestCurvesAgainstRows compares curved effects with their definition: the mean over all rows of the fitted value after the parent is
// set to x, with products of parents and in any order of the columns.
func TestCurvesAgainstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	const n, d = 400, 4
	x := matrix.New[float64](n, d)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		b += 0.5 * a
		for j, v := range []float64{a, a*b + math.Sin(2*a) + 0.3*rng.NormFloat64(), b, rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous, kind.Continuous}
	for _, model := range []Model{Smooth, Flexible} {
		s := Fixed(model)
		tab := must.Get(s.Of(t.Context(), table(t, x, kinds, nil), model))
		place := tab.Place()
		v, parents := place[1], []int{place[0], place[2]}
		slices.Sort(parents)
		b := tab.ownBlocks(v)
		weights := tab.Score.(interface {
			Weights(b *score.Blocks, v int, parents []int) []score.Weight
		}).Weights(b, v, parents)
		if products := b.Start[d]; !slices.ContainsFunc(weights, func(w score.Weight) bool { return w.Function >= products }) {
			t.Fatalf("model %s fits no product", model)
		}
		describe := tab.curves
		if model == Flexible {
			describe = tab.moments
		}
		effects, at := describe(v, parents), tab.functionPlaces()
		if model == Smooth { // columns are in the order of the input
			at = make([]int, tab.Functions.Size())
			for k := range at {
				at[k] = k
			}
		}
		wide, row := make([]float64, tab.Functions.Size()), make([]float64, d)
		for _, p := range parents {
			e := effects[p]
			if len(e.X) < 10 || *e.Low >= *e.High {
				t.Fatalf("model %s: %d points from %v to %v", model, len(e.X), *e.Low, *e.High)
			}
			for k, value := range e.X {
				want := b.Mean[b.Start[v]]
				for i := range n {
					copy(row, x.Row(i))
					row[tab.Order[p]] = value
					must.Succeed(t, tab.Functions.Expand(wide, row))
					for _, w := range weights {
						want += w.W * (wide[at[w.Function]] - b.Mean[w.Function]) / n
					}
				}
				if model == Flexible {
					want = tab.Functions.Back(1, want)
				}
				near(t, string(model)+": effect", e.Y[k], want, 1e-4*math.Max(1, math.Abs(want)))
			}
		}
	}
}

// TestNeededRelations checks that a column on another scale counts if its correlation with a different column is at least four standard
// errors, 4/√400 = 0.2, and that curves count for numeric columns.
func TestNeededRelations(t *testing.T) {
	const n = 400
	// half is the sign of row i, and agree rows of the other column have the same sign, as many of both.
	input := func(agree int, same bool) *method.Input {
		x := matrix.New[float64](n, 2)
		for i := range n {
			sign := float64(1 - 2*(i%2))
			x.Set(i, 0, sign)
			if x.Set(i, 1, sign); i >= agree && !same {
				x.Set(i, 1, -sign)
			}
		}
		return table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil)
	}
	log, curve := basis.Form{Scale: dataset.LogScale, Straight: true}, basis.Form{}
	line := basis.Form{Straight: true}
	for _, c := range []struct {
		name   string
		agree  int // the correlation is 2·agree/n - 1
		same   bool
		forms  []basis.Form
		levels []bool
		want   string
	}{
		{"correlation 0.19", 238, false, []basis.Form{log, line}, make([]bool, 2), ""},
		{"correlation 0.21", 242, false, []basis.Form{log, line}, make([]bool, 2), "1 column is far from Gaussian"},
		{"correlation -0.21", 158, false, []basis.Form{log, log}, make([]bool, 2), "2 columns are far from Gaussian"},
		{"the same column", 0, true, []basis.Form{log, line}, make([]bool, 2), ""},
		{"raw scales", 242, false, []basis.Form{line, line}, make([]bool, 2), ""},
		{"curve", 200, false, []basis.Form{line, curve}, make([]bool, 2), "some effects are nonlinear"},
		{"category", 200, false, []basis.Form{line, curve}, []bool{false, true}, ""},
		{"both", 300, false, []basis.Form{log, curve}, make([]bool, 2), "1 column is far from Gaussian, and some effects are nonlinear"},
	} {
		in := input(c.agree, c.same)
		if got := needed(in, c.forms, c.levels); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		// The same correlations on demand, as in a wide table.
		var err error
		if in.Moments, err = dataset.FewRows(in.Names(), in.Sample.Values, 1); err != nil || in.Moments.Gram() == nil {
			t.Fatal(err)
		}
		if got := needed(in, c.forms, c.levels); got != c.want && !c.same { // a copy has a correlation of nearly 1
			t.Errorf("%s, on demand: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLabels checks that a value is a word if the column has one at this number, and the number with six digits otherwise.
func TestLabels(t *testing.T) {
	tab := &ScoredTable{Order: []int{1, 0}, In: &method.Input{Kinds: []kind.Column{{Words: []string{"no", "yes"}}, {}}}}
	for x, want := range map[float64]string{0: "no", 1: "yes", 2: "2", -1: "-1", 0.5: "0.5", 1.0 / 3: "0.333333"} {
		if got := tab.label(1, x); got != want {
			t.Errorf("value %v of a column of words: %q, want %q", x, got, want)
		}
	}
	if got := tab.label(0, 1); got != "1" {
		t.Errorf("value 1 of a numeric column: %q", got)
	}
	if got := (&ScoredTable{In: &method.Input{}}).label(0, 2.5); got != "2.5" {
		t.Errorf("value 2.5 without kinds: %q", got)
	}
}

// TestScaleMergesRareLevels checks that the levels are in the order of their values, and that with more than the largest number of levels
// the rarest are one label at the end.
func TestScaleMergesRareLevels(t *testing.T) {
	tab := &ScoredTable{Order: []int{0}, In: &method.Input{}}
	const most = method.MostEffectLevels
	for _, levels := range []int{3, most, most + 1, most + 5} {
		values, rows := make([]float64, levels), make([]int, levels)
		for k := range values {
			values[k], rows[k] = float64(levels-k), 10+k // the largest values are the rarest
		}
		kept := levels
		if levels > most {
			kept = most - 1
		}
		s := tab.scale(0, values, rows)
		if len(s.labels) != min(levels, most) || (s.labels[len(s.labels)-1] == method.OtherLevels) != (levels > most) || s.labels[0] != "1" {
			t.Errorf("%d levels: labels %v", levels, s.labels)
		}
		for k, at := range s.place {
			if want := min(int(values[k])-1, kept); at != want {
				t.Errorf("%d levels: value %v has label %d, want %d", levels, values[k], at, want)
			}
		}
	}
}

// TestNominalColumns checks which columns may be codes: ordered ones of numbers, unless the user asked for the order.
func TestNominalColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	const n = 300
	x := matrix.New[float64](n, 2)
	for i := range n {
		x.Set(i, 0, float64(i%4))
		x.Set(i, 1, []float64{0, 4, 1, 5}[i%4]+rng.NormFloat64())
	}
	for _, c := range []struct {
		name string
		of   kind.Column
		want bool
	}{
		{"ordered numbers", kind.Column{Kind: kind.Ordinal}, true},
		{"words", kind.Column{Kind: kind.Ordinal, Words: []string{"a", "b", "c", "d"}}, false},
		{"asked for", kind.Column{Kind: kind.Ordinal, Reason: kind.Asked}, false},
		{"continuous", kind.Column{Kind: kind.Continuous}, false},
	} {
		in := table(t, x, []kind.Kind{kind.Ordinal, kind.Continuous}, nil)
		in.Kinds[0] = c.of
		if got := Nominal(in); got[0] != c.want || got[1] {
			t.Errorf("%s: codes %v, want %v", c.name, got, c.want)
		}
		in.Sample = nil
		if got := Nominal(in); got[0] || len(got) != 2 {
			t.Errorf("%s without a sample: codes %v", c.name, got)
		}
	}
}

// TestTooManyEnvironments checks the limit on environments with own values of intervention targets: their codes follow those of the levels and
// have 16 bits.
func TestTooManyEnvironments(t *testing.T) {
	const most = 65535 - kind.MostLevels
	x := matrix.New[float64](4, 2)
	for i := range 4 {
		x.Set(i, 0, float64(i%2))
		x.Set(i, 1, float64(i/2))
	}
	for _, extra := range []int{0, 1} {
		in := table(t, x, []kind.Kind{kind.Binary, kind.Binary}, []int{0, 0, 0, 0})
		in.Environments.Unknown = false
		for len(in.Environments.Targets) < most+extra {
			in.Environments.Names, in.Environments.Targets, in.Environments.Moments = append(in.Environments.Names, ""), append(in.Environments.Targets, nil), append(in.Environments.Moments, in.Moments)
		}
		s := Fixed(Discrete)
		s.TargetValues = Own
		if _, err := s.Of(t.Context(), in, Discrete); (err != nil && strings.Contains(err.Error(), "environments, want at most")) != (extra == 1) {
			t.Errorf("%d environments: %v", most+extra, err)
		}
	}
}

// TestPenaltyOfFewRows checks that the penalty per edge of a table with fewer than three rows is that of three rows.
func TestPenaltyOfFewRows(t *testing.T) {
	s := Fixed(Linear)
	for rows, counted := range map[int]float64{2: 3, 3: 3, 4: 4} {
		x := matrix.New[float64](rows, 2)
		for i := range rows {
			x.Set(i, 0, float64(i))
			x.Set(i, 1, float64(i*i))
		}
		tab := must.Get(s.linear(table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil)))
		want := s.Price.Factor*math.Log(counted) + 4*s.Price.Gamma*math.Log(2)
		near(t, "penalty", tab.scoreOf(0).Price(), want, 1e-12)
	}
}
