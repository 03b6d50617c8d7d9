package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/tune"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

const pathFile = "../../docs/schema/path.schema.json"

// pathDocument is what a program that knows nothing of polydag reads from a path with every field of its own.
func pathDocument(t *testing.T) map[string]any {
	t.Helper()
	x := 0.5
	at := tune.Point{Value: &x, Edges: 3, Score: -1, HeldOut: &x, Behind: &x, Error: &x, Adjacency: &x, Direction: &x}
	text, err := json.Marshal(tune.Path{
		Schema: tune.Schema, Status: method.Canceled, Cause: "interrupted", Rows: 10, Columns: 2, Model: score.LinearEffects, Setting: "penalty", Seed: 1, Splits: 4, Asked: 5,
		Table:   polydag.Provenance{Name: "t.csv", Clusters: &dataset.Clusters{Column: "c", Rows: 10, Count: 5, Part: 1, Size: 2, DesignEffect: 1.5, EffectiveRows: 7}},
		Program: polydag.Program{Version: "1", Go: "go1"}, Failed: []polydag.Failure{{Replicate: 3, Why: "w"}},
		Points: []tune.Point{at}, Default: &at, Best: &x, Recommended: &x, Settings: param.Record{{Key: "penalty", Value: 0.5}}, Reason: "r",
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// A path follows its schema, which refuses what is none.
func TestPathsFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(pathFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(pathDocument(t)); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.path/2" },
		"a word":        func(d map[string]any) { d["setting"] = "price" },
		"more":          func(d map[string]any) { d["certain"] = true },
		"a share":       func(d map[string]any) { d["default"].(map[string]any)["adjacency_agreement"] = json.Number("1.5") },
	} {
		doc := pathDocument(t)
		spoil(doc)
		if schema.Validate(doc) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestPathSchemaHasEveryField(t *testing.T) {
	text, err := os.ReadFile(pathFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	everyFieldIn(t, root, "path", reflect.TypeFor[tune.Path]())
}
