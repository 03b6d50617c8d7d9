package effect

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
)

// TestSmoothAgainstSimulatedInterventions compares means under do with simulated interventions, over the
// intervened values.
func TestSmoothAgainstSimulatedInterventions(t *testing.T) {
	m := drawn(t, sim.Additive, 5, 6, func(c *sim.Settings) {
		c.Interventions, c.InterventionSize, c.Observational, c.InterventionMean = 5, 1, 0.5, 0.3
	})
	x, settings := m.SampleSettings(sim.Stream(3, sim.StreamNoise), 3_000)
	observed, by := split(x, settings, len(m.Targets()))
	names, g := m.Names(), m.Graph()
	table := tableOf(t, names, nil, observed)
	res := known(t, table, g, score.SmoothEffects)
	s := must.Get(newSource(t.Context(), res, table, 1, nil))
	fit := must.Get(s.fit(g))
	compared := 0
	for k, targets := range m.Targets() {
		if len(targets) != 1 {
			continue
		}
		a := targets[0]
		for b := range g.N() {
			if a == b || !g.HasPath(a, b) {
				continue
			}
			compared++
			mean, sd := column(by[k], b)
			want := 0.0
			const points = 40
			for i := range points {
				y := must.Get(fit.do(a, b, by[k].At(i*by[k].Rows/points, a)))
				want += y[0] / points
			}
			_, before := column(observed, b)
			near(t, fmt.Sprintf("mean of %s where %s was set", names[b], names[a]), mean, want, 0.12*max(sd, before)+4*sd/math.Sqrt(points))
			// The mean over the rows and the mean of the sampled distribution are the same figure.
			d := must.Get(fit.distribution(a, b, 0.5))
			y := must.Get(fit.do(a, b, 0.5))
			near(t, "mean of the distribution", d.mean, y[0], 1e-9*(1+math.Abs(d.mean)))
		}
	}
	if compared < 4 {
		t.Errorf("%d pairs were compared", compared)
	}
}

// TestSmoothOfStraightLines checks that a smooth model of linear effects agrees with the linear one: total,
// shares and rows.
func TestSmoothOfStraightLines(t *testing.T) {
	m := drawn(t, sim.Linear, 5, 3, nil)
	x := m.Sample(sim.Stream(2, sim.StreamNoise), 3000)
	names, g := m.Names(), m.Graph()
	a, b := reaching(g)
	table := tableOf(t, names, nil, x)
	straight := ask(t, known(t, table, g, score.LinearEffects), table, names[a], names[b], func(q *Question) { q.Start, q.End, q.Do, q.Row = "-1", "1", []string{"0.5"}, 17 })
	for v, name := range names {
		is := straight.WhatIf[0].Given[v]
		value, err := strconv.ParseFloat(is.Value, 64)
		if err != nil || is.Name != name {
			t.Fatalf("column %d of the row: %+v, %v", v, is, err)
		}
		near(t, "value of "+name+" in row 17", value, x.At(16, v), 1e-3*math.Abs(x.At(16, v)))
	}
	for _, model := range []score.Effects{score.SmoothEffects, score.MixedEffects} {
		curved := ask(t, known(t, table, g, model), table, names[a], names[b], func(q *Question) {
			q.Start, q.End, q.Do, q.Row, q.Replicates = "-1", "1", []string{"0.5"}, 17, 0
		})
		p, q := straight.Effects[0], curved.Effects[0]
		within := math.Abs(p.Total.Value) // the parts may be larger than the sum
		for _, part := range p.Through {
			within = max(within, math.Abs(part.Value))
		}
		within *= 0.05
		near(t, string(model)+" total", q.Total.Value, p.Total.Value, within)
		near(t, string(model)+" direct", q.Direct.Value, p.Direct.Value, within)
		if len(p.Through) == 0 {
			t.Fatal("nothing between the two")
		}
		for k := range p.Through {
			near(t, string(model)+" through", q.Through[k].Value, p.Through[k].Value, within)
		}
		near(t, string(model)+" mean", curved.Distributions[0].Mean.Value, straight.Distributions[0].Mean.Value, within)
		near(t, string(model)+" spread", *curved.Distributions[0].Std, *straight.Distributions[0].Std, 0.05**straight.Distributions[0].Std)
		one, two := straight.WhatIf[0], curved.WhatIf[0]
		near(t, string(model)+" row", two.Mean.Value, one.Mean.Value, 2*within)
		if !two.Counterfactual || *two.Std != 0 {
			t.Errorf("%s: a row that is known throughout is not told: %+v", model, two)
		}
	}
}

// TestMixedAgainstSimulatedInterventions compares numeric and categorical columns with simulated interventions.
func TestMixedAgainstSimulatedInterventions(t *testing.T) {
	m := drawn(t, sim.Mixed, 6, 9, func(c *sim.Settings) {
		c.Interventions, c.InterventionSize, c.Observational = 6, 1, 0.5
	})
	x, settings := m.SampleSettings(sim.Stream(3, sim.StreamNoise), 20_000)
	observed, by := split(x, settings, len(m.Targets()))
	names, g, levels := m.Names(), m.Graph(), m.Levels()
	table := tableOf(t, names, levels, observed)
	res := known(t, table, g, score.MixedEffects)
	compared := 0
	for k, targets := range m.Targets() {
		if len(targets) != 1 || levels[targets[0]] == 0 {
			continue
		}
		a := targets[0]
		for b := range g.N() {
			if a == b || !g.HasPath(a, b) {
				continue
			}
			answer := ask(t, res, table, names[a], names[b], func(q *Question) { q.Replicates, q.Do = 0, []string{"l0", "l1"} })
			for set, d := range answer.Distributions {
				rows, sum, squares := 0.0, 0.0, 0.0
				counts := make([]float64, levels[b])
				for i := range by[k].Rows {
					if int(by[k].At(i, a)) != set {
						continue
					}
					y := by[k].At(i, b)
					rows++
					sum += y
					squares += y * y
					if levels[b] > 0 {
						counts[int(y)]++
					}
				}
				compared++
				if levels[b] == 0 {
					mean := sum / rows
					near(t, names[a]+" on "+names[b], d.Mean.Value, mean, 6*math.Sqrt((squares/rows-mean*mean)/rows)+0.03)
					continue
				}
				for c, l := range d.Levels {
					near(t, names[a]+" on "+names[b], l.Value, counts[c]/rows, 6*math.Sqrt(0.25/rows)+0.03)
				}
			}
		}
	}
	if compared < 4 {
		t.Errorf("%d distributions were compared", compared)
	}
}
