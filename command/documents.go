package command

import (
	"reflect"

	"github.com/polydag/polydag/command/internal/attribution"
	"github.com/polydag/polydag/command/internal/graphtest"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/internal/questions"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/trust"
)

// A Document is a kind of JSON that commands print. docs/schema has a schema of each, made from the type.
type Document struct {
	File    string // name of the schema, without .schema.json
	Version string // value of the key schema
	Title   string
	Type    reflect.Type
}

// Documents lists the kinds of JSON of the core whose schemas are made from types.
func Documents() []Document {
	return []Document{
		{"check", trust.CheckSchema, "What polydag check --json prints: a look at a table.", reflect.TypeFor[trust.DataChecks]()},
		{"evaluation", evaluationSchema, "What polydag evaluate --json prints: a graph compared with the truth. Of a PAG there are marks alone.", reflect.TypeFor[metric.Report]()},
		{"explanation", explanationSchema, "What polydag explain --json prints: what a graph says about two variables.", reflect.TypeFor[explain.Explanation]()},
		{"questions", questionsSchema, "What polydag questions --json prints: the questions whose answers would settle most directions.", reflect.TypeFor[questions.List]()},
		{"test", testSchema, "What polydag test --json prints: whether a table is compatible with a graph.", reflect.TypeFor[graphtest.Report]()},
		{"why", whySchema, "What polydag why --json prints: what changed between two tables, or why a row is unusual.", reflect.TypeFor[attribution.Report]()},
		{"drivers", effect.DriversSchema, "What polydag drivers --json prints: the columns of a table by their effect on one of them.", reflect.TypeFor[effect.Drivers]()},
		{"progress", "polydag.progress/1", "What --progress-file holds while a run goes on, and polydag serve says of each run. It has no key schema.", reflect.TypeFor[serve.Run]()},
	}
}
