package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab"
)

// described is what a program that knows nothing of polydag reads from polydag describe.
func described(t *testing.T, args ...string) json.RawMessage {
	t.Helper()
	var out, errs bytes.Buffer
	if code := command.Run(context.Background(), lab.All, append([]string{"describe"}, args...), strings.NewReader(""), &out, &errs, wings.All...); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return out.Bytes()
}

// The description of the program follows its schema, which refuses what is none.
func TestDescriptionFollowsItsSchema(t *testing.T) {
	const file = "../../docs/schema/describe.schema.json"
	refuses(t, file, described(t), nil)
	flag := func(d map[string]any) map[string]any {
		return d["commands"].([]any)[0].(map[string]any)["flags"].([]any)[0].(map[string]any)
	}
	refuses(t, file, described(t, "learn"), map[string]func(map[string]any){
		"no schema":     func(d map[string]any) { delete(d, "schema") },
		"other version": func(d map[string]any) { d["schema"] = "polydag.describe/3" },
		"a type":        func(d map[string]any) { flag(d)["type"] = "duration" },
		"a default":     func(d map[string]any) { flag(d)["default"] = []any{json.Number("1")} },
		"more":          func(d map[string]any) { d["certain"] = true },
	})
}
