package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/paper"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

const schemaFile = "../../docs/schema/result.schema.json"

// learned returns what a method learns from the demo table.
func learned(t *testing.T, m method.Method) *polydag.Result {
	t.Helper()
	in, err := files.Open("-", bytes.NewReader(demo.Data), files.DefaultSettings())
	must.Succeed(t, err)
	defer in.Close()
	table := must.Get(polydag.Prepare(context.Background(), in, polydag.DefaultPreparation()))
	cfg := polydag.DefaultConfig()
	cfg.Method = m
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

// document is the file of r.
func document(t *testing.T, r *polydag.Result) json.RawMessage {
	t.Helper()
	var text bytes.Buffer
	must.Succeed(t, report.JSON(r)(&text))
	return text.Bytes()
}

// read is what a program that knows nothing of polydag reads from the JSON of v.
func read(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	must.Succeed(t, err)
	doc := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(text)))
	return doc.(map[string]any)
}

// refuses checks that the schema in a file takes a value, and none of what spoils it.
func refuses(t *testing.T, file string, v any, spoils map[string]func(map[string]any)) {
	t.Helper()
	schema := must.Get(jsonschema.NewCompiler().Compile(file))
	if err := schema.Validate(read(t, v)); err != nil {
		t.Error(err)
	}
	for name, spoil := range spoils {
		doc := read(t, v)
		spoil(doc)
		if schema.Validate(doc) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// hasEveryField checks that the schema in a file has every field of a type, and no other. It returns the schema.
func hasEveryField(t *testing.T, file, name string, typ reflect.Type) map[string]any {
	t.Helper()
	text := must.Get(os.ReadFile(file))
	var root map[string]any
	must.Succeed(t, json.Unmarshal(text, &root))
	everyFieldIn(t, root, name, typ)
	return root
}

// The results of every method are valid.
func TestResultsFollowTheirSchema(t *testing.T) {
	for _, m := range lab.All() {
		t.Run(m.Info().Name, func(t *testing.T) {
			set := param.Of(m)
			for _, it := range set.Items() { // short runs
				short := map[bool]string{strings.HasSuffix(it.Name, "steps"): "50", it.Name == "epochs": "2"}[true]
				if short == "" {
					continue
				}
				must.Succeed(t, set.Set(it.Name, short))
			}
			refuses(t, schemaFile, document(t, learned(t, m)), nil)
		})
	}
	t.Run("cut", func(t *testing.T) {
		m := paper.NewGeo()
		m.Steps, m.Threshold = 50, 0
		res := learned(t, m)
		if res.Continuous == nil || len(res.Continuous.Cut) == 0 {
			t.Fatal("nothing was cut: the test needs another run")
		}
		refuses(t, schemaFile, document(t, res), nil)
	})
}

// everyField returns a result with no field of its JSON left out.
func everyField() *polydag.Result {
	x := 0.5
	link := []polydag.Link{{From: "a", To: "b"}}
	return &polydag.Result{
		Schema: polydag.Schema, Method: "auto", Status: "canceled", Kind: graph.KindDAG, Cause: "deadline", Names: []string{"a", "b"}, Rows: 3,
		Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2, Standardized: 0.5, EdgeFacts: polydag.EdgeFacts{Compelled: true, Turning: &x, Reversal: &x, DirectionP: &x},
			Judgement: trust.Judgement{Verdict: polydag.Undirected, Confidence: 0.95, PAdjacent: 0.95, PDirection: 0.6, Basis: trust.ByModel,
				Evidence: []trust.Reason{{Source: trust.FromClass, LogOdds: 0.4, Weight: 1, Text: "both directions fit equally well"}, {Source: trust.FromHidden, P: 0.1, Text: "a hidden common cause"}}}}},
		Table: polydag.Provenance{Name: "t.csv", Format: "csv", Bytes: 10, SHA256: strings.Repeat("0f", 32), Moments: strings.Repeat("a1", 32), Notes: []string{"3 rows dropped"},
			Groups: &dataset.Groups{Column: "person", Rows: 3, Count: 2, Part: 1, Size: 5. / 3, Alike: []dataset.Alike{{Column: "a", Rho: 1}, {Column: "b", Rho: 0.5}}, DesignEffect: 4. / 3, EffectiveRows: 2}},
		Program:     polydag.Program{Version: "v1", Commit: "abc", Go: "go1"},
		Certificate: trust.Certificate{Kind: graph.KindDAG, Holds: true, Order: []string{"a", "b"}},
		Continuous: &polydag.Continuous{
			Steps: 7, H: 1, Threshold: 0.3, HThreshold: &x, Thresholded: link, CyclicComponents: 1, Cycle: []string{"a", "b"},
			Cut: []polydag.CutEdge{{Link: polydag.Link{From: "b", To: "a"}, Weight: 1}}, CutCost: &x,
		},
		Assumptions: []trust.Assumption{{Name: trust.GaussianNoise, Statement: "the noise is Gaussian", Outcome: trust.Failed, Sentence: "a has two values", Evidence: []trust.Finding{
			{Code: trust.Binary, Severity: trust.Warning, Columns: []string{"a"}, Sentence: "a has two values", WayOut: "another model"}}}},
		Nodes:      []polydag.Node{{Name: "a", Std: 1}, {Name: "b", Std: 1}},
		Choices:    []method.Choice{{Setting: "variance", Requested: "auto", Chosen: "equal", Reason: "its BIC is less", Scores: map[string]float64{"equal": 1, "unequal": 2}, Margin: &x}},
		Stages:     []polydag.Stage{{Name: "order", Skipped: "too many columns", Score: &x, Graph: link, H: &x}},
		Warnings:   []string{"more columns than rows"},
		DataChecks: []trust.Finding{{Code: "constant", Severity: trust.Error, Columns: []string{"c"}, Sentence: "c is constant", WayOut: "drop it"}},
		ScaleCheck: &trust.ScaleCheck{OnlyRaw: link, OnlyStandardized: link, Sentence: "all survive"},
		Trace:      []stage.Trace{{Stage: "polydag", Step: []int{1}, Score: []float64{1}, H: []float64{1}, Rho: []float64{1}, Edges: []int{1}}},
		Settings:   param.Record{{Key: "k", Value: 16}, {Key: "standardize", Value: true}, {Key: "variance", Value: "auto"}, {Key: "knowledge", Value: map[string]any{"tiers": []any{}}}},
		Seed:       1<<64 - 1,
		Timing:     polydag.Timing{Threads: 1, StageSeconds: map[string]float64{"order": 1}},
	}
}

