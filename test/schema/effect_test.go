package schema_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/score"
)

const effectFile = "../../docs/schema/effect.schema.json"

// everyAnswer returns an answer with no field of its JSON left out.
func everyAnswer() *effect.Answer {
	x := 0.5
	e := 1.5
	q := effect.Quantity{Value: 1, Standardized: &x, Low: &x, High: &x}
	d := effect.Distribution{Do: "1", Mean: &q, Std: &x, Quantiles: []effect.Quantile{{P: 0.5, Value: 1}}, Levels: []effect.Level{{Name: "a", Quantity: q}}, By: "sampling", Error: 0.01}
	return &effect.Answer{
		Schema: effect.Schema, Of: "a", On: "b", Model: score.MixedEffects, Rows: 3, Identification: effect.Open, Reason: "r", DependsOn: []effect.Unstated{{Link: polydag.Link{From: "a", To: "b"}, Probability: 0.5}}, Reversed: []effect.Unstated{{Link: polydag.Link{From: "b", To: "a"}, Probability: 0.4}}, Contrast: effect.Contrast{Start: "0", End: "1"},
		Effects:    []effect.Effect{{Outcome: "mean", Total: q, Direct: &q, Through: []effect.Through{{Name: "m", Quantity: q}}}},
		Adjustment: effect.Adjustment{Exists: true, Set: []string{"c"}, Valid: true, Slope: &x, Implied: true},
		Class:      &effect.Class{Neighbors: []string{"c"}, Members: []effect.Member{{Parents: []string{"c"}, Totals: []float64{1}}}, Low: []float64{0}, High: []float64{1}, LeastAbsolute: []float64{0}},
		Bounds:     &effect.Bounds{Low: &x, High: &x, IntervalLow: &x, IntervalHigh: &x, Choices: []effect.Choice{{Cause: true, Set: []string{"c"}, Hidden: []string{"b"}, Total: &x}}},
		Interval:   &effect.Interval{Method: effect.OverGraphs, Level: 0.9, Replicates: 10, Failed: 1, Paths: &x, OpenShare: &x}, Distributions: []effect.Distribution{d},
		WhatIf:      []effect.WhatIf{{Given: []effect.Value{{Name: "c", Value: "1"}}, Observed: "2", Counterfactual: true, Distribution: d}},
		Sensitivity: &effect.Sensitivity{Robustness: &x, RobustnessInterval: &x, PartialR2: &x, Benchmarks: []effect.Benchmark{{Name: "c", WithOf: 0.1, WithOn: 0.2, Slope: 1}}, RiskRatio: &x, EValue: &e, EValueInterval: &e, Outcome: "a"},
		Notes:       []string{"n"}, Caution: "c",
	}
}

// An answer about the demo, and one with every field set, follow the schema, which refuses what is none.
func TestEffectsFollowTheirSchema(t *testing.T) {
	q := effect.NewQuestion("guests_today", "ice_cream_scoops")
	q.Do, q.Given = []string{"0", "1"}, []effect.Value{{Name: "mist", Value: "1"}}
	a := must.Get(effect.Ask(context.Background(), learned(t, order.New()), nil, q))
	refuses(t, effectFile, a, nil)
	refuses(t, effectFile, everyAnswer(), map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.effect/2" },
		"a word":        func(d map[string]any) { d["identification"] = "perhaps" },
		"more":          func(d map[string]any) { d["certain"] = true },
		"no value":      func(d map[string]any) { d["effects"].([]any)[0].(map[string]any)["total"] = map[string]any{} },
	})
}

func TestEffectSchemaHasEveryField(t *testing.T) {
	hasEveryField(t, effectFile, "effect", reflect.TypeFor[effect.Answer]())
}
