package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

const compareFile = "../../docs/schema/compare.schema.json"

// everyComparison has every field of its own.
func everyComparison() heldout.Comparison {
	x, n := 0.5, 3
	return heldout.Comparison{
		Schema: heldout.CompareSchema, Status: method.Canceled, Cause: "interrupted", Rows: 10, Names: []string{"a", "b"}, Seed: 1, Threads: 1, BudgetSeconds: 60, Model: score.LinearEffects, Splits: 1, NotHeldOut: "n",
		Table:   polydag.Provenance{Name: "t.csv", Groups: &dataset.Groups{Column: "c", Rows: 10, Count: 5, Part: 1, Size: 2, DesignEffect: 1.5, EffectiveRows: 7}},
		Program: polydag.Program{Version: "1", Go: "go1"}, Truth: &heldout.Known{Edges: 3, Hidden: []string{"h"}},
		Methods: []heldout.Entry{{
			Label: "a:b=1", Method: "a", Settings: param.Record{{Key: "b", Value: 1}}, State: heldout.Stopped, Why: "w", Status: method.Canceled, Kind: graph.KindDAG, Holds: true,
			Edges: []heldout.Edge{{Link: graph.Link{From: "a", To: "b"}, Mark: "-->"}}, Cut: &heldout.Cut{H: 1, Threshold: 0.3, Cyclic: 1, Edges: 2},
			Score: &x, Behind: &x, Unscored: "u", HeldOut: &x, HeldOutBehind: &x, HeldOutError: &x, NotHeldOut: "n",
			Metrics: &heldout.Metrics{Against: graph.KindDAG, SHD: &n, F1: &x, SkeletonF1: 1, ClassSHD: &n, ClassF1: &x, ArrowheadF1: &x, SID: &n}, Seconds: 1,
		}, {Label: "c", Method: "c", State: heldout.Refused, Why: "w"}},
		Agreement: &heldout.Agreement{Labels: []string{"a"}, Skeleton: [][]float64{{1}}, Marks: [][]float64{{1}}},
	}
}

// A comparison follows its schema, which refuses what is none.
func TestComparisonsFollowTheirSchema(t *testing.T) {
	first := func(d map[string]any) map[string]any { return d["methods"].([]any)[0].(map[string]any) }
	refuses(t, compareFile, everyComparison(), map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.compare/2" },
		"a word":        func(d map[string]any) { first(d)["state"] = "well" },
		"more":          func(d map[string]any) { first(d)["certain"] = true },
		"a share":       func(d map[string]any) { first(d)["metrics"].(map[string]any)["f1"] = json.Number("1.5") },
		"no method":     func(d map[string]any) { d["methods"] = []any{} },
	})
}

func TestCompareSchemaHasEveryField(t *testing.T) {
	hasEveryField(t, compareFile, "compare", reflect.TypeFor[heldout.Comparison]())
}
