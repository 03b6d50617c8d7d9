package effect

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// subgroupTable draws rows of z → a → y ← z and of a segment that acts on y. The effect of a on y is that of the row's segment. A curved
// effect has a square, and the values of a depend on the segment.
func subgroupTable(rows int, seed uint64, effects []float64, kind string) *polydag.Table {
	rng := rand.New(rand.NewPCG(seed, 21))
	z, a, y, segment := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i := range rows {
		k := rng.IntN(len(effects))
		segment[i] = string(rune('a' + k))
		z[i] = rng.NormFloat64()
		a[i] = 0.5*z[i] + rng.NormFloat64()
		mean := effects[k]*a[i] + z[i] + float64(k)
		switch kind {
		case "curved":
			a[i] += 0.5 * float64(k)
			mean = effects[k]*a[i] + 0.3*a[i]*a[i] + z[i]
			fallthrough
		case "number":
			y[i] = mean + rng.NormFloat64()*(0.5+math.Abs(a[i])+float64(k)) // of unequal spread
		default:
			a[i] = indicator(a[i] > 0)
			y[i] = indicator(rng.Float64() < min(0.95, max(0.05, 0.4+0.2*effects[k]*a[i]+0.1*z[i])))
		}
	}
	return must.Get(polydag.FromColumns(polydag.Column{Name: "z", Numbers: z}, polydag.Column{Name: "a", Numbers: a}, polydag.Column{Name: "y", Numbers: y}, polydag.Column{Name: "segment", Text: segment}))
}

// bySegment ranks the columns of a table of subgroupTable with its graph.
func bySegment(t testing.TB, table *polydag.Table, model score.Effects, by ...string) (*Drivers, error) {
	g := graph.New(4)
	for _, e := range [][2]int{{0, 1}, {0, 2}, {1, 2}, {3, 1}, {3, 2}} {
		g.AddEdge(e[0], e[1])
	}
	q := NewQuestion("", "y")
	q.GivenGraph, q.Replicates, q.By = true, 0, by
	return RankDrivers(context.Background(), known(t, table, g, model), table, q)
}

// Effects that are the same in all segments are called different in at most 5 % of the tables, and different ones are found.
func TestSubgroupsOnSimulatedTables(t *testing.T) {
	tables := 40 // POLYDAG_STUDY=400 draws 400
	if s, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); err == nil {
		tables = s
	}
	for _, c := range []struct {
		kind    string
		model   score.Effects
		differ  []float64
		nothing []float64
	}{
		{"number", score.MixedEffects, []float64{0, 1, 2.5}, []float64{1, 1, 1}},
		{"curved", score.FlexibleEffects, []float64{0, 1, 2.5}, []float64{1, 1, 1}},
		{"binary", score.MixedEffects, []float64{-1, 0.2, 1.2}, []float64{1, 1, 1}},
	} {
		alarms, found := 0, 0
		for seed := range tables {
			for i, effects := range [][]float64{c.nothing, c.differ} {
				d := must.Get(bySegment(t, subgroupTable(600, uint64(seed), effects, c.kind), c.model, "segment"))
				if d.Compared == 0 {
					t.Fatal("nothing is compared")
				}
				for _, r := range d.Drivers {
					if r.Name == "a" && len(r.By) == 1 && r.By[0].Differs {
						alarms, found = alarms+1-i, found+i
					}
				}
			}
		}
		t.Logf("%s: %d false alarms and %d of %d differences found", c.kind, alarms, found, tables)
		if float64(alarms) > 0.05*float64(tables)+2*math.Sqrt(0.05*float64(tables)) || float64(found) < 0.9*float64(tables) {
			t.Errorf("%s: %d false alarms, %d of %d found", c.kind, alarms, found, tables)
		}
	}
}

