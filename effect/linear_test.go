package effect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestLinearAgainstInversion compares total effects with (I-W)⁻¹ and implied covariances with
// (I-W)⁻ᵀ·D·(I-W)⁻¹, both by inversion.
func TestLinearAgainstInversion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		d := 2 + rng.IntN(7)
		g := randomDAG(rng, d, 0.5)
		l := must.Get(newLinear(g, make([]float64, d)))
		m := matrix.New[float64](d, d)
		for v := range d {
			m.Set(v, v, 1)
			l.noise[v] = 0.5 + rng.Float64()
		}
		for _, e := range g.Edges() {
			l.weight[e] = rng.NormFloat64()
			m.Set(e.From, e.To, -l.weight[e])
		}
		var lu matrix.LU[float64]
		must.Succeed(t, lu.Factor(m))
		inv := matrix.New[float64](d, d)
		lu.Inverse(inv)
		cov := l.covariance()
		for a := range d {
			totals := l.totals(a)
			for b := range d {
				near(t, "total", totals[b], inv.At(a, b), 1e-9)
				near(t, "onto", l.onto(b, -1)[a], inv.At(a, b), 1e-9)
				want := 0.0
				for v := range d {
					want += inv.At(v, a) * l.noise[v] * inv.At(v, b)
				}
				near(t, "covariance", cov.At(a, b), want, 1e-8)
				// Without the edges into a, its variance does not contribute to that of b under do.
				if a != b {
					cut := 0.0
					for v := range d {
						if v != a {
							cut += l.noise[v] * math.Pow(inv.At(v, b)-inv.At(v, a)*inv.At(a, b), 2)
						}
					}
					dist, _ := l.distribution(a, b, 0)
					near(t, "variance under do", dist.std*dist.std, cut, 1e-8)
				}
			}
		}
	}
}

// TestThroughIsWhatIsLostWithoutTheColumn checks that the effect through one column is the total minus the
// total without that column.
func TestThroughIsWhatIsLostWithoutTheColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 50 {
		g := randomDAG(rng, 6, 0.6)
		l, _ := newLinear(g, make([]float64, 6))
		for _, e := range g.Edges() {
			l.weight[e] = rng.NormFloat64()
		}
		order, _ := g.Order()
		a, b := order[0], order[5]
		for _, m := range order[1:5] {
			without := *l
			without.weight = map[graph.Edge]float64{}
			for e, w := range l.weight {
				if e.From != m && e.To != m {
					without.weight[e] = w
				}
			}
			y, _ := l.through(a, b, m, 0, 1)
			near(t, "through", y[0], l.totals(a)[b]-without.totals(a)[b], 1e-9)
		}
	}
}

// TestFormulaIsTheSpreadOverTables checks that the formula's standard errors are the spread of estimates over
// tables.
func TestFormulaIsTheSpreadOverTables(t *testing.T) {
	m := drawn(t, sim.Linear, 6, 3, nil)
	g := m.Graph()
	a, b := reaching(g)
	q := &study{a: a, b: b, x0: -1, x1: 1.5, do: []float64{1.5}, shown: newOutcomes(nil, nil)}
	after, before := g.Descendants([]int{a}), g.Ancestors([]int{b})
	for v := range g.N() {
		if v != a && v != b && after[v] && before[v] {
			q.mediators = append(q.mediators, v)
		}
	}
	if len(q.mediators) == 0 {
		t.Fatal("no mediator: the test looks at too little")
	}
	const n, tables = 200, 400
	var values [][]float64
	var formula []float64
	for k := range tables {
		x := m.Sample(sim.Stream(uint64(k), sim.StreamNoise), n)
		all := must.Get(dataset.MomentsOf(m.Names(), x, 1))
		pool, _ := dataset.NewPool(all, nil)
		s := &source{model: score.LinearEffects, moments: all, pool: pool}
		f := must.Get(q.of(s, g))
		l, _ := fitLinear(g, all, pool)
		v, ok := q.variances(l, n)
		if !ok {
			t.Fatal("no variance")
		}
		values = append(values, f.flat())
		if formula == nil {
			formula = make([]float64, len(f.flat()))
		}
		for i, x := range v.flat() {
			formula[i] += x / tables
		}
	}
	for i := range len(formula) - 1 { // the last is the ratio, which a number does not have
		mean, spread := 0.0, 0.0
		for _, v := range values {
			mean += v[i] / tables
		}
		for _, v := range values {
			spread += (v[i] - mean) * (v[i] - mean) / (tables - 1)
		}
		if spread == 0 && formula[i] == 0 { // no direct edge
			continue
		}
		if ratio := formula[i] / spread; !(ratio > 0.75 && ratio < 1.33) {
			t.Errorf("figure %d: variance %v by formula, %v over tables", i, formula[i], spread)
		}
	}
}

