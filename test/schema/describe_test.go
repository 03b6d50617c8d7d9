package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polydag/polydag/internal/cli"
)

// described is what a program that knows nothing of polydag reads from polydag describe.
func described(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(context.Background(), append([]string{"describe"}, args...), strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// The description of the program follows its schema, which refuses what is none.
func TestDescriptionFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/describe.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(described(t)); err != nil {
		t.Error(err)
	}
	flag := func(d map[string]any) map[string]any {
		return d["commands"].([]any)[0].(map[string]any)["flags"].([]any)[0].(map[string]any)
	}
	for name, spoil := range map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.describe/2" },
		"a type":        func(d map[string]any) { flag(d)["type"] = "duration" },
		"a default":     func(d map[string]any) { flag(d)["default"] = []any{json.Number("1")} },
		"more":          func(d map[string]any) { d["certain"] = true },
	} {
		doc := described(t, "learn")
		spoil(doc)
		if schema.Validate(doc) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