// The effect in a group is that of least squares in its rows, here by hand, and intervals contain it.
func TestEffectOfASubgroup(t *testing.T) {
	table := subgroupTable(900, 3, []float64{0.5, 2, 2}, "number")
	d := must.Get(bySegment(t, table, score.LinearEffects, AutoBy))
	i := slices.IndexFunc(d.Drivers, func(r Driver) bool { return r.Name == "a" })
	own := d.Drivers[i]
	if len(own.By) != 1 || own.By[0].By != "segment" || !own.By[0].Differs || d.Compared < 2 {
		t.Fatalf("%+v", own.By)
	}
	std := table.Moments.Std()[1]
	for k, g := range own.By[0].Groups {
		truth := []float64{0.5, 2, 2}[k] * std
		if g.Rows < 250 || *g.Effect.Low > g.Effect.Value || math.Abs(g.Effect.Value-truth) > (*g.Effect.High-*g.Effect.Low)*1.2 {
			t.Errorf("%+v, want %v", g, truth)
		}
	}
	var b strings.Builder
	must.Succeed(t, d.WriteText(&b))
	if !strings.Contains(b.String(), "segment: a") || !strings.Contains(b.String(), "yes (p = ") {
		t.Error(b.String())
	}
}

// Most values of a number are equal, so that one of its three groups has no rows; the others are compared.
func TestSubgroupsOfAnAmountThatIsMostlyZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 21))
	var columns [4][]float64
	for range 600 {
		spend := max(0, rng.NormFloat64()-0.7)
		z := rng.NormFloat64()
		a := 0.5*z + rng.NormFloat64()
		for v, x := range []float64{z, a, a + z + spend + rng.NormFloat64(), spend} {
			columns[v] = append(columns[v], x)
		}
	}
	table := must.Get(polydag.FromColumns(polydag.Column{Name: "z", Numbers: columns[0]}, polydag.Column{Name: "a", Numbers: columns[1]}, polydag.Column{Name: "y", Numbers: columns[2]}, polydag.Column{Name: "spend", Numbers: columns[3]}))
	d := must.Get(bySegment(t, table, score.LinearEffects, "spend"))
	a := d.Drivers[slices.IndexFunc(d.Drivers, func(r Driver) bool { return r.Name == "a" })]
	if len(a.By) != 1 || len(a.By[0].Groups) != 2 || a.By[0].Groups[0].Rows+a.By[0].Groups[1].Rows != 600 {
		t.Errorf("%+v", a.By)
	}
}

// The variance is Σ (e/(1-h))²·w², here with h = 1/3, e = ±1 in two rows, w = 1/6, times n-k over n-k-2.
func TestVarianceHC3(t *testing.T) {
	terms := [][]float64{{1, 1, 1, 1, 1, 1}, {-1, -1, -1, 1, 1, 1}}
	beta, variance, ok := LastCoefficient(terms, []float64{-3, -1, -2, 2, 2, 2})
	want := 2 * math.Pow(1/(1-1./3), 2) / 36 * 4 / 2
	if !ok || math.Abs(beta-2) > 1e-12 || math.Abs(variance-want) > 1e-12 {
		t.Errorf("%v, %v (%t), want 2, %v", beta, variance, ok, want)
	}
	if _, _, ok := LastCoefficient([][]float64{{1, 1, 1}, {1, 1, 1}}, []float64{1, 2, 4}); ok {
		t.Error("collinear terms")
	}
}

func TestHolm(t *testing.T) {
	all := []*Subgroups{{P: 0.04}, {P: 0.01}, {P: 0.03}, {P: 0.5}}
	adjust(all)
	for i, want := range []float64{0.09, 0.04, 0.09, 0.5} {
		near(t, "p", all[i].P, want, 1e-12)
		if all[i].Differs != (want < 0.05) {
			t.Errorf("%+v", all[i])
		}
	}
}

func TestSubgroupsRefuse(t *testing.T) {
	table := subgroupTable(200, 1, []float64{1, 1}, "number")
	for name, part := range map[string]string{"segmnt": "did you mean segment?", "y": "would be biased"} {
		if _, err := bySegment(t, table, score.MixedEffects, name); !errors.Is(err, ErrQuestion) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", name, err)
		}
	}
	res := known(t, table, graph.New(4), score.LinearEffects)
	q := NewQuestion("", "y")
	q.By = []string{"z"}
	if _, err := RankDrivers(context.Background(), res, nil, q); !errors.Is(err, ErrNeedsTable) {
		t.Error(err)
	}
	// a is an effect of z, so groups of a are none for z.
	d := must.Get(bySegment(t, table, score.MixedEffects, "a"))
	if !slices.ContainsFunc(d.Notes, func(n string) bool { return strings.Contains(n, "no subgroups of a for the effect of z") }) {
		t.Errorf("%q", d.Notes)
	}
}
