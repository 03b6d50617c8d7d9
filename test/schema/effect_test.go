package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polydag/polydag/intervene"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/score"
)

const effectFile = "../../docs/schema/effect.schema.json"

// effectDocument is what a program that knows nothing of polydag reads from an answer.
func effectDocument(t *testing.T, a *intervene.Answer) map[string]any {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// everyAnswer returns an answer with no field of its JSON left out.
func everyAnswer() *intervene.Answer {
	x := 0.5
	e := 1.5
	q := intervene.Quantity{Value: 1, Standardized: &x, Low: &x, High: &x}
	d := intervene.Distribution{Do: "1", Mean: &q, Std: &x, Quantiles: []intervene.Quantile{{P: 0.5, Value: 1}}, Levels: []intervene.Level{{Name: "a", Quantity: q}}, By: "sampling", Error: 0.01}
	return &intervene.Answer{
		Schema: intervene.Schema, Of: "a", On: "b", Model: score.MixedEffects, Rows: 3, Identification: intervene.Open, Reason: "r", Contrast: intervene.Contrast{Start: "0", End: "1"},
		Effects:    []intervene.Effect{{Outcome: "mean", Total: q, Direct: q, Through: []intervene.Through{{Name: "m", Quantity: q}}}},
		Adjustment: intervene.Adjustment{Exists: true, Set: []string{"c"}, Valid: true, Slope: &x},
		Class:      &intervene.Class{Neighbors: []string{"c"}, Members: []intervene.Member{{Parents: []string{"c"}, Totals: []float64{1}}}, Low: []float64{0}, High: []float64{1}, LeastAbsolute: []float64{0}},
		Interval:   &intervene.Interval{Method: intervene.OverGraphs, Level: 0.9, Replicates: 10, Failed: 1, Paths: &x, OpenShare: &x}, Distributions: []intervene.Distribution{d},
		WhatIf:      []intervene.WhatIf{{Given: []intervene.Value{{Name: "c", Value: "1"}}, Observed: "2", Counterfactual: true, Distribution: d}},
		Sensitivity: &intervene.Sensitivity{Robustness: &x, RobustnessInterval: &x, PartialR2: &x, Benchmarks: []intervene.Benchmark{{Name: "c", WithOf: 0.1, WithOn: 0.2, Slope: 1}}, RiskRatio: &x, EValue: &e, EValueInterval: &e, Outcome: "a"},
		Notes:       []string{"n"}, Caution: "c",
	}
}

// An answer about the demo, and one with every field set, follow the schema, which refuses what is none.
func TestEffectsFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(effectFile)
	if err != nil {
		t.Fatal(err)
	}
	q := intervene.NewQuestion("Heavy_Makeup", "Wearing_Lipstick")
	q.Do, q.Given = []string{"0", "1"}, []intervene.Value{{Name: "Male", Value: "1"}}
	a, err := intervene.Ask(context.Background(), learned(t, order.New()), nil, q)
	if err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]*intervene.Answer{"demo": a, "every field": everyAnswer()} {
		if err := schema.Validate(effectDocument(t, answer)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spoil := range map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.effect/2" },
		"a word":        func(d map[string]any) { d["identification"] = "perhaps" },
		"more":          func(d map[string]any) { d["certain"] = true },
		"no value":      func(d map[string]any) { d["effects"].([]any)[0].(map[string]any)["total"] = map[string]any{} },
	} {
		doc := effectDocument(t, everyAnswer())
		spoil(doc)
		if schema.Validate(doc) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestEffectSchemaHasEveryField(t *testing.T) {
	text, err := os.ReadFile(effectFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	everyFieldIn(t, root, "effect", reflect.TypeFor[intervene.Answer]())
}