// TestLinearAgainstSimulatedInterventions compares the mean and the spread under do with simulated
// interventions.
func TestLinearAgainstSimulatedInterventions(t *testing.T) {
	m := drawn(t, sim.Linear, 8, 5, func(c *sim.Settings) {
		c.Interventions, c.InterventionSize, c.InterventionMean, c.Observational = 8, 1, 3, 0.5
	})
	x, settings := m.SampleSettings(sim.Stream(1, sim.StreamNoise), 60_000)
	compared := 0
	observed, by := split(x, settings, len(m.Targets()))
	table := tableOf(t, m.Names(), nil, observed)
	g := m.Graph()
	res := known(t, table, g, score.LinearEffects)
	s, err := newSource(t.Context(), res, nil, 1, nil) // the result alone
	must.Succeed(t, err)
	fit := must.Get(s.fit(g))
	for k, targets := range m.Targets() {
		if len(targets) != 1 {
			continue
		}
		a := targets[0]
		meanA, sdA := column(by[k], a)
		for b := range g.N() {
			if b == a || !g.HasPath(a, b) {
				continue
			}
			compared++
			d := must.Get(fit.distribution(a, b, meanA))
			meanB, sdB := column(by[k], b)
			slope := fit.(*linear).totals(a)[b]
			want := math.Sqrt(d.std*d.std + slope*slope*sdA*sdA)
			within := 6 * sdB / math.Sqrt(float64(by[k].Rows))
			near(t, "mean under do", meanB, d.mean, 2*within)
			near(t, "spread under do", sdB, want, 2*within)
		}
	}
	if compared < 5 {
		t.Errorf("%d pairs were compared", compared)
	}
}

// split returns the rows of each setting, and those of the first separately.
func split(x *matrix.Dense[float64], settings []int, count int) (first *matrix.Dense[float64], by []*matrix.Dense[float64]) {
	rows := make([][]float64, count)
	for i, s := range settings {
		rows[s] = append(rows[s], x.Row(i)...)
	}
	for _, r := range rows {
		by = append(by, matrix.Of(len(r)/x.Cols, x.Cols, r))
	}
	return by[0], by
}

func column(x *matrix.Dense[float64], j int) (mean, sd float64) {
	for i := range x.Rows {
		mean += x.At(i, j) / float64(x.Rows)
	}
	for i := range x.Rows {
		sd += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(x.Rows)
	}
	return mean, math.Sqrt(sd)
}

// TestRowUnderALinearModel checks that a fully known row follows its own equations, and that a partially known
// one follows the conditional Gaussian of a chain.
func TestRowUnderALinearModel(t *testing.T) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}})
	l, _ := newLinear(g, []float64{1, 2, 3})
	l.noise = []float64{1, 4, 9}
	l.weight = map[graph.Edge]float64{{From: 0, To: 1}: 2, {From: 1, To: 2}: -1, {From: 0, To: 2}: 0.5}
	// x0 = 1 + e0, x1 = 2 + 2·e0 + e1, x2 = 3 - (x1-2) + 0.5·e0 + e2.
	row := map[int]float64{0: 2, 1: 5, 2: 1}
	e1 := (5 - 2.0) - 2*(2-1.0)
	e2 := (1 - 3.0) + (5 - 2.0) - 0.5*(2-1.0)
	d := must.Get(l.counterfactual(0, 2, 4, row))
	x1 := 2 + 2*(4-1.0) + e1
	near(t, "mean", d.mean, 3-(x1-2)+0.5*(4-1.0)+e2, 1e-6)
	near(t, "spread", d.std, 0, 1e-6)

	// Only x1 is known: e0 and e1 given 2·e0 + e1 = 3.
	d = must.Get(l.counterfactual(1, 2, 0, map[int]float64{1: 5}))
	e0 := 3 * 2 * 1 / (4*1 + 4.0)
	near(t, "mean given one", d.mean, 3-(0-2)+0.5*e0, 1e-9)
	near(t, "variance given one", d.std*d.std, 0.25*(1-2*2/8.0)+9, 1e-6)
}

// TestUnits checks that in other units the effect scales, and the standardized effect is the same.
func TestUnits(t *testing.T) {
	m := drawn(t, sim.Linear, 5, 8, nil)
	x := m.Sample(sim.Stream(2, sim.StreamNoise), 500)
	g := m.Graph()
	a, b := reaching(g)
	scaled := x.Clone()
	for i := range x.Rows {
		scaled.Set(i, a, x.At(i, a)*1000)
		scaled.Set(i, b, x.At(i, b)/50)
	}
	first := tableOf(t, m.Names(), nil, x)
	second := tableOf(t, m.Names(), nil, scaled)
	names := m.Names()
	one := ask(t, known(t, first, g, score.LinearEffects), first, names[a], names[b], nil)
	two := ask(t, known(t, second, g, score.LinearEffects), second, names[a], names[b], nil)
	p, q := one.Effects[0].Total, two.Effects[0].Total
	near(t, "units", q.Value*50_000, p.Value, 1e-6*math.Abs(p.Value))
	near(t, "low", *q.Low*50_000, *p.Low, 1e-6*math.Abs(p.Value))
	near(t, "standardized", *q.Standardized, *p.Standardized, 1e-9)
	if !slices.Equal(one.Adjustment.Set, two.Adjustment.Set) || !one.Adjustment.Valid {
		t.Errorf("adjustment %+v, %+v", one.Adjustment, two.Adjustment)
	}
}

