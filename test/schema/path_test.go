package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

const pathFile = "../../docs/schema/path.schema.json"

// everyPath has every field of its own.
func everyPath() heldout.Path {
	x := 0.5
	at := heldout.Point{Value: &x, Edges: 3, Score: -1, HeldOut: &x, Behind: &x, Error: &x, Adjacency: &x, Direction: &x}
	return heldout.Path{
		Schema: heldout.PathSchema, Status: method.Canceled, Cause: "interrupted", Rows: 10, Columns: 2, Model: score.LinearEffects, Setting: "penalty", Seed: 1, Splits: 4, Asked: 5,
		Table:   polydag.Provenance{Name: "t.csv", Groups: &dataset.Groups{Column: "c", Rows: 10, Count: 5, Part: 1, Size: 2, DesignEffect: 1.5, EffectiveRows: 7}},
		Program: polydag.Program{Version: "1", Go: "go1"}, Failed: []trust.Failure{{Replicate: 3, Why: "w"}},
		Points: []heldout.Point{at}, Default: &at, Best: &x, Recommended: &x, Settings: param.Record{{Key: "penalty", Value: 0.5}}, Reason: "r",
	}
}

// A path follows its schema, which refuses what is none.
func TestPathsFollowTheirSchema(t *testing.T) {
	refuses(t, pathFile, everyPath(), map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.path/2" },
		"a word":        func(d map[string]any) { d["setting"] = "price" },
		"more":          func(d map[string]any) { d["certain"] = true },
		"a share":       func(d map[string]any) { d["default"].(map[string]any)["adjacency_agreement"] = json.Number("1.5") },
	})
}

func TestPathSchemaHasEveryField(t *testing.T) {
	hasEveryField(t, pathFile, "path", reflect.TypeFor[heldout.Path]())
}