// A result with every field set is valid, and the schema is not one that accepts everything.
func TestSchemaRefuses(t *testing.T) {
	refuses(t, schemaFile, document(t, everyField()), map[string]func(doc map[string]any){
		"no schema":           func(d map[string]any) { delete(d, "schema") },
		"other schema":        func(d map[string]any) { d["schema"] = "polydag.result/1" },
		"unknown field":       func(d map[string]any) { d["extra"] = 1 },
		"no name of a method": func(d map[string]any) { d["method"] = "My Method" },
		"unknown kind":        func(d map[string]any) { d["kind"] = "tree" },
		"unknown mark":        func(d map[string]any) { d["edges"].([]any)[0].(map[string]any)["mark"] = "<--" },
		"no mark":             func(d map[string]any) { delete(d["edges"].([]any)[0].(map[string]any), "mark") },
		"no table":            func(d map[string]any) { delete(d, "table") },
		"hash":                func(d map[string]any) { d["table"].(map[string]any)["sha256"] = "abc" },
		"old certificate":     func(d map[string]any) { d["certificate"].(map[string]any)["h_final"] = 1 },
		"steps at the top":    func(d map[string]any) { d["steps"] = 1 },
		"choice":              func(d map[string]any) { delete(d["choices"].([]any)[0].(map[string]any), "chosen") },
		"null edges":          func(d map[string]any) { d["edges"] = nil },
		"name twice":          func(d map[string]any) { d["names"] = []any{"a", "a"} },
		"weight is text":      func(d map[string]any) { d["edges"].([]any)[0].(map[string]any)["weight"] = "1" },
		"field of an edge":    func(d map[string]any) { d["edges"].([]any)[0].(map[string]any)["p"] = 1 },
		"edge verdict":        func(d map[string]any) { d["edges"].([]any)[0].(map[string]any)["verdict"] = "certain" },
		"outcome":             func(d map[string]any) { d["assumptions"].([]any)[0].(map[string]any)["outcome"] = "true" },
		"confidence":          func(d map[string]any) { d["edges"].([]any)[0].(map[string]any)["confidence"] = 2 },
	})
}

