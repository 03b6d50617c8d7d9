package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

var update = flag.Bool("update", false, "write the schemas that are made from types anew")

// The files are what the types say.
func TestSchemasOfCommandsAreThoseOfTheirTypes(t *testing.T) {
	for _, m := range wings.Documents() {
		want := schemaOf(t, m.Version, m.Title, m.Type)
		if m.File == "evaluation" {
			// A PAG is compared by its marks; a report of any other kind has all numbers.
			var doc map[string]any
			must.Succeed(t, json.Unmarshal(want, &doc))
			doc["anyOf"] = []any{map[string]any{"required": doc["required"]}, map[string]any{"required": []any{"marks"}}}
			doc["required"] = []any{"schema"}
			want = indented(t, doc)
		}
		path := "../../docs/schema/" + m.File + ".schema.json"
		if *update {
			must.Succeed(t, os.WriteFile(path, want, 0o644))
		}
		have := must.Get(os.ReadFile(path))
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not what %v is written as; run go test -C test ./schema -run Types -update and look at the difference: a key that went or changed needs another version", path, m.Type)
		}
	}
}

// What commands print is valid.
func TestCommandsPrintWhatTheirSchemasSay(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) []byte {
		t.Helper()
		var out, errs bytes.Buffer
		if code := command.Run(context.Background(), lab.All, args, bytes.NewReader(nil), &out, &errs, wings.All...); code != 0 {
			t.Fatalf("polydag %v: exit code %d: %s", args, code, &errs)
		}
		return out.Bytes()
	}
	run("demo", "--save", at("demo.csv"))
	run("learn", at("demo.csv"), "--output", at("result.json"), "--quiet")
	run("learn", at("demo.csv"), "--method", "fci", "--output", at("pag.json"), "--quiet")
	run("simulate", "--model", "logit", "--nodes", "4", "--edges", "4", "--rows", "600", "--seed", "3", "--set", "levels=2,2", "--set", "codes", "--output", at("labels.csv"))
	demo := must.Get(os.ReadFile(at("demo.csv")))
	must.Succeed(t, os.WriteFile(at("other.csv"), demo, 0o644))
	must.Succeed(t, os.WriteFile(at("truth.csv"), []byte("from,to\nmist,moss\nlight,lamps_lit\n"), 0o644))
	for _, c := range []struct {
		schema string
		args   []string
	}{
		{"check", []string{"check", at("demo.csv"), "--json"}},
		{"methods", []string{"methods", "--json"}},
		{"evaluation", []string{"evaluate", "--truth", at("truth.csv"), at("result.json"), "--json"}},
		{"evaluation", []string{"evaluate", "--truth", at("truth.csv"), at("pag.json"), "--json"}},
		{"explanation", []string{"explain", at("result.json"), "--from", "mist", "--to", "moss", "--json"}},
		{"questions", []string{"questions", at("result.json"), "--json"}},
		{"drivers", []string{"effect", at("result.json"), "--on", "ice_cream_scoops", "--data", at("demo.csv"), "--set", "replicates=5", "--json"}},
		{"test", []string{"test", at("result.json"), "--data", at("demo.csv"), "--json"}},
		{"why", []string{"why", at("demo.csv"), at("other.csv"), "--graph", at("result.json"), "--target", "moss", "--set", "replicates=10", "--json"}},
		{"why", []string{"why", at("demo.csv"), "--graph", at("result.json"), "--target", "moss", "--row", "7", "--json"}},
		{"bench", []string{"bench", "--nodes", "10", "--json"}},
		{"audit", []string{"audit", at("labels.csv"), at("labels.csv"), "--on", "x0,x2", "--given", "x1", "--sensitive", "x3", "--json"}},
	} {
		s, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + c.schema + ".schema.json")
		must.Succeed(t, err)
		doc := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(run(c.args...))))
		if err := s.Validate(doc); err != nil {
			t.Errorf("polydag %s: %v", c.args[0], err)
		}
		if object, ok := doc.(map[string]any); ok { // a key that nobody knows is refused
			object["no such key"] = 1
			if s.Validate(doc) == nil {
				t.Errorf("%s.schema.json takes any key", c.schema)
			}
		}
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	must.Succeed(t, enc.Encode(v))
	return b.Bytes()
}