// alike allows rounding and nothing more.
func TestAlikeAllowsRounding(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{{1, 1 + 1e-12, true}, {1, 1 + 1e-6, false}, {0, 1e-13, true}, {0, 1e-6, false}, {1e6, 1e6 + 1e-4, true}} {
		if got := alike([]float64{5, c.a}, []float64{5, c.b}); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

// The known parent of b leaves a small part of its variance: up to 1e-9 that is rounding.
func TestCounterfactualLeavesSmallVariances(t *testing.T) {
	g := graph.New(3) // the cause, the outcome, and the outcome's other parent
	g.AddEdge(2, 1)
	l := must.Get(newLinear(g, make([]float64, 3)))
	l.weight[graph.Edge{From: 2, To: 1}] = 1
	for left, want := range map[float64]float64{4e-4: 0.02, 4e-8: 2e-4, 0.5e-9: 0} {
		l.noise = []float64{1, left, 1}
		d := must.Get(l.counterfactual(0, 1, 1, map[int]float64{2: 0.5}))
		near(t, "mean", d.mean, 0.5, 1e-9)
		near(t, "standard deviation", d.std, want, 1e-6*want+1e-8)
	}
}

// mtcars has mpg, wt and hp of the 32 cars of R's built-in table.
var mtcars = []float64{
	21, 2.62, 110, 21, 2.875, 110, 22.8, 2.32, 93, 21.4, 3.215, 110, 18.7, 3.44, 175, 18.1, 3.46, 105, 14.3, 3.57, 245, 24.4, 3.19, 62,
	22.8, 3.15, 95, 19.2, 3.44, 123, 17.8, 3.44, 123, 16.4, 4.07, 180, 17.3, 3.73, 180, 15.2, 3.78, 180, 10.4, 5.25, 205, 10.4, 5.424, 215,
	14.7, 5.345, 230, 32.4, 2.2, 66, 30.4, 1.615, 52, 33.9, 1.835, 65, 21.5, 2.465, 97, 15.5, 3.52, 150, 15.2, 3.435, 150, 13.3, 3.84, 245,
	19.2, 3.845, 175, 27.3, 1.935, 66, 26, 2.14, 91, 30.4, 1.513, 113, 15.8, 3.17, 264, 19.7, 2.77, 175, 15, 3.57, 335, 21.4, 2.78, 109,
}

// TestEffectsAgainstR compares with R 4.2.2. With wt → mpg, hp → mpg and hp → wt,
//
//	lm(mpg ~ wt + hp, mtcars)   wt -3.87783074240468, standard error 0.632733494377395; hp -0.03177294698216, standard error 0.00902970967585572
//	lm(mpg ~ hp, mtcars)        hp -0.0682282780715636, the total effect
func TestEffectsAgainstR(t *testing.T) {
	x := matrix.Of(32, 3, mtcars)
	table := tableOf(t, []string{"mpg", "wt", "hp"}, nil, x)
	g := must.Get(graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 2, To: 0}, {From: 2, To: 1}}))
	res := known(t, table, g, score.LinearEffects)
	wt, hp := ask(t, res, table, "wt", "mpg", nil), ask(t, res, table, "hp", "mpg", nil)
	near(t, "total effect of wt", wt.Effects[0].Total.Value, -3.87783074240468, 1e-11)
	near(t, "total effect of hp", hp.Effects[0].Total.Value, -0.0682282780715636, 1e-13)
	near(t, "direct effect of hp", hp.Effects[0].Direct.Value, -0.03177294698216, 1e-13)
	pool := must.Get(dataset.NewPool(table.Moments, nil))
	l := must.Get(fitLinear(g, table.Moments, pool))
	near(t, "standard error of wt", math.Sqrt(l.vary[0].At(0, 0)), 0.632733494377395, 1e-12)
	near(t, "standard error of hp", math.Sqrt(l.vary[0].At(1, 1)), 0.00902970967585572, 1e-14)
}

// TestQuantilesAgainstR compares with R: quantile(c(1, 3, 4, 8, 10, 20, 21), c(0.05, 0.25, 0.4, 0.5, 0.75,
// 0.95), type = 6)
func TestQuantilesAgainstR(t *testing.T) {
	x := []float64{1, 3, 4, 8, 10, 20, 21}
	for p, want := range map[float64]float64{0.05: 1, 0.25: 3, 0.4: 4.8, 0.5: 8, 0.75: 20, 0.95: 21} {
		near(t, "quantile", quantile(x, p), want, 1e-12)
	}
	near(t, "standard deviation of a distribution, not of a sample", empirical([]float64{1, 3}).std, 1, 1e-12)
}