// Every field of the Go types is in the schema and the other way round; what is never left out is required; every
// property is described and every object closed.
func TestSchemaHasEveryField(t *testing.T) {
	root := hasEveryField(t, schemaFile, "result", reflect.TypeFor[polydag.Result]())
	pattern := regexp.MustCompile(root["properties"].(map[string]any)["method"].(map[string]any)["pattern"].(string))
	for _, m := range lab.All() {
		if !pattern.MatchString(m.Info().Name) {
			t.Errorf("the schema refuses the method %s", m.Info().Name)
		}
	}
	for path, want := range map[string][]string{"mark": graph.Symbols(), "kind": kinds()} {
		node := root["$defs"].(map[string]any)["kind"].(map[string]any)
		if path == "mark" {
			node = root["$defs"].(map[string]any)["edge"].(map[string]any)["properties"].(map[string]any)["mark"].(map[string]any)
		}
		var got []string
		for _, v := range node["enum"].([]any) {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, want %v", path, got, want)
		}
	}
}

func kinds() (out []string) {
	for _, k := range graph.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// everyFieldIn holds a schema and a Go type against each other.
func everyFieldIn(t *testing.T, root map[string]any, name string, typ reflect.Type) {
	t.Helper()
	used := map[string]bool{}
	var check func(path string, typ reflect.Type, node map[string]any)
	check = func(path string, typ reflect.Type, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			used[name] = true
			node = root["$defs"].(map[string]any)[name].(map[string]any)
		}
		if d, _ := node["description"].(string); d == "" && !strings.HasSuffix(path, "[]") {
			t.Errorf("%s has no description", path)
		}
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ == reflect.TypeFor[param.Record]() { // written as an object, in order
			if node["type"] != "object" {
				t.Errorf("%s is an object in JSON, in the schema %v", path, node["type"])
			}
			return
		}
		switch typ.Kind() {
		case reflect.Slice:
			items, ok := node["items"].(map[string]any)
			if node["type"] != "array" || !ok {
				t.Errorf("%s is a list in Go, in the schema %v", path, node["type"])
				return
			}
			check(path+"[]", typ.Elem(), items)
		case reflect.Struct:
			if node["type"] != "object" || node["additionalProperties"] != false {
				t.Errorf("%s: want a closed object", path)
			}
			properties, _ := node["properties"].(map[string]any)
			var inGo, always []string
			for _, field := range reflect.VisibleFields(typ) {
				name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
				if field.Anonymous {
					continue // its own fields follow
				}
				if name == "-" {
					continue
				}
				inGo = append(inGo, name)
				if !strings.Contains(options, "omitempty") {
					always = append(always, name)
				}
				if p, ok := properties[name].(map[string]any); ok {
					check(path+"."+name, field.Type, p)
				} else {
					t.Errorf("%s.%s is missing in the schema", path, name)
				}
			}
			for name := range properties {
				if !slices.Contains(inGo, name) {
					t.Errorf("the schema has %s.%s, which no result has", path, name)
				}
			}
			var required []string
			for _, name := range node["required"].([]any) {
				required = append(required, name.(string))
			}
			slices.Sort(required)
			slices.Sort(always)
			if !slices.Equal(required, always) {
				t.Errorf("%s: required is %v, always written are %v", path, required, always)
			}
		}
	}
	check(name, typ, root)
	for name := range root["$defs"].(map[string]any) {
		if !used[name] {
			t.Errorf("$defs has %s, which nothing uses", name)
		}
	}
}

// Verdicts, probabilities and evidence that no result can have are refused.
func TestSchemaRefusesWrongVerdicts(t *testing.T) {
	edge := func(change func(e map[string]any)) func(map[string]any) {
		return func(doc map[string]any) { change(doc["edges"].([]any)[0].(map[string]any)) }
	}
	refuses(t, schemaFile, everyField(), map[string]func(map[string]any){
		"an unknown verdict":     edge(func(e map[string]any) { e["verdict"] = "sure" }),
		"the old direction":      edge(func(e map[string]any) { e["direction"] = "open" }),
		"a probability above 1":  edge(func(e map[string]any) { e["p_direction"] = 1.5 }),
		"a negative reversal":    edge(func(e map[string]any) { e["reversal"] = -1 }),
		"evidence without text":  edge(func(e map[string]any) { delete(e["evidence"].([]any)[0].(map[string]any), "text") }),
		"evidence of no source":  edge(func(e map[string]any) { e["evidence"].([]any)[0].(map[string]any)["source"] = "rumour" }),
		"an unknown basis":       edge(func(e map[string]any) { e["basis"] = "real_tables" }),
		"an empty list of those": edge(func(e map[string]any) { e["evidence"] = []any{} }),
	})
}
